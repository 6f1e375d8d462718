"""A request that comes again within two minutes: its finished searches are not made again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from groundwire.gateway import repeats
from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from tests.gateway.asking import LOCAL, SEARCH, Asked

SEARCHING: dict[str, Json] = {
    "/messages": {"tools": [SEARCH]},
    "/chat/completions": {"web_search_options": {}},
    "/responses": {"tools": [{"type": "web_search"}]},
}
REPEATS = 30
"""So often Codex asks for one turn."""


def _searches(gateway: Asked) -> int:
    return len([each for each in gateway.sandbox.requests if "searxng" in each.path])


def _body(gateway: Asked, path: str, **fields: Json) -> Json:
    make = {"/messages": gateway.messages, "/chat/completions": gateway.chat}
    return make.get(path, gateway.responses)(**{"model": LOCAL, **SEARCHING[path], **fields})


@pytest.fixture
def failing(sandbox: SandboxServer, tmp_path: Path) -> Iterator[Asked]:
    """Return a gateway whose model fails after every search."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GROUNDWIRE_HOME", str(tmp_path))
        with Asked(sandbox, tmp_path, faults={"openai": "server_error"}) as asked:
            yield asked


@pytest.mark.parametrize("path", SEARCHING)
def test_a_turn_that_fails_thirty_times_searches_once(failing: Asked, path: str) -> None:
    body = _body(failing, path)
    for number in range(REPEATS):
        # Claude Code asks once more without a stream.
        reply = failing.post(path, {**body, "stream": number % 2 == 0})
        assert reply.status_code in (200, 503, 529)
        assert "error" in reply.text

    assert _searches(failing) == 1


def test_another_request_searches_for_itself(gateway: Asked) -> None:
    body = gateway.chat(web_search_options={}, user="repeated")
    before = _searches(gateway)

    first = gateway.post("/chat/completions", body)
    again = gateway.post("/chat/completions", {**body, "stream": False})
    other = gateway.post("/chat/completions", {**body, "user": "somebody else"})

    assert first.status_code == again.status_code == other.status_code == 200
    assert _searches(gateway) - before == 2
    annotations = [
        reply.json()["choices"][0]["message"]["annotations"] for reply in (first, again, other)
    ]
    assert annotations[0] == annotations[1] == annotations[2]
    assert len(annotations[0]) == 2


def test_what_another_guest_searched_for_is_not_known() -> None:
    body = {"model": "m"}

    assert repeats.digest_of("anna", body) != repeats.digest_of("otto", body)


def test_what_was_searched_for_is_forgotten() -> None:
    moment = [0.0]
    kept = repeats.Repeats(clock=lambda: moment[0])
    outputs = kept.outputs("a")

    moment[0] = repeats.SECONDS - 1
    assert kept.outputs("a") is outputs
    moment[0] += repeats.SECONDS + 1
    assert kept.outputs("a") is not outputs
