"""What goes wrong, before and after the first byte, in each dialect, on the bytes that are sent."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from groundwire.web import Options
from tests.gateway.asking import CLAUDE, Asked

PATHS = ("/messages", "/chat/completions", "/responses")


def _body(gateway: Asked, path: str, **fields: Json) -> Json:
    make = {"/messages": gateway.messages, "/chat/completions": gateway.chat}
    return make.get(path, gateway.responses)(**{"model": CLAUDE, **fields})


@pytest.fixture
def broken(
    request: pytest.FixtureRequest, sandbox: SandboxServer, tmp_path: Path
) -> Iterator[Asked]:
    """Return a gateway whose Claude has a fault, which the test names."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GROUNDWIRE_HOME", str(tmp_path))
        with Asked(sandbox, tmp_path, faults={"anthropic": request.param}) as asked:
            yield asked


def _message_of(path: str, body: Json) -> str:
    error = body["error"]
    if path == "/messages":
        assert body["type"] == "error"
        assert set(error) == {"type", "message"}
        assert body["request_id"]
    else:
        assert set(error) == {"message", "type", "param", "code"}
    return str(error["message"])


@pytest.mark.parametrize("broken", ["overloaded"], indirect=True)
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("streams", [False, True])
def test_an_overloaded_upstream_is_told_by_its_status(
    broken: Asked, path: str, streams: bool
) -> None:
    reply = broken.post(path, {**_body(broken, path), "stream": streams})

    assert reply.status_code == (529 if path == "/messages" else 503)
    assert reply.headers["x-should-retry"] == "true"
    assert "Anthropic" in _message_of(path, reply.json()) or "anthropic" in reply.text


@pytest.mark.parametrize("broken", ["rate_limit"], indirect=True)
@pytest.mark.parametrize("path", PATHS)
def test_a_rate_limit_says_when_to_return(broken: Asked, path: str) -> None:
    reply = broken.post(path, _body(broken, path))

    assert reply.status_code == 429
    assert int(reply.headers["retry-after"]) >= 1
    assert reply.headers["x-should-retry"] == "true"
    _message_of(path, reply.json())


@pytest.mark.parametrize("broken", ["unauthorized"], indirect=True)
@pytest.mark.parametrize("path", PATHS)
def test_a_wrong_upstream_key_is_permanent(broken: Asked, path: str) -> None:
    reply = broken.post(path, _body(broken, path))

    assert reply.status_code == 403
    assert reply.headers["x-should-retry"] == "false"
    _message_of(path, reply.json())


@pytest.mark.parametrize("broken", ["context_too_long"], indirect=True)
@pytest.mark.parametrize("path", PATHS)
@pytest.mark.parametrize("streams", [False, True])
def test_more_than_a_model_can_read_is_told_in_the_words_that_clients_look_for(
    broken: Asked, path: str, streams: bool
) -> None:
    reply = broken.post(path, {**_body(broken, path), "stream": streams})

    assert reply.status_code == 400
    assert reply.headers["x-should-retry"] == "false"
    message = _message_of(path, reply.json())
    if path == "/messages":
        assert message.startswith("prompt is too long: ")
    else:
        assert reply.json()["error"]["code"] == "context_length_exceeded"


@pytest.mark.parametrize("path", PATHS)
def test_a_wrong_request_is_400_and_not_to_be_repeated(gateway: Asked, path: str) -> None:
    reply = gateway.post(path, _body(gateway, path, model="nobody/knows"))

    assert reply.status_code == 400
    assert reply.headers["x-should-retry"] == "false"
    assert "nobody/knows" in _message_of(path, reply.json())
    assert reply.headers["request-id"] == reply.headers["x-request-id"]


@pytest.mark.parametrize("broken", ["cut_in_event;after=6"], indirect=True)
def test_messages_that_break_off_end_with_an_error_event(broken: Asked) -> None:
    events = broken.sse("/messages", _body(broken, "/messages"))

    assert events[-1].name == "error"
    assert events[-1].data["type"] == "error"
    assert events[-1].data["error"]["type"] == "overloaded_error"
    assert not [event for event in events if event.name == "message_stop"]


@pytest.mark.parametrize("broken", ["cut_in_event;after=6"], indirect=True)
def test_chat_that_breaks_off_ends_with_an_error_and_the_end_marker(broken: Asked) -> None:
    events = broken.sse("/chat/completions", _body(broken, "/chat/completions"))

    assert set(events[-2].data) == {"error"}
    assert set(events[-2].data["error"]) == {"message", "type", "param", "code"}
    assert events[-1].raw == "data: [DONE]"
    assert not [e for e in events if isinstance(e.data, dict) and _reason(e.data)]


def _reason(chunk: Json) -> str | None:
    choices = chunk.get("choices") or [{}]
    found: str | None = choices[0].get("finish_reason")
    return found


@pytest.mark.parametrize("broken", ["cut_in_event;after=6"], indirect=True)
def test_responses_that_break_off_fail_in_both_forms(broken: Asked) -> None:
    events = broken.sse("/responses", _body(broken, "/responses"))

    assert [event.name for event in events[-2:]] == ["error", "response.failed"]
    assert events[-2].data["error"]["message"]
    failed = events[-1].data["response"]
    assert failed["status"] == "failed"
    assert failed["error"] == {
        "code": events[-2].data["error"]["code"],
        "message": events[-2].data["error"]["message"],
    }
    assert failed["error"]["code"] == "server_error"


@pytest.mark.parametrize("broken", ["cut_in_event;after=6"], indirect=True)
@pytest.mark.parametrize("path", PATHS)
def test_a_whole_reply_that_breaks_off_is_a_failure(broken: Asked, path: str) -> None:
    reply = broken.post(path, _body(broken, path))

    assert reply.status_code in (503, 529)
    _message_of(path, reply.json())


@pytest.fixture
def full(sandbox: SandboxServer, tmp_path: Path) -> Iterator[Asked]:
    """Return a gateway that makes one answer at a time, with a Claude that never ends."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GROUNDWIRE_HOME", str(tmp_path))
        options = Options(max_answers=1)
        faults = {"anthropic": "silence;after=3"}
        with Asked(sandbox, tmp_path, faults=faults, options=options) as asked:
            yield asked


@pytest.mark.parametrize("path", PATHS)
def test_too_many_at_once_are_told_when_to_return(full: Asked, path: str) -> None:
    with full.streaming("/messages", full.messages()) as events:
        next(events)
        reply = full.new_client().post(f"/v1{path}", json=_body(full, path))

    assert reply.status_code == (529 if path == "/messages" else 503)
    assert (reply.headers["retry-after"], reply.headers["x-should-retry"]) == ("5", "true")
    assert "Too many answers" in _message_of(path, reply.json())


def test_an_unknown_route_is_404_in_the_dialect_of_the_headers(gateway: Asked) -> None:
    plain = gateway.client.get("/v1/files")
    anthropic = gateway.client.get("/v1/files", headers={"anthropic-version": "2023-06-01"})

    assert plain.status_code == anthropic.status_code == 404
    assert plain.json()["error"]["code"] == "not_found"
    assert anthropic.json()["error"]["type"] == "not_found_error"


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b"3", b'{"model": 3}', b'{"messages": {}}', b"[" * 100_000]
)
@pytest.mark.parametrize("path", PATHS)
def test_strange_bodies_are_400_in_the_dialect(gateway: Asked, path: str, body: bytes) -> None:
    reply = gateway.client.post(f"/v1{path}", content=body)

    assert reply.status_code == 400
    assert reply.headers["x-should-retry"] == "false"
    _message_of(path, reply.json())


@pytest.mark.parametrize("broken", ["silence;after=3"], indirect=True)
@pytest.mark.parametrize("path", PATHS)
def test_a_client_that_leaves_ends_the_upstream_request(broken: Asked, path: str) -> None:
    with broken.streaming(path, _body(broken, path)) as events:
        next(events)

    assert broken.sandbox.wait_for_end(0).ended == "closed by the client"


@pytest.fixture
def silent(sandbox: SandboxServer, tmp_path: Path) -> Iterator[Asked]:
    """Return a gateway with a Claude that falls silent, and keep-alives in quick succession."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GROUNDWIRE_HOME", str(tmp_path))
        tables: Json = {"gateway": {"keep_alive_seconds": 0.05, "status_seconds": 0.05}}
        with Asked(sandbox, tmp_path, faults={"anthropic": "silence;after=1"}, **tables) as asked:
            yield asked


_SIGNS = {
    "/messages": ("ping", {"type": "ping"}),
    "/chat/completions": ("", None),
}


@pytest.mark.parametrize("path", PATHS)
def test_silence_is_broken_by_what_each_client_counts(silent: Asked, path: str) -> None:
    signs = []
    with silent.streaming(path, _body(silent, path)) as events:
        for event in events:
            if event.name == "ping" or event.data is None or event.name == "response.in_progress":
                signs.append(event)
            if len(signs) == 4:
                break

    if path == "/responses":
        numbers = [sign.data["sequence_number"] for sign in signs]
        assert numbers == sorted(set(numbers))
    else:
        assert {(sign.name, str(sign.data)) for sign in signs} == {
            (_SIGNS[path][0], str(_SIGNS[path][1]))
        }


def test_a_stream_that_waits_begins_with_its_start(silent: Asked) -> None:
    with silent.streaming("/messages", silent.messages()) as events:
        first = next(events)

    assert first.name == "message_start"
    assert first.data["message"]["content"] == []


@pytest.mark.parametrize("path", PATHS)
def test_the_headers_of_a_stream(gateway: Asked, path: str) -> None:
    body = _body(gateway, path, stream=True)
    headers = {"accept-encoding": "gzip, br, zstd"}
    with gateway.client.stream("POST", f"/v1{path}", json=body, headers=headers) as reply:
        reply.read()

    assert reply.headers["content-type"].startswith("text/event-stream")
    assert reply.headers["cache-control"] == "no-cache, no-transform"
    assert reply.headers["x-accel-buffering"] == "no"
    assert "content-encoding" not in reply.headers
    assert reply.headers["request-id"] == reply.headers["x-request-id"]
