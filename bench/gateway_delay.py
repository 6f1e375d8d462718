"""How far a reader of the gateway is behind the provider, in sentences of the provider's.

The provider is played in this process, so that it is known what had been sent when words arrive:
one event every 20 ms, each after the last one was on its way.
"""

from __future__ import annotations

import asyncio
import json
import re
from dataclasses import dataclass, field
from typing import Any

import aiohttp

from bench.gateway_requests import DIALECTS
from bench.model_streams import PACE_SECONDS, stream
from bench.relay import process
from groundwire.text.sentences import sentences

# What the gateway writes into the text: a marker, as a link.
_MARKER = re.compile(r"\[\d+\]\([^)\s]*\)")


@dataclass(slots=True)
class Upstream:
    """A provider that says what it has said. Everything it sends is text of one answer."""

    said: str = ""
    _requests: int = 0
    _events: list[tuple[bytes, str]] = field(default_factory=list)

    def prepare(self) -> None:
        """Have the events of an answer ready, each with its words."""
        self._events = [(event, _words(event)) for event in stream("anthropic", "paced").events]

    async def handle(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Answer one request."""
        head = (await reader.readuntil(b"\r\n\r\n")).lower()
        size = head.partition(b"content-length:")[2].partition(b"\r\n")[0]
        await reader.readexactly(int(size or 0))
        self.said = ""
        self._requests += 1
        number = self._requests
        writer.write(
            b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
            b"Connection: close\r\nTransfer-Encoding: chunked\r\n\r\n"
        )
        for event, words in self._events:
            await asyncio.sleep(PACE_SECONDS)
            if number != self._requests:
                writer.close()  # Whoever asked for this one has left.
                return
            writer.write(b"%x\r\n%b\r\n" % (len(event), event))
            self.said += words
        writer.write(b"0\r\n\r\n")
        await writer.drain()
        writer.close()


def _words(event: bytes) -> str:
    data = json.loads(event.decode().partition("data: ")[2])
    return str(data.get("delta", {}).get("text", ""))


def delays() -> dict[str, Any]:
    """Return what each dialect's reader sees of a provider that sends one event every 20 ms."""
    return asyncio.run(_delays())


async def _delays() -> dict[str, Any]:
    upstream = Upstream()
    upstream.prepare()
    server = await asyncio.start_server(upstream.handle, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    found = {}
    with process("bench.gateway_servers", f"http://127.0.0.1:{port}") as (_, said):
        async with aiohttp.ClientSession(base_url=said["url"]) as client:
            for name, (path, body) in DIALECTS.items():
                await _first_words(client, path, body)
                found[name] = await _followed(client, path, body, upstream)
    server.close()
    return found


async def _first_words(client: aiohttp.ClientSession, path: str, body: dict[str, Any]) -> None:
    """Ask and leave: imports and caches are not what is measured."""
    async with client.post(path, json=body) as reply:
        async for line in reply.content:
            if _text_of(line):
                return


async def _followed(
    client: aiohttp.ClientSession, path: str, body: dict[str, Any], upstream: Upstream
) -> dict[str, Any]:
    shown, behind = "", []
    async with client.post(path, json=body) as reply:
        assert reply.status == 200, await reply.text()
        async for line in reply.content:
            before = len(_MARKER.sub("", shown))
            text = _text_of(line)
            shown += text
            if _MARKER.sub("", text).strip():
                behind.append(_ended(upstream.said, before))
    return {"first_sentences": behind[0], "most_sentences": max(behind)}


def _ended(said: str, start: int) -> int:
    """Return how many sentences of what was said were over beyond a place."""
    # The last one may go on.
    return len([each for each in sentences(said, 0, len(said)) if each.end > start]) - 1


def _text_of(line: bytes) -> str:
    if not line.startswith(b"data: {"):
        return ""
    data = json.loads(line[6:])
    if data.get("type") == "response.output_text.delta":
        return str(data["delta"])
    if choices := data.get("choices"):
        return str(choices[0]["delta"].get("content") or "")
    delta = data.get("delta")
    return str(delta.get("text", "")) if isinstance(delta, dict) else ""
