"""Many clients at once: every stream is whole, in its dialect, and nobody's but its own."""

from __future__ import annotations

import asyncio
from pathlib import Path

import httpx2
import pytest

from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from tests.gateway.asking import CLAUDE, LOCAL, SEARCH, Asked, SentEvent, sent_events

FEW, MANY = 45, 500
PATHS = ("/messages", "/chat/completions", "/responses")
LAST = {"/messages": "message_stop", "/chat/completions": "", "/responses": "response.completed"}


@pytest.mark.parametrize("count", [FEW, pytest.param(MANY, marks=pytest.mark.slow)])
def test_streams_at_once_are_whole_and_their_own(
    sandbox: SandboxServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, count: int
) -> None:
    monkeypatch.setenv("GROUNDWIRE_HOME", str(tmp_path))
    with Asked(sandbox, tmp_path) as asked:
        texts = asyncio.run(_asked(asked, count))

    assert len(texts) == count
    for number, events in enumerate(texts):
        path = PATHS[number % 3]
        assert events[-1].name == LAST[path]
        if path == "/chat/completions":
            assert events[-1].raw == "data: [DONE]"
        said = "".join(_text(path, event.data) for event in events)
        assert f"number {number} " in said or "wiki.example.net" in said
        others = [other for other in range(count) if f"number {other} " in said]
        assert others in ([], [number])


def _text(path: str, data: Json) -> str:
    if not isinstance(data, dict):
        return ""
    if path == "/chat/completions":
        return "".join(choice["delta"].get("content") or "" for choice in data["choices"])
    delta = data.get("delta")
    return str(delta.get("text", "") if isinstance(delta, dict) else delta or "")


async def _asked(asked: Asked, count: int) -> list[list[SentEvent]]:
    limits = httpx2.Limits(max_connections=None)
    timeout = httpx2.Timeout(300)
    async with httpx2.AsyncClient(base_url=asked.url, timeout=timeout, limits=limits) as client:

        async def one(number: int) -> list[SentEvent]:
            path = PATHS[number % 3]
            while True:
                async with client.stream("POST", f"/v1{path}", json=_body(asked, number)) as reply:
                    await reply.aread()
                # A busy machine may refuse some, and says so in each dialect: nothing is lost.
                if reply.status_code not in (503, 529):
                    break
                assert b"busy" in reply.content
                await asyncio.sleep(1)
            assert reply.status_code == 200, reply.content
            return [*sent_events(httpx2.Response(200, content=reply.content))]

        return await asyncio.gather(*map(one, range(count)))


def _body(asked: Asked, number: int) -> Json:
    """Return a request: every other one is for a model that searches, or is searched for."""
    path, text = PATHS[number % 3], f"Tell me of number {number} of the sea otters"
    make = {"/messages": asked.messages, "/chat/completions": asked.chat}
    field = "input" if path == "/responses" else "messages"
    said: Json = text if path == "/responses" else [{"role": "user", "content": text}]
    fields: Json = {"model": (CLAUDE, LOCAL)[number % 2], "stream": True, field: said}
    if path == "/messages" and number % 4 == 0:
        fields["tools"] = [SEARCH]
    return make.get(path, asked.responses)(**fields)
