"""Valid bodies, changed by chance: an answer or 400 in the dialect, and nothing else.

A few hundred in every run, more as `tests/fuzz_budget.py` says.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator

import httpx2
import orjson
import pytest

from groundwire.model import Json
from tests.fuzz_budget import budget, seed
from tests.gateway.asking import CLAUDE, LOCAL, Asked
from tests.gateway.mutation import damaged, mutated
from tests.gateway.test_requests import CHAT, MESSAGES, RESPONSES
from tests.gateway.test_strange_bodies import BODIES

pytestmark = pytest.mark.fuzz
COUNT = budget(150)
SEED = seed(26)
MODELS = (LOCAL, CLAUDE, f"{LOCAL}:search", "gemini/gemini-3.8-flash", "openai-responses/gpt-5.5")
ENDS = {
    "/messages": (b"event: message_stop\n", b"event: error\n"),
    "/chat/completions": (b"data: [DONE]\n",),
    "/responses": tuple(
        b"event: response.%s\n" % how for how in (b"completed", b"incomplete", b"failed")
    ),
}


def _valid(gateway: Asked, path: str) -> list[Json]:
    """Return bodies of a dialect that are answered."""
    shapes = {"/messages": MESSAGES, "/chat/completions": CHAT}.get(path, RESPONSES)
    make = {"/messages": gateway.messages, "/chat/completions": gateway.chat}
    build = make.get(path, gateway.responses)
    return [BODIES[path], *(build(**fields) for fields in shapes.values())]


def _bodies(gateway: Asked, path: str, chance: random.Random) -> Iterator[bytes]:
    valid = _valid(gateway, path)
    for number in range(COUNT):
        body = {**chance.choice(valid), "model": chance.choice(MODELS)}
        body["stream"] = number % 2 == 0
        if number % 5 == 0:
            yield damaged(body, chance)
        else:
            yield json.dumps(mutated(body, chance)).encode()


def _fault(path: str, reply: httpx2.Response) -> str:
    """Return what is wrong with a reply, "" if nothing is."""
    if reply.status_code == 200:
        if not reply.headers["content-type"].startswith("text/event-stream"):
            return "" if isinstance(orjson.loads(reply.content), dict) else "no object"
        last = reply.content.rpartition(b"\n\n")[0].rpartition(b"\n\n")[2] + b"\n"
        return "" if last.startswith(ENDS[path]) else f"ends with {last[:100]!r}"
    if reply.status_code not in (400, 404):
        return f"status {reply.status_code}"
    error = reply.json()
    if (error.get("type") == "error") is not (path == "/messages"):
        return "another dialect"
    if not error["error"]["message"] or reply.headers["x-should-retry"] != "false":
        return "an error that says too little"
    return ""


@pytest.mark.parametrize("path", BODIES)
def test_whatever_is_changed_there_is_an_answer_or_400(gateway: Asked, path: str) -> None:
    chance = random.Random(SEED)
    wrong = []
    statuses: dict[int, int] = {}
    for body in _bodies(gateway, path, chance):
        reply = gateway.client.post(f"/v1{path}", content=body)
        statuses[reply.status_code] = statuses.get(reply.status_code, 0) + 1
        if fault := _fault(path, reply):
            wrong.append((fault, body[:3_000], reply.text[:300]))

    assert wrong == [], f"seed {SEED}"
    # Both happen, so that it is known that both were looked at.
    assert {*statuses} >= {200, 400}


def test_tokens_are_counted_or_refused_whatever_is_changed(gateway: Asked) -> None:
    chance = random.Random(SEED)
    for body in _bodies(gateway, "/messages", chance):
        reply = gateway.client.post("/v1/messages/count_tokens", content=body)

        assert reply.status_code in (200, 400), body
        assert "input_tokens" in reply.json() or reply.json()["type"] == "error"
