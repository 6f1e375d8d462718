"""Asks a server over HTTP as a page does, and remembers all that it was told."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

import aiohttp

from groundwire.model import Json
from torture.report import expect

CANARY = "canary_Xq7v-2Lw9.Zr4"  # No shape of a key that anyone knows, so nothing hides it by luck.
OTTERS = "How do sea otters sleep?"
LONG = "Tell me of otters at length"
SCRIPTS = "Umlaute, 新幹線 and emoji"
PATIENCE_SECONDS = 500.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One event of a stream."""

    id: int
    type: str
    data: Json


@dataclass(slots=True, kw_only=True)
class Told:
    """One turn as its reader heard it; it grows while it is read.

    `refusal` is what the server answered instead of a stream. A turn that was deleted, or that the
    server said it could not keep, is not looked for afterwards.
    """

    question: str
    status: int = 0
    refusal: Json = None
    retry_after: str = ""
    events: list[Event] = field(default_factory=list)
    is_deleted: bool = False

    @property
    def started(self) -> Json:
        """Return the data of the first event."""
        expect(self.events, f"no events came: HTTP {self.status} {self.refusal}")
        return self.events[0].data

    @property
    def message(self) -> Json:
        """Return the answer as the last event has it."""
        kinds = [event.type for event in self.events[-3:]]
        expect(kinds[-1:] == ["done"], f"the stream ended with {kinds} HTTP {self.status}")
        return self.events[-1].data["message"]

    @property
    def is_done(self) -> bool:
        """Return whether the last event came."""
        return bool(self.events) and self.events[-1].type == "done"

    @property
    def text(self) -> str:
        """Return the text as it was shown, without markers."""
        return "".join(event.data["text"] for event in self.events if event.type == "text")

    def codes(self, kind: str) -> list[str]:
        """Return the codes of all errors or warnings."""
        return [event.data["code"] for event in self.events if event.type == kind]

    @property
    def is_acknowledged(self) -> bool:
        """Return whether the server let its reader believe that the turn is kept."""
        return (
            bool(self.events) and not self.is_deleted and "not_saved" not in self.codes("warning")
        )


class Asker:
    """One client of one server; `turns` are all that were begun, `leaks` where a key showed."""

    def __init__(self, url: str, turns: list[Told]) -> None:
        self.url = url
        self.turns = turns
        self.leaks: list[str] = []
        self._client = aiohttp.ClientSession(
            connector=aiohttp.TCPConnector(limit=0, force_close=True),
            timeout=aiohttp.ClientTimeout(total=PATIENCE_SECONDS),
        )

    async def close(self) -> None:
        """Close every connection."""
        await self._client.close()

    async def ask(self, text: str = OTTERS, **body: Json) -> Told:
        """Send a message and read its answer to the end."""
        async with self.asking(text, **body) as (told, events):
            async for _ in events:
                pass
        return told

    @asynccontextmanager
    async def asking(
        self, text: str = OTTERS, **body: Json
    ) -> AsyncIterator[tuple[Told, AsyncIterator[Event]]]:
        """Send a message and give its events as they come; leaving closes the connection."""
        told = Told(question=text)
        agent = body.pop("agent", "assistant")
        path = f"/api/agents/{agent}/message"
        sent = {"text": text, "provider_id": "anthropic", **body}
        async with self._client.post(self.url + path, json=sent) as reply:
            told.status = reply.status
            told.retry_after = reply.headers.get("Retry-After", "")
            if reply.status != 200:
                told.refusal = json.loads(self._seen(path, await reply.read()))
            else:
                self.turns.append(told)
            yield told, self._events(reply, told)

    async def resume(
        self, message_id: str, after: int, *, most: int = 0, by_header: bool = True
    ) -> list[Event]:
        """Return the events of a turn after one of them; with `most`, leave after so many."""
        told = Told(question="")
        path = f"/api/messages/{message_id}/events"
        headers = {"Last-Event-ID": str(after)} if by_header else {}
        query = {} if by_header else {"after": str(after)}
        async with self._client.get(self.url + path, headers=headers, params=query) as reply:
            if reply.status == 200:
                async for _ in self._events(reply, told):
                    if len(told.events) == most:
                        break
        return told.events

    async def call(self, method: str, path: str, body: Json = None) -> tuple[int, Json]:
        """Call a route, and return its status and its JSON, or its text if it is no JSON."""
        given = {} if body is None else {"json": body}
        async with self._client.request(method, self.url + path, **given) as reply:
            raw = self._seen(path, await reply.read())
            if reply.content_type != "application/json":
                return reply.status, raw.decode("utf-8", "replace")
            return reply.status, json.loads(raw)

    async def get(self, path: str) -> Json:
        """Return what a route answers.

        Raises:
            BrokenPromiseError: It answers with a failure.
        """
        status, found = await self.call("GET", path)
        expect(status == 200, f"{path} answers {status}: {str(found)[:200]}")
        return found

    async def add_provider(self, kind: str, base_url: str) -> str:
        """Configure a provider with a key of its own, and return its id."""
        name = f"{kind} {len(self.turns)} {id(base_url)} {asyncio.get_running_loop().time()}"
        body = {"name": name, "type": kind, "base_url": base_url}
        status, made = await self.call("POST", "/api/providers", body)
        expect(status == 201, f"a provider was not added: {made}")
        status, said = await self.call("PUT", f"/api/providers/{made['id']}/key", {"key": CANARY})
        expect(status == 204, f"a key was not taken: {said}")
        return str(made["id"])

    async def stop(self, told: Told) -> int:
        """Stop a turn."""
        path = f"/api/messages/{told.started['message_id']}/stop"
        return (await self.call("POST", path, {}))[0]

    async def _events(self, reply: aiohttp.ClientResponse, told: Told) -> AsyncIterator[Event]:
        if reply.status != 200:
            return
        rest = b""
        async for piece in reply.content.iter_any():
            *whole, rest = (rest + piece).split(b"\n\n")
            for raw in whole:
                self._seen("a stream", raw)
                if not raw.startswith(b":"):
                    told.events.append(_event(raw))
                    yield told.events[-1]

    def _seen(self, where: str, raw: bytes) -> bytes:
        if CANARY.encode() in raw:
            self.leaks.append(where)
        return raw


def _event(raw: bytes) -> Event:
    fields = dict(line.split(": ", 1) for line in raw.decode().splitlines())
    expect([*fields] == ["id", "event", "data"], f"this is no event of ours: {raw[:200]!r}")
    return Event(id=int(fields["id"]), type=fields["event"], data=json.loads(fields["data"]))
