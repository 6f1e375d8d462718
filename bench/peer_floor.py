"""The least work that gives the text of an answer: one protocol, with no regard for anything else.

It removes the HTTP chunks, splits at blank lines, parses the JSON of each event and picks the
text. No timeouts, no errors, no limits, no events for anyone to read.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import orjson

from bench.chunks import unchunked
from bench.measurement import Answer, Read, main

Json: TypeAlias = Any
Pick: TypeAlias = Callable[[Json], str | None]


def _anthropic(data: Json) -> str | None:
    return data["delta"].get("text") if data["type"] == "content_block_delta" else None


def _openai_responses(data: Json) -> str | None:
    return data["delta"] if data["type"] == "response.output_text.delta" else None


def _openai(data: Json) -> str | None:
    return data["choices"][0]["delta"].get("content") if data["choices"] else None


def _gemini(data: Json) -> str | None:
    text: str = data["candidates"][0]["content"]["parts"][0]["text"]
    return text


class Floor(asyncio.Protocol):
    """Reads one stream to its end."""

    def __init__(self, path: str, pick: Pick, border: str, done: asyncio.Future[Answer]) -> None:
        self._path = path
        self._pick = pick
        self._border = border
        self._done = done
        self._head_is_over = False
        self._left = b""
        self._rest = ""
        self._texts: list[str] = []
        self._count = 0

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self._transport = transport
        head = f"POST {self._path} HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n"
        transport.write(head.encode() + b"{}")

    def data_received(self, data: bytes) -> None:
        data = self._left + data
        if not self._head_is_over:
            data = data.partition(b"\r\n\r\n")[2]
            self._head_is_over = True
        body, self._left, is_over = unchunked(data)
        self._split(body.decode())
        if is_over:
            self._transport.close()
            self._done.set_result(Answer(events=self._count, text="".join(self._texts)))

    def _split(self, text: str) -> None:
        *blocks, self._rest = (self._rest + text).split(self._border)
        for block in blocks:
            data = block.partition("data: ")[2]
            if data != "[DONE]" and (picked := self._pick(orjson.loads(data))):
                self._texts.append(picked)
        self._count += len(blocks)


@asynccontextmanager
async def reader(base: str, pick: Pick, border: str = "\n\n") -> AsyncIterator[Read]:
    loop = asyncio.get_running_loop()
    address = urlsplit(base)

    async def read() -> Answer:
        done: asyncio.Future[Answer] = loop.create_future()
        path = f"{address.path}/v1"
        await loop.create_connection(
            lambda: Floor(path, pick, border, done), "127.0.0.1", address.port or 80
        )
        return await done

    yield read


if __name__ == "__main__":
    main(
        {
            "anthropic": partial(reader, pick=_anthropic),
            "openai-responses": partial(reader, pick=_openai_responses),
            "openai": partial(reader, pick=_openai),
            "gemini": partial(reader, pick=_gemini, border="\r\n\r\n"),
        }
    )
