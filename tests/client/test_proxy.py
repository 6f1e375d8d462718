"""The guarding proxy over real sockets: what a browser may ask it for, and what it never gets."""

from __future__ import annotations

import asyncio
import base64
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from groundwire import guard
from groundwire.browser.proxy import MAX_CONNECTIONS, MAX_STRANGERS, USER, GuardingProxy
from groundwire.client import Client
from groundwire.config.settings import NetworkSettings
from groundwire.errors import DomainNotAllowedError, UrlRefusedError
from groundwire.guard import DomainPolicy
from tests.client.internet import PUBLIC, Internet
from tests.loopback import Loopback, Script, raw, reply, serve
from tests.patience import PATIENCE
from tests.quiet_time import in_quiet_time
from tests.shared import shared

NAMES = {
    "public.test": [[PUBLIC]],
    "other.test": [[PUBLIC]],
    "inward.test": [["10.0.0.5"]],
    "mixed.test": [[PUBLIC, "127.0.0.1"]],
    "rebind.test": [[PUBLIC], ["127.0.0.1"]],
}


@asynccontextmanager
async def proxying(
    server: Loopback, policy: DomainPolicy = guard.ANYWHERE, **limits: object
) -> AsyncIterator[tuple[GuardingProxy, Internet]]:
    """A proxy whose public names all lead to one server."""
    internet = Internet(server, NAMES)
    network = NetworkSettings.model_validate(limits)
    client = Client(network, resolve=internet.resolve, make_socket=internet.make_socket)
    async with client, client.guarding_proxy(policy) as proxy:
        yield proxy, internet


def credentials(proxy: GuardingProxy) -> str:
    pair = base64.b64encode(f"{USER}:{proxy.password.reveal()}".encode()).decode()
    return f"Proxy-Authorization: Basic {pair}\r\n"


async def connect(proxy: GuardingProxy) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    return await asyncio.open_connection("127.0.0.1", int(proxy.url.rpartition(":")[2]))


async def ask(proxy: GuardingProxy, line: str, headers: str = "", body: bytes = b"") -> bytes:
    """Send one request with the password and return everything that comes back."""
    reader, writer = await connect(proxy)
    writer.write(f"{line}\r\n{credentials(proxy)}{headers}\r\n".encode() + body)
    try:
        return await reader.read()
    finally:
        writer.close()


async def test_a_request_is_handed_on_as_the_server_itself_would_be_asked() -> None:
    headers = "Host: evil.test\r\nProxy-Connection: keep-alive\r\nX-Own: kept\r\n"
    async with (
        serve(reply(b"hello", content_type="text/plain")) as server,
        proxying(server) as (proxy, internet),
    ):
        got = await ask(proxy, "GET http://PUBLIC.test:8080/a?b=1 HTTP/1.1", headers)

    assert got.startswith(b"HTTP/1.1 200 OK\r\n")
    assert got.endswith(b"\r\n\r\nhello")
    assert server.requests[0].line == "GET /a?b=1 HTTP/1.1"
    assert server.requests[0].headers == {
        "host": "public.test:8080",
        "x-own": "kept",
        "connection": "close",
    }
    assert internet.tried == [PUBLIC]


async def test_a_body_is_handed_on_and_what_follows_it_is_not() -> None:
    async with serve(reply(b"thanks")) as server, proxying(server) as (proxy, _):
        second = b"GET http://other.test/ HTTP/1.1\r\n\r\n"

        got = await ask(
            proxy, "POST http://public.test/ HTTP/1.1", "Content-Length: 5\r\n", b"hello" + second
        )

    assert got.endswith(b"thanks")
    assert [request.body for request in server.requests] == [b"hello"]


async def test_a_connection_is_never_used_for_a_second_request() -> None:
    kept_open = raw(
        b"HTTP/1.1 103 Early Hints\r\n\r\n"
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nok"
    )
    async with serve(kept_open) as server, proxying(server) as (proxy, _):
        got = await ask(proxy, "GET http://public.test/ HTTP/1.1")

    assert got == b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok"


async def test_a_tunnel_carries_bytes_both_ways() -> None:
    async def echo(writer: asyncio.StreamWriter) -> None:
        writer.write(b"echo")
        await writer.drain()

    async with serve(echo) as server, proxying(server) as (proxy, internet):
        reader, writer = await connect(proxy)
        writer.write(f"CONNECT public.test:443 HTTP/1.1\r\n{credentials(proxy)}\r\n".encode())
        opened = await reader.readuntil(b"\r\n\r\n")
        writer.write(b"GET / HTTP/1.1\r\n\r\n")
        answered = await reader.read()
        writer.close()

    assert (opened, answered) == (b"HTTP/1.1 200 Connected\r\n\r\n", b"echo")
    assert server.requests[0].line == "GET / HTTP/1.1"
    assert internet.tried == [PUBLIC]


async def test_who_does_not_know_the_password_gets_nothing() -> None:
    wrong = base64.b64encode(f"{USER}:guessed".encode()).decode()
    answers = []
    async with serve(reply()) as server, proxying(server) as (proxy, internet):
        for header in ("", f"Proxy-Authorization: Basic {wrong}\r\n"):
            reader, writer = await connect(proxy)
            writer.write(f"GET http://public.test/ HTTP/1.1\r\n{header}\r\n".encode())
            answers.append((await reader.read()).partition(b"\r\n")[0])
            writer.close()

    assert answers == [b"HTTP/1.1 407 Proxy Authentication Required"] * 2
    assert internet.tried == []
    assert proxy.refusals == {}


@pytest.mark.parametrize(
    ("line", "place", "reason"),
    [
        ("GET http://127.0.0.1:8080/ HTTP/1.1", "127.0.0.1:8080", "is loopback"),
        ("CONNECT [::1]:443 HTTP/1.1", "::1:443", "is loopback"),
        ("CONNECT 169.254.169.254:80 HTTP/1.1", "169.254.169.254:80", "cloud metadata"),
        ("CONNECT localhost:443 HTTP/1.1", "localhost:443", "not on the public web"),
        ("GET http://inward.test/ HTTP/1.1", "inward.test:80", "leads inward"),
        ("CONNECT inward.test:443 HTTP/1.1", "inward.test:443", "leads inward"),
        ("CONNECT mixed.test:443 HTTP/1.1", "mixed.test:443", "leads inward"),
        ("CONNECT public.test:22 HTTP/1.1", "public.test:22", "not a web port"),
        ("CONNECT nowhere.test:443 HTTP/1.1", "nowhere.test:443", "has no address"),
        ("GET ftp://public.test/ HTTP/1.1", "public.test:80", "only http and https"),
    ],
)
async def test_what_is_not_public_is_refused_and_remembered(
    line: str, place: str, reason: str
) -> None:
    async with serve(reply()) as server, proxying(server) as (proxy, internet):
        got = await ask(proxy, line)

    assert got.startswith(b"HTTP/1.1 403 ")
    assert [*proxy.refusals] == [place]
    assert isinstance(proxy.refusals[place], UrlRefusedError)
    assert reason in str(proxy.refusals[place])
    assert internet.tried == []


async def test_the_refusal_of_a_host_is_found_by_any_of_its_urls() -> None:
    async with serve(reply()) as server, proxying(server) as (proxy, _):
        await ask(proxy, "CONNECT inward.test:443 HTTP/1.1")

    assert proxy.refusal_of("https://inward.test/a/b") is proxy.refusals["inward.test:443"]
    assert proxy.refusal_of("https://public.test/") is None
    assert proxy.refusal_of("https://[half") is None
    assert proxy.notes() == (
        "the page also asked for 1 host that we refused, so that a part may be missing",
    )


async def test_a_name_that_changes_its_answer_is_refused_from_then_on() -> None:
    async with serve(reply(b"first")) as server, proxying(server) as (proxy, internet):
        first = await ask(proxy, "GET http://rebind.test/ HTTP/1.1")
        second = await ask(proxy, "GET http://rebind.test/ HTTP/1.1")

    assert first.endswith(b"first")
    assert second.startswith(b"HTTP/1.1 403 ")
    assert internet.tried == [PUBLIC]


async def test_parts_of_a_page_may_come_from_anywhere_but_a_blocked_host() -> None:
    policy = DomainPolicy(allowed=("public.test",), blocked=("other.test",))
    names = {**NAMES, "third.test": [[PUBLIC]]}
    async with serve(reply(b"part")) as server:
        internet = Internet(server, names)
        client = Client(resolve=internet.resolve, make_socket=internet.make_socket)
        async with client, client.guarding_proxy(policy) as proxy:
            third = await ask(proxy, "GET http://third.test/ HTTP/1.1")
            other = await ask(proxy, "GET http://other.test/ HTTP/1.1")

    assert third.endswith(b"part")
    assert other.startswith(b"HTTP/1.1 403 ")
    assert isinstance(proxy.refusals["other.test:80"], DomainNotAllowedError)


async def test_more_bytes_than_allowed_are_not_let_through() -> None:
    async with (
        serve(reply(b"x" * 200_000)) as server,
        proxying(server, max_reply_bytes=70_000) as (proxy, _),
    ):
        got = await ask(proxy, "GET http://public.test/ HTTP/1.1")

    assert proxy.is_full
    assert len(got) < 71_000


@pytest.mark.parametrize("said", [b"", b"GET http://public.test/ HTTP/1.1\r\nX: y"])
async def test_idle_connections_of_others_do_not_starve_the_browser(said: bytes) -> None:
    async with (
        serve(reply(b"page")) as server,
        proxying(server, connect_timeout_seconds=300) as (proxy, _),
    ):
        idle = [await connect(proxy) for _ in range(MAX_STRANGERS + 80)]
        for _, writer in idle:
            writer.write(said)

        got = await ask(proxy, "GET http://public.test/ HTTP/1.1")

        # Those that came first made room, long before their time was up.
        async with asyncio.timeout(PATIENCE):
            assert await idle[0][0].read() == b""
        for _, writer in idle:
            writer.close()
    assert got.endswith(b"page")


async def test_tunnels_that_are_quiet_make_room_for_a_new_one() -> None:
    async with (
        serve(_silence) as server,
        serve(reply(b"page")) as pages,
        proxying(server) as (proxy, internet),
    ):
        tunnels = [await _tunnel(proxy) for _ in range(MAX_CONNECTIONS)]
        internet.server = pages

        got = await ask(proxy, "GET http://public.test/ HTTP/1.1")

        assert await tunnels[0][0].read() == b""
        for _, writer in tunnels:
            writer.close()
    assert got.endswith(b"page")


async def _silence(_: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


async def _tunnel(
    proxy: GuardingProxy,
) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
    reader, writer = await connect(proxy)
    writer.write(f"CONNECT public.test:443 HTTP/1.1\r\n{credentials(proxy)}\r\n".encode())
    await reader.readuntil(b"\r\n\r\n")
    return reader, writer


@pytest.mark.parametrize("said", [b"", b"GET http://public.test/ HTTP/1.1\r\nX: y"])
@in_quiet_time
async def test_a_connection_that_does_not_say_what_it_wants_is_closed(said: bytes) -> None:
    async with (
        serve(reply()) as server,
        proxying(server, connect_timeout_seconds=5) as (proxy, _),
    ):
        reader, writer = await connect(proxy)
        writer.write(said)

        async with asyncio.timeout(PATIENCE):
            assert await reader.read() == b""
        writer.close()


@in_quiet_time
async def test_a_tunnel_in_which_nobody_speaks_is_closed() -> None:
    async with serve(_silence) as server, proxying(server, idle_timeout_seconds=5) as (proxy, _):
        reader, writer = await _tunnel(proxy)

        async with asyncio.timeout(PATIENCE):
            assert await reader.read() == b""
        writer.close()


@in_quiet_time
async def test_a_server_that_does_not_answer_is_left() -> None:
    async with serve(_silence) as server, proxying(server, idle_timeout_seconds=5) as (proxy, _):
        got = await ask(proxy, "GET http://public.test/ HTTP/1.1")

    assert got == b""


@pytest.mark.parametrize(
    "head",
    [
        "Content-Length: 5\r\nContent-Length: 5\r\n",
        "Content-Length: 5\r\ncontent-length: 0\r\n",
        "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
        "Content-Length: 5, 5\r\n",
        "Content-Length: +5\r\n",
        "X: a\nContent-Length: 5\r\n",
        "X: a\rContent-Length: 5\r\n",
        "X: a\0\r\n",
        "X: a\r\n Content-Length: 5\r\n",
        "Content-Length : 5\r\n",
        ": 5\r\n",
        "no colon\r\n",
        "Host: a\nGET http://other.test/ HTTP/1.1\r\n",
    ],
)
async def test_a_head_that_two_readers_could_read_differently_is_refused(head: str) -> None:
    async with serve(reply(b"page")) as server, proxying(server) as (proxy, _):
        got = await ask(proxy, "POST http://public.test/ HTTP/1.1", head, b"hello")

    assert got == b""
    assert server.requests == []


@pytest.mark.parametrize(
    "head",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 4\r\n\r\nokok",
        b"HTTP/1.1 200 OK\r\nX: a\nSet-Cookie: b=c\r\nContent-Length: 2\r\n\r\nok",
        b"HTTP/1.1 200 OK\nX: a\r\nContent-Length: 2\r\n\r\nok",
    ],
)
async def test_a_reply_that_two_readers_could_read_differently_is_not_handed_on(
    head: bytes,
) -> None:
    async with serve(raw(head)) as server, proxying(server) as (proxy, _):
        got = await ask(proxy, "GET http://public.test/ HTTP/1.1")

    assert got == b""


@pytest.mark.parametrize(
    ("script", "headers"),
    [
        (raw(b"SSH-2.0-OpenSSH_10.0\r\n"), ""),
        (raw(b""), ""),
        (reply(), "Transfer-Encoding: chunked\r\n"),
        (reply(), "Content-Length: -1\r\n"),
    ],
    ids=["another protocol", "nothing", "a body without a length", "a length that is none"],
)
async def test_what_cannot_be_handed_on_ends_the_connection(script: Script, headers: str) -> None:
    async with serve(script) as server, proxying(server) as (proxy, _):
        got = await ask(proxy, "POST http://public.test/ HTTP/1.1", headers)

    assert got == b""


async def test_a_host_that_does_not_answer_is_said_to_be_out_of_reach() -> None:
    async with serve(reply()) as server:
        pass

    async with proxying(server) as (proxy, _):
        got = await ask(proxy, "GET http://public.test/ HTTP/1.1")

    assert got.startswith(b"HTTP/1.1 502 ")
    assert proxy.refusals == {}


async def test_when_its_page_is_done_nobody_listens_any_more() -> None:
    async with serve(reply()) as server, proxying(server) as (proxy, _):
        reader, writer = await connect(proxy)

    assert await reader.read() == b""
    writer.close()
    with pytest.raises(ConnectionRefusedError):
        await connect(proxy)


def rows() -> Iterator[dict[str, Any]]:
    for line in shared("suites/hostile_urls.jsonl").read_text(encoding="utf-8").split("\n"):
        if line:
            yield json.loads(line)


async def test_every_hostile_url_of_the_suite_as_a_browser_would_ask_for_it() -> None:
    wrong = []
    asked = 0

    async with serve(reply()) as server:
        for row in rows():
            url = row["url"]
            if not url.isascii() or not url.isprintable() or " " in url or "redirect" in row:
                continue  # No request line can carry it, or the server decides.
            internet = Internet(server, row.get("dns") or {})
            client = Client(resolve=internet.resolve, make_socket=internet.make_socket)
            async with client, client.guarding_proxy() as proxy:
                got = await ask(proxy, f"GET {url} HTTP/1.1")
            asked += 1
            inward = [address for address in internet.tried if guard.address_problem(address)]
            is_refused = got.startswith(b"HTTP/1.1 403 ")
            if inward or (row["expect"] == "block" and not is_refused):
                wrong.append((url, got[:40], internet.tried))

    assert wrong == []
    assert asked > 0
