"""Reads documents in processes that can be stopped, so that no page can hold up the rest."""

from __future__ import annotations

import asyncio
import json
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundwire.closeable import AsyncCloseable
from groundwire.model import Page
from groundwire.processes import python_environment
from groundwire.reader.extracted import Extracted
from groundwire.reader.worker import READY

if TYPE_CHECKING:
    from asyncio.subprocess import Process

_START_SECONDS = 60.0
_WORKER = "groundwire.reader.worker"


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much one document may cost, and how many are read at once."""

    seconds: float = 10.0
    max_bytes: int = 5_000_000
    memory_bytes: int = 1_500_000_000
    processes: int = 2


class Reader(AsyncCloseable):
    """Turns documents into pages. Processes start when first needed, and are used again.

    Belongs to one event loop; `close` it, or use it as `async with`.
    """

    def __init__(self, limits: Limits | None = None) -> None:
        self.limits = limits or Limits()
        self._free = asyncio.Semaphore(self.limits.processes)
        self._idle: list[_Worker] = []

    async def read(self, body: bytes, content_type: str, url: str) -> Page:
        """Return a document as Markdown; when it cannot be read, the page's error says why."""
        document = memoryview(body)[: self.limits.max_bytes]
        async with self._free:
            extracted = await self._extract(bytes(document), content_type, url)
        if extracted.problem:
            return Page(url=url, title=extracted.title, success=False, error=extracted.problem)
        return Page(
            url=url,
            title=extracted.title,
            content=extracted.markdown,
            original_length=len(extracted.markdown),
            truncated=extracted.is_cut or len(body) > self.limits.max_bytes,
        )

    async def _extract(self, body: bytes, content_type: str, url: str) -> Extracted:
        worker = self._idle.pop() if self._idle else await _Worker.start(self.limits.memory_bytes)
        is_well = False
        try:
            async with asyncio.timeout(self.limits.seconds):
                extracted = await worker.ask(body, content_type, url)
            is_well = True
        except TimeoutError:
            return Extracted(problem=f"reading the page took over {self.limits.seconds:g} s")
        except (EOFError, ConnectionError):
            return Extracted(problem="the page could not be read: it stopped the reader")
        finally:
            if is_well:
                self._idle.append(worker)
            else:
                await worker.stop()
        return extracted

    async def close(self) -> None:
        """Stop every process."""
        while self._idle:
            await self._idle.pop().stop()


class _Worker:
    """One process that reads, and the pipes to it."""

    def __init__(self, process: Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, memory_bytes: int) -> _Worker:
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            "-P",  # What lies in the working directory is not ours to import.
            "-m",
            _WORKER,
            str(memory_bytes),
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.DEVNULL,
            # Whatever takes it over sees no key of ours.
            env=python_environment(),
        )
        worker = cls(process)
        try:
            async with asyncio.timeout(_START_SECONDS):
                await worker._read(len(READY))
        except BaseException:
            await worker.stop()
            raise
        return worker

    async def ask(self, body: bytes, content_type: str, url: str) -> Extracted:
        request = {"content_type": content_type, "url": url, "size": len(body)}
        message = json.dumps(request).encode()
        pipe = self._process.stdin
        if pipe is None:
            raise EOFError
        pipe.write(len(message).to_bytes(4) + message + body)
        await pipe.drain()
        size = int.from_bytes(await self._read(4))
        return Extracted(**json.loads(await self._read(size)))

    async def _read(self, size: int) -> bytes:
        if self._process.stdout is None:
            raise EOFError
        return await self._process.stdout.readexactly(size)

    async def stop(self) -> None:
        if self._process.returncode is None:
            self._process.kill()
        await self._process.communicate()
