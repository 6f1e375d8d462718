"""When a client gets its status, on the bytes that are sent: as soon as something is known."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Self

import httpx2
import pytest

from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from tests.gateway.asking import CLAUDE, LOCAL, SEARCH, Asked, sent_events
from tests.gateway.told_model import START, ToldModel

PATHS = ("/messages", "/chat/completions", "/responses")
STARTS = {
    "/messages": ["message_start"],
    "/chat/completions": [""],
    "/responses": ["response.created", "response.in_progress"],
}
ENDS = {
    "/messages": ["error"],
    "/chat/completions": ["", ""],
    "/responses": ["error", "response.failed"],
}
SEARCHING: dict[str, Json] = {
    "/messages": {"tools": [SEARCH]},
    "/chat/completions": {"web_search_options": {}},
    "/responses": {"tools": [{"type": "web_search"}]},
}
BEGUN = {
    "/messages": "content_block_start",
    "/chat/completions": "",
    "/responses": "response.output_item.added",
}
LONG = 60.0
"""Longer than any test waits: the status does not come for that."""
OVERLOADED: Json = {"type": "error", "error": {"type": "overloaded_error", "message": "Too much."}}


def _body(gateway: Asked, path: str, **fields: Json) -> Json:
    make = {"/messages": gateway.messages, "/chat/completions": gateway.chat}
    return make.get(path, gateway.responses)(**{"model": CLAUDE, "stream": True, **fields})


@pytest.fixture
def model() -> Iterator[ToldModel]:
    with ToldModel() as told:
        yield told


@pytest.fixture
def patient(sandbox: SandboxServer, tmp_path: Path, model: ToldModel) -> Iterator[Asked]:
    """Return a gateway over the told model, whose statuses wait as long as may be."""
    with _over(sandbox, tmp_path, model, status_seconds=LONG) as asked:
        yield asked


def _over(sandbox: SandboxServer, folder: Path, model: ToldModel, **gateway: Json) -> Asked:
    tables: Json = {"gateway": {"keep_alive_seconds": LONG, **gateway}}
    return Asked(sandbox, folder, addresses={"anthropic": model.url}, **tables)


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDWIRE_HOME", str(tmp_path))


@pytest.mark.parametrize("path", PATHS)
def test_a_refusal_is_the_status_however_the_request_was_trimmed(
    patient: Asked, model: ToldModel, path: str
) -> None:
    # What the model does not take is left out with a remark, before it is asked.
    fields: dict[str, Json] = {"/responses": {"reasoning": {"effort": "low"}}}
    body = _body(patient, path, **fields.get(path, {}), temperature=0.5)
    body["model"] = "anthropic/claude-haiku-9-unheard-of"
    model.refuse(529, "overloaded_error")

    reply = patient.post(path, body)

    assert reply.status_code == (529 if path == "/messages" else 503)


@pytest.mark.parametrize("path", PATHS)
def test_the_status_comes_when_the_model_begins_to_answer(
    patient: Asked, model: ToldModel, path: str
) -> None:
    with _asking(patient, path) as asking:
        assert model.asked.acquire(timeout=LONG)
        assert not asking.has_status.is_set()
        model.begin()
        model.say(START)

        names = [asking.next_name() for _ in STARTS[path]]
        assert names == STARTS[path]
        model.say(OVERLOADED)
        model.end()
        assert asking.rest() == ENDS[path]


@pytest.mark.parametrize("path", PATHS)
def test_an_error_in_place_of_an_answer_is_the_status_although_the_model_said_200(
    patient: Asked, model: ToldModel, path: str
) -> None:
    model.begin()
    model.say(OVERLOADED)

    reply = patient.post(path, _body(patient, path))

    assert reply.status_code == (529 if path == "/messages" else 503)


@pytest.mark.parametrize("path", PATHS)
def test_the_status_comes_in_time_although_nothing_is_known(
    sandbox: SandboxServer, tmp_path: Path, model: ToldModel, path: str
) -> None:
    with (
        _over(sandbox, tmp_path, model, status_seconds=0.05, keep_alive_seconds=0.05) as asked,
        _asking(asked, path) as asking,
    ):
        names = [asking.next_name() for _ in STARTS[path]]
        assert names == STARTS[path]
        model.refuse(529, "overloaded_error")
        assert asking.rest()[-len(ENDS[path]) :] == ENDS[path]


@pytest.mark.parametrize("path", PATHS)
def test_the_status_comes_when_the_first_search_begins(
    sandbox: SandboxServer, tmp_path: Path, path: str
) -> None:
    tables: Json = {"gateway": {"status_seconds": LONG, "keep_alive_seconds": LONG}}
    with (
        Asked(sandbox, tmp_path, faults={"searxng": "silence;late"}, **tables) as asked,
        _asking(asked, path, model=LOCAL, **SEARCHING[path]) as asking,
    ):
        names = [asking.next_name() for _ in [*STARTS[path], ""]]
        assert names == [*STARTS[path], BEGUN[path]]
        assert asked.asked_upstream() == []


class _Asking:
    """A client that reads its stream in a thread, so that a test can tell the model meanwhile."""

    def __init__(self, asked: Asked, path: str, fields: Json) -> None:
        self.has_status = threading.Event()
        self._asked, self._path = asked, path
        self._body = _body(asked, path, **fields)
        self._reply: httpx2.Response | None = None
        self._thread = threading.Thread(target=self._ask, name="asking")

    def __enter__(self) -> Self:
        self._client = httpx2.Client(base_url=self._asked.url, timeout=LONG)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        if self._reply is not None:
            self._reply.close()
        self._client.close()
        self._thread.join()

    def next_name(self) -> str:
        """Return the name of the next event, once there is one."""
        assert self.has_status.wait(LONG)
        assert self._reply is not None
        assert self._reply.status_code == 200
        return next(self._events).name

    def rest(self) -> list[str]:
        """Return the names of all other events."""
        return [event.name for event in self._events]

    def _ask(self) -> None:
        url = f"/v1{self._path}"
        request = self._client.build_request("POST", url, content=json.dumps(self._body))
        self._reply = self._client.send(request, stream=True)
        self._events = sent_events(self._reply)
        self.has_status.set()


def _asking(asked: Asked, path: str, **fields: Json) -> _Asking:
    return _Asking(asked, path, fields)
