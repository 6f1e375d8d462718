"""A server that is told to stop: what becomes of replies that are not at their end."""

from __future__ import annotations

import logging
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from groundwire.sandbox import SandboxServer
from tests.gateway.asking import CLAUDE
from tests.patience import PATIENCE, wait_until
from tests.web.server import HANGING, Web, events_of, until
from tests.web.test_serve import environment, serving

BODY = {
    "model": CLAUDE,
    "max_tokens": 100,
    "messages": [{"role": "user", "content": "Otters?"}],
}


@contextmanager
def stopping(web: Web) -> Iterator[None]:
    """Have a server end meanwhile."""
    thread = threading.Thread(target=web.stop)
    thread.start()
    yield
    thread.join()


def test_a_reply_that_is_cut_off_by_the_end_writes_no_traceback(
    sandbox: SandboxServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        Web(sandbox, tmp_path, faults=HANGING) as web,
        web.client.stream("POST", "/v1/messages", json={**BODY, "stream": True}) as reply,
    ):
        pieces = reply.iter_bytes()
        next(pieces)
        with stopping(web), pytest.raises(httpx2.RemoteProtocolError):
            list(pieces)

    assert [record for record in caplog.records if record.exc_info] == []


def test_a_request_that_the_end_overtakes_is_told_to_ask_elsewhere(
    sandbox: SandboxServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with Web(sandbox, tmp_path, faults=HANGING) as web:
        replies: list[httpx2.Response] = []
        asking = threading.Thread(
            target=lambda: replies.append(web.client.post("/v1/messages", json=BODY))
        )
        asking.start()
        wait_until(lambda: sandbox.requests)
        with stopping(web):
            asking.join()

    assert (replies[0].status_code, replies[0].headers["Retry-After"]) == (503, "2")
    assert replies[0].json()["error"]["code"] == "stopping"
    assert [record for record in caplog.records if record.exc_info] == []


def test_whoever_waits_for_the_end_of_another_server_s_answer_is_let_go(
    sandbox: SandboxServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with (
        Web(sandbox, tmp_path, faults=HANGING) as one,
        Web(sandbox, tmp_path) as other,
        one.asking() as events,
    ):
        message_id = until(events, "text")[0].data["message_id"]
        path = f"/api/messages/{message_id}/events"
        with other.client.stream("GET", path) as reply, stopping(other):
            heard = list(events_of(reply))

    assert (reply.status_code, heard) == (200, [])
    assert [record for record in caplog.records if record.levelno >= logging.ERROR] == []


def test_the_gateway_lets_its_answers_end_and_begins_no_more(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    with Web(sandbox, tmp_path, faults=HANGING) as web:
        with web.client.stream("POST", "/v1/messages", json={**BODY, "stream": True}) as reply:
            pieces = reply.iter_bytes()
            next(pieces)
            web._server.handle_exit(signal.SIGTERM, None)
            other = web.new_client()
            # The signal is seen within a moment.
            wait_until(lambda: other.get("/api/ready").status_code == 503)
            refused = other.post("/v1/messages", json=BODY)
            is_answering = web._thread.is_alive()
        web._thread.join()

    assert is_answering
    assert (refused.status_code, refused.headers["Retry-After"]) == (529, "2")
    assert "stopping" in refused.json()["error"]["message"]


def test_ctrl_c_pressed_twice_ends_it_at_once_and_writes_no_traceback(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    variables = environment(sandbox, tmp_path, "silence;after=3")
    with (
        serving(variables, tmp_path) as (process, url),
        httpx2.Client(base_url=url, timeout=PATIENCE) as client,
        client.stream("POST", "/v1/messages", json={**BODY, "stream": True}) as reply,
    ):
        pieces = reply.iter_bytes()
        next(pieces)
        process.send_signal(signal.SIGINT)
        wait_until(lambda: _is_closed(url))
        process.send_signal(signal.SIGINT)
        process.wait(PATIENCE)

    assert "Traceback" not in (tmp_path / "errors.txt").read_text()


def _is_closed(url: str) -> bool:
    try:
        httpx2.get(f"{url}/api/health", timeout=PATIENCE)
    except httpx2.TransportError:
        return True
    return False
