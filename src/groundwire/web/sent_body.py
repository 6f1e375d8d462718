"""What a client sends as a body: in memory while it is small, in a file from there on.

A slow sender of a large file then costs a file and no memory, and only one is parsed at a time.
"""

from __future__ import annotations

import asyncio
import mmap
import tempfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import IO

from starlette.exceptions import HTTPException

from groundwire.web.json_body import LargeBase64, ParsedJson, TooComplexError, parse_json

IN_MEMORY_BYTES = 1_000_000
ON_LOOP_BYTES = 32_768
MAX_FILES = 50
_HEAD_BYTES = 64


class BodySpace:
    """How many large bodies a process takes at once, and how many of them it parses at once."""

    def __init__(self) -> None:
        self.parsing = asyncio.Semaphore(1)
        self._files = 0

    @asynccontextmanager
    async def body(self, limit: int) -> AsyncIterator[SentBody]:
        """Give room for one body, and take it back."""
        sent = SentBody(self, limit)
        try:
            yield sent
        finally:
            self.remove_file(sent)
            sent.forget()

    def new_file(self) -> IO[bytes]:
        """Return a file that nobody else can find and that goes when it is closed.

        Raises:
            HTTPException: There are as many as there may be.
        """
        if self._files >= MAX_FILES:
            message = "too many large uploads at once: try again in 5 s"
            raise HTTPException(503, message, headers={"Retry-After": "5"})
        self._files += 1
        return tempfile.TemporaryFile(prefix="groundwire-", buffering=0)

    def remove_file(self, sent: SentBody) -> None:
        """Let go of the file of a body, if it has one."""
        if sent.file is not None:
            self._files -= 1
            sent.file.close()
            sent.file = None


class SentBody:
    """One body as it comes."""

    def __init__(self, space: BodySpace, limit: int) -> None:
        self.file: IO[bytes] | None = None
        self.size = 0
        self.head = b""
        self._space = space
        self._limit = limit
        self._rest = bytearray()
        self._large: tuple[LargeBase64, ...] = ()

    async def add(self, piece: bytes) -> None:
        """Take a piece.

        Raises:
            HTTPException: It is too much.
        """
        self.size += len(piece)
        if self.size > self._limit:
            raise too_large(self._limit)
        self._rest += piece
        if len(self.head) < _HEAD_BYTES:
            self.head = bytes(self._rest[:_HEAD_BYTES])
        if len(self._rest) > IN_MEMORY_BYTES:
            self.file = self.file or self._space.new_file()
            await self._write()

    async def json(self) -> object:
        """Return what it says; what is large is parsed in a thread.

        Raises:
            json.JSONDecodeError: It is no JSON.
            HTTPException: It has too many parts, or there is no room to keep it.
        """
        try:
            parsed = await self._parsed()
        except TooComplexError as error:
            raise HTTPException(422, str(error)) from None
        finally:
            # A turn may wait long before it begins.
            self._space.remove_file(self)
        self._large = parsed.large
        return parsed.value

    def forget(self) -> None:
        """Let go of the large texts that nobody took."""
        for each in self._large:
            each.text = ""

    async def _parsed(self) -> ParsedJson:
        if self.size <= ON_LOOP_BYTES:
            return parse_json(bytes(self._rest))
        if self.file is None:
            return await asyncio.to_thread(parse_json, bytes(self._rest))
        await self._write()
        async with self._space.parsing:
            return await asyncio.to_thread(_parsed, self.file)

    async def _write(self) -> None:
        assert self.file is not None  # noqa: S101 - only asked where there is one
        rest, self._rest = self._rest, bytearray()
        try:
            await asyncio.to_thread(_write_all, self.file, rest)
        except OSError as error:
            raise HTTPException(
                507, f"the server could not store the body: {error.strerror}"
            ) from None


def too_large(limit: int) -> HTTPException:
    """Return the refusal of a body over its limit."""
    shown = f"{limit // 1_000_000} MB" if limit >= 1_000_000 else f"{limit // 1_000} kB"
    return HTTPException(413, f"the request is over the limit of {shown}: send less at once")


def _write_all(file: IO[bytes], data: bytearray) -> None:
    with memoryview(data) as view:
        written = 0
        while written < len(data):
            written += file.write(view[written:])


def _parsed(file: IO[bytes]) -> ParsedJson:
    with mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as body:
        return parse_json(body)
