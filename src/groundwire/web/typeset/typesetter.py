"""Asks the process that typesets, which starts when first needed and can be stopped."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.system.worker import SingleWorker

if TYPE_CHECKING:
    from groundwire.web.bodies import TypesetBody

_MODULE = "groundwire.web.typeset.worker"
SECONDS = 5.0
MEMORY_BYTES = 1_000_000_000


class Typesetter:
    """One process for all pages of a server."""

    def __init__(self) -> None:
        self._worker = SingleWorker(_MODULE, MEMORY_BYTES, seconds=SECONDS)

    async def typeset(self, body: TypesetBody) -> object:
        """Return colours and trees; what takes too long stays as it was written."""
        nothing = {"code": [[] for _ in body.code], "math": [None for _ in body.math]}
        return await self._worker.ask(body.model_dump()) or nothing

    async def close(self) -> None:
        """Stop the process."""
        await self._worker.close()
