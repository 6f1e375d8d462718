"""What a server writes about itself: enough to find a failure, and never a secret."""

from __future__ import annotations

import io
import json
import logging
import re
import socket
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

import httpx2
import pytest
from starlette.types import Receive, Scope, Send

from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from groundwire.service.logs import LogOptions, TextFormatter, configure
from groundwire.web.request_log import RequestLog, shown_path
from tests.patience import PATIENCE
from tests.web.server import Web, events_of
from tests.web.test_serve import environment, serving

# No shape of a key that anyone knows, so that nothing hides them by luck.
PASSWORD = "canaryPassword Qw7u 31"
WRONG = "canaryWrong Zt5k 88"
KEY = "canary_Key-4Rb9.Xd2"
QUERY = "canaryQuery_8Lm3"
HEADER = "canaryHeader_2Vn6"
BROKEN = "canaryBroken_9Hs4"
ID = re.compile(r"[0-9a-f]{16}")


def _use_secrets(url: str, link: str) -> tuple[list[str], list[httpx2.Response]]:
    """Send secrets wherever one can be sent; return them, and what was answered."""
    setup = link.partition("token=")[2]
    replies = []
    with httpx2.Client(base_url=url, timeout=PATIENCE) as client:

        def send(method: str, path: str, **given: Json) -> httpx2.Response:
            replies.append(client.request(method, path, **given))
            return replies[-1]

        send("GET", f"/setup?token={setup}")
        send("POST", "/api/setup", json={"token": WRONG, "name": "olga", "password": PASSWORD})
        send("POST", "/api/setup", json={"token": setup, "name": "olga", "password": PASSWORD})
        send("POST", "/api/login", json={"name": "olga", "password": WRONG})
        send("POST", "/api/login", content=f'{{"name": "olga", "password": "{WRONG}')
        made = send("POST", "/api/tokens", json={"name": "ci", "role": "member"}).json()
        bearer = {"Authorization": f"Bearer {made['token']}"}
        send("GET", "/api/sessions", headers=bearer)
        send("GET", "/api/sessions", headers={"Authorization": f"Bearer {HEADER}"})
        send("GET", "/api/sessions", headers={"Cookie": f"groundwire_session={HEADER}"})
        send("GET", f"/api/sessions?token={made['token']}&key={QUERY}&x={QUERY}")
        send("GET", f"/{QUERY}/{made['token']}")
        send("GET", f"/api/agents/{QUERY}", headers={"Referer": f"{url}/setup?token={setup}"})
        send("PUT", "/api/web/tavily/key", json={"key": KEY})
        send("PUT", "/api/web/tavily/key", json={"kex": KEY})
        send("GET", "/api/health", headers={"Host": f"{HEADER}.test"})
        body = {"text": "How do sea otters sleep?", "search": "off"}
        with client.stream("POST", "/api/agents/assistant/message", json=body) as reply:
            assert [*events_of(reply)][-1].type == "done"
            replies.append(reply)
        cookies = [*client.cookies.values()]
    secrets = [setup, PASSWORD, WRONG, KEY, QUERY, HEADER, BROKEN, made["token"], *cookies]
    return secrets, replies


def _send_nonsense(url: str) -> None:
    """Send what is no request, with a secret in it, and wait for the end of the connection."""
    parts = urlsplit(url)
    assert parts.hostname is not None
    with socket.create_connection((parts.hostname, parts.port or 80)) as connection:
        connection.sendall(f"GET /?token={BROKEN} HTTP/1.1\r\nCookie {BROKEN}\r\n\r\n".encode())
        while connection.recv(1000):
            pass


# All that the other levels write is in what "debug" writes.
@pytest.mark.parametrize(
    ("level", "form"), [("debug", []), ("debug", ["--log-json"]), ("info", [])]
)
def test_no_secret_is_in_the_log_at_any_level(
    sandbox: SandboxServer, tmp_path: Path, level: str, form: list[str]
) -> None:
    variables = {**environment(sandbox, tmp_path), "PYTHONASYNCIODEBUG": "1"}
    options = ["--log-level", level, "--access-log", "--setup", *form]
    with serving(variables, tmp_path, *options) as (_, link):
        url = link.partition("/setup")[0]
        secrets, replies = _use_secrets(url, link)
        _send_nonsense(url)
    log = (tmp_path / "errors.txt").read_text()

    assert [secret for secret in secrets if secret in log] == []
    ids = [reply.headers["x-request-id"] for reply in replies]
    assert len({*ids}) == len(ids)
    # The stream's own line is written when it ends.
    assert [each for each in ids if each not in log or not ID.fullmatch(each)] == []
    if form:
        lines = [json.loads(line) for line in log.splitlines()]
        access = [line for line in lines if line["logger"] == "groundwire.access"]
        told = {line["request_id"]: (line["status"], line["method"]) for line in access}
        assert told == {
            each.headers["x-request-id"]: (each.status_code, each.request.method)
            for each in replies
        }


def test_without_the_option_no_request_is_logged(sandbox: SandboxServer, tmp_path: Path) -> None:
    with serving(environment(sandbox, tmp_path), tmp_path) as (_, url):
        reply = httpx2.get(f"{url}/api/health", timeout=PATIENCE)

    assert ID.fullmatch(reply.headers["x-request-id"])
    assert (tmp_path / "errors.txt").read_text() == ""


def test_every_process_of_a_server_logs_as_it_was_told(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    options = ("--workers", "2", "--log-json", "--access-log")
    with serving(environment(sandbox, tmp_path), tmp_path, *options) as (_, url):
        httpx2.get(f"{url}/api/health", timeout=PATIENCE)
    lines = [json.loads(line) for line in (tmp_path / "errors.txt").read_text().splitlines()]

    found = [line for line in lines if line["logger"] == "groundwire.access"]
    assert [(line["path"], line["status"]) for line in found] == [("/api/health", 200)]
    assert found[0]["duration_ms"] >= 0
    assert found[0]["client"] == "127.0.0.1"


def test_a_path_is_logged_as_far_as_it_is_ours() -> None:
    session = "0123456789abcdef" * 2

    assert [
        shown_path(path)
        for path in ("/", "/api/health", f"/s/{session}", "/api/agents/Ann/message", "/s3cret/x")
    ] == ["/", "/api/health", f"/s/{session}", "/api/agents/…/message", "/…/…"]


@pytest.fixture
def log() -> Iterator[io.StringIO]:
    """Return what is logged in this process, at every level and as JSON."""
    loggers = [logging.getLogger(name) for name in ("", "groundwire", "uvicorn", "asyncio")]
    loggers.append(logging.getLogger("groundwire.access"))
    before = [(each, each.level) for each in loggers]
    handlers = [*logging.getLogger().handlers]
    stream = io.StringIO()
    configure(LogOptions(level="debug", is_json=True, has_access=True), stream)
    yield stream
    logging.getLogger().handlers = handlers
    for logger, level in before:
        logger.setLevel(level)


async def test_a_failure_of_ours_names_its_request_in_reply_and_log(log: io.StringIO) -> None:
    async def failing(_: Scope, __: Receive, ___: Send) -> None:
        raise RuntimeError("broken with sk-abcdefghijklmnop\nERROR forged line")

    async with httpx2.AsyncClient(
        transport=httpx2.ASGITransport(RequestLog(failing)), base_url="http://test"
    ) as client:
        reply = await client.get("/api/health?token=canary")
    lines = [json.loads(line) for line in log.getvalue().splitlines()]
    ours = [line for line in lines if line["logger"].startswith("groundwire")]

    request_id = reply.headers["x-request-id"]
    assert (reply.status_code, reply.json()["error"]["code"]) == (500, "internal")
    assert request_id in reply.json()["error"]["message"]
    assert [(line["level"], line["request_id"]) for line in ours] == [
        ("error", request_id),
        ("info", request_id),
    ]
    assert "RuntimeError" in ours[0]["traceback"]
    assert "sk-abcdefghijklmnop" not in log.getvalue() + reply.text
    assert "canary" not in log.getvalue()


def test_what_others_sent_forges_no_line() -> None:
    record = logging.LogRecord("x", logging.ERROR, "", 0, "a\nERROR b\x1b[1m\u2028c", (), None)

    line = TextFormatter().format(record)

    assert line.endswith(r"ERROR x a\nERROR b\x1b[1m\u2028c")


def test_every_reply_has_an_id_also_a_refusal_before_any_route(web: Web) -> None:
    replies = [
        web.client.get("/"),
        web.client.get("/api/nothing"),
        web.client.get("/api/health", headers={"Host": "evil.test"}),
        web.client.post("/api/logout", headers={"Origin": "https://evil.test"}),
    ]

    assert [reply.status_code for reply in replies] == [200, 404, 421, 403]
    assert len({reply.headers["x-request-id"] for reply in replies}) == 4
