"""Asks the process that typesets, which starts when first needed and can be stopped."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

from groundwire.system.worker import Worker

if TYPE_CHECKING:
    from groundwire.web.bodies import TypesetBody

_MODULE = "groundwire.web.typeset.worker"
SECONDS = 5.0
MEMORY_BYTES = 1_000_000_000


class Typesetter:
    """One process for all pages of a server."""

    def __init__(self, *, seconds: float = SECONDS) -> None:
        self._seconds = seconds
        self._turn = asyncio.Lock()
        self._worker: Worker | None = None

    async def typeset(self, body: TypesetBody) -> object:
        """Return colours and trees; what takes too long stays as it was written."""
        async with self._turn:
            try:
                return await self._ask(body.model_dump())
            except (TimeoutError, EOFError, OSError):
                return {"code": [[] for _ in body.code], "math": [None for _ in body.math]}

    async def close(self) -> None:
        """Stop the process."""
        async with self._turn:
            if self._worker is not None:
                await self._worker.stop()
                self._worker = None

    async def _ask(self, request: dict[str, Any]) -> object:
        worker = self._worker or await Worker.start(_MODULE, MEMORY_BYTES)
        # Until it has answered it is of no use to anybody else.
        self._worker = None
        try:
            async with asyncio.timeout(self._seconds):
                reply = await worker.ask(request, b"")
        except BaseException:
            await worker.stop()
            raise
        self._worker = worker
        return reply
