"""Requests that are sent in part, in drips or with too much of a head, over real sockets."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.client import HTTPResponse
from pathlib import Path

import httpx2
import pytest

from groundwire.sandbox import SandboxServer
from groundwire.web import Options
from groundwire.web.connection import MAX_HEAD_BYTES, MAX_HEADERS
from tests.chat.program import OTTERS
from tests.patience import PATIENCE
from tests.web.server import HANGING, Web, raw_request

HEAD = "GET /api/health HTTP/1.1\r\nHost: localhost\r\n"
POST = "POST /api/login HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"


@pytest.fixture
def impatient(sandbox: SandboxServer, tmp_path: Path) -> Iterator[Web]:
    """A server that waits for little more than a moment."""
    options = Options(head_seconds=0.3, body_seconds=0.3)
    with Web(sandbox, tmp_path, options=options, faults=HANGING) as web:
        yield web


@contextmanager
def connected(web: Web, sent: str = "") -> Iterator[socket.socket]:
    """Connect and send something, both at once for the server: it waits for neither."""
    address = httpx2.URL(web.url)
    with socket.socket() as connection:
        connection.settimeout(PATIENCE)
        with web.held():
            connection.connect((address.host, address.port or 80))
            connection.sendall(sent.encode())
        yield connection


def told(connection: socket.socket) -> tuple[int, bytes]:
    """Return the status of a reply and its body, once the server has closed the connection."""
    reply = HTTPResponse(connection)
    reply.begin()
    body = reply.read()
    assert connection.recv(1) == b""
    return reply.status, body


@pytest.mark.parametrize("sent", ["GET", "GET / HTTP/1.1\r\nHo", HEAD])
def test_half_a_head_is_given_up(impatient: Web, sent: str) -> None:
    with connected(impatient, sent) as connection:
        status, body = told(connection)

    assert (status, b"the head of the request took too long" in body) == (408, True)


def test_half_a_head_is_given_up_however_often_more_of_it_comes(impatient: Web) -> None:
    with connected(impatient, HEAD) as connection:
        connection.settimeout(0.02)
        got = b""
        # Ends only when the server does not wait any more.
        while not got:
            connection.sendall(b"X-More: 1\r\n")
            try:
                got = connection.recv(65_536)
            except TimeoutError:
                continue

    assert got.startswith(b"HTTP/1.1 408 ")


@pytest.mark.parametrize("sent", ["", "\r\n\r\n"])
def test_a_connection_that_says_nothing_is_closed(impatient: Web, sent: str) -> None:
    with connected(impatient, sent) as connection:
        assert connection.recv(1) == b""


def test_empty_lines_do_not_hold_a_connection_after_its_reply(impatient: Web) -> None:
    with connected(impatient, f"{HEAD}\r\n") as connection:
        reply = HTTPResponse(connection)
        reply.begin()
        reply.read()
        # Or it is closed already, and says so.
        with suppress(ConnectionError):
            connection.sendall(b"\r\n")
            assert connection.recv(1) == b""


@pytest.mark.parametrize("length", ["Content-Length: 100", "Transfer-Encoding: chunked"])
def test_half_a_body_is_given_up(impatient: Web, length: str) -> None:
    with connected(impatient, f"{POST}{length}\r\n\r\n1") as connection:
        status, body = told(connection)

    assert (status, b"the body of the request took too long" in body) == (408, True)


def test_half_a_body_that_nobody_reads_is_given_up_too(impatient: Web) -> None:
    with connected(impatient, f"{HEAD}Content-Length: 100\r\n\r\n{{") as connection:
        reply = HTTPResponse(connection)
        reply.begin()

        assert (reply.status, reply.read() != b"", connection.recv(1)) == (200, True, b"")


def test_a_whole_request_waits_for_its_reply_as_long_as_that_takes(impatient: Web) -> None:
    body = json.dumps({"text": OTTERS, "provider_id": "anthropic"})
    head = POST.replace("/api/login", "/api/agents/assistant/message")
    # Its reader is silent for many times what a head may take.
    with connected(impatient, f"{head}Content-Length: {len(body)}\r\n\r\n{body}") as asking:
        reply = HTTPResponse(asking)
        reply.begin()
        assert any(line == b"event: text\n" for line in reply)
        with connected(impatient) as idle:
            assert idle.recv(1) == b""
        stopping = threading.Thread(target=impatient.stop)
        stopping.start()

        rest = reply.read()

        stopping.join()
    assert b"event: done\n" in rest


@pytest.mark.parametrize(
    "headers",
    [
        f"X-Large: {'x' * MAX_HEAD_BYTES}\r\n",
        "".join(f"X-{number}: {'x' * 1000}\r\n" for number in range(MAX_HEAD_BYTES // 1000 + 1)),
        "".join(f"X-{number}: x\r\n" for number in range(MAX_HEADERS)),
        f"Cookie: {'x' * 2_000_000}\r\n",
    ],
    ids=["one large", "several large", "many", "megabytes"],
)
def test_too_much_of_a_head_is_refused(web: Web, headers: str) -> None:
    status, body = raw_request(web, f"{HEAD}{headers}\r\n")

    assert status == 431
    assert "head" in body


def test_an_address_that_is_too_long_is_refused(web: Web) -> None:
    path = "x" * MAX_HEAD_BYTES

    status, _ = raw_request(web, f"GET /{path} HTTP/1.1\r\nHost: localhost\r\n\r\n")

    assert status == 431


def test_a_head_that_never_ends_is_refused_before_it_ends(web: Web) -> None:
    with connected(web) as connection:
        connection.sendall(HEAD.encode() + b"X-Endless: ")
        connection.sendall(b"x" * (MAX_HEAD_BYTES + 1))

        status, _ = told(connection)

    assert status == 431


def test_a_head_of_usual_size_is_taken(web: Web) -> None:
    headers = "".join(f"X-{number}: {'x' * 200}\r\n" for number in range(MAX_HEADERS - 1))

    status, _ = raw_request(web, f"{HEAD}{headers}\r\n")

    assert status == 200


def test_trailers_without_end_are_refused(web: Web) -> None:
    with connected(web) as connection:
        connection.sendall(f"{POST}Transfer-Encoding: chunked\r\n\r\n2\r\n{{}}\r\n0\r\n".encode())
        connection.sendall(b"X-Trailer: x\r\n" * 50_000)

        status, _ = told(connection)

    assert status == 400


def test_a_request_after_a_body_that_nobody_read_is_answered_as_any_other(web: Web) -> None:
    body = b"x" * 500_000
    first = f"{HEAD}Content-Length: {len(body)}\r\n\r\n".encode() + body
    with connected(web) as connection:
        connection.sendall(first * 2 + f"{HEAD}Connection: close\r\n\r\n".encode())
        replies = b"".join(iter(lambda: connection.recv(65_536), b""))

    assert replies.count(b"HTTP/1.1 200 OK") == 3


def test_chunks_of_a_byte_each_are_refused(web: Web) -> None:
    head = POST.replace("/api/login", "/api/agents/assistant/message")
    with connected(web) as connection:
        connection.sendall(f"{head}Transfer-Encoding: chunked\r\n\r\n".encode())
        connection.sendall(b"1;padding=xxxxxxxxxx\r\n \r\n" * 60_000)

        status, _ = told(connection)

    assert status == 400
