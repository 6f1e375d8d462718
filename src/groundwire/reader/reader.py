"""Reads documents in processes that can be stopped, so that no page can hold up the rest."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass

from groundwire.model import Page
from groundwire.reader.extracted import Extracted
from groundwire.system.closeable import AsyncCloseable
from groundwire.system.worker import Worker

_WORKER = "groundwire.reader.worker"
_PATIENCE = 6  # So many times the CPU time may pass on a clock, where a machine is busy.


@dataclass(frozen=True, slots=True, kw_only=True)
class Limits:
    """How much one document may cost, and how many are read at once.

    `seconds` are of CPU time: what else the machine does is no fault of the page.
    """

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
        self._idle: list[Worker] = []

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
            notes=extracted.notes,
            metadata=extracted.metadata,
        )

    async def _extract(self, body: bytes, content_type: str, url: str) -> Extracted:
        limit = self.limits.memory_bytes
        worker = self._idle.pop() if self._idle else await Worker.start(_WORKER, limit)
        is_well = False
        try:
            async with asyncio.timeout(_PATIENCE * self.limits.seconds):
                request = {
                    "content_type": content_type,
                    "url": url,
                    "cpu_seconds": self.limits.seconds,
                }
                extracted = Extracted.from_json(await worker.ask(request, body))
            is_well = True
        except TimeoutError:
            most = f"{self.limits.seconds:g} s of CPU time"
            return Extracted(problem=f"the page is too complex: reading it took over {most}")
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
