"""The beat by which many streams are read: to wake up for an event costs more than the event."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import aiohttp

BEAT_SECONDS = 0.05
MANY_STREAMS = 10


class ReadBatching:
    """Knows the open streams of a client, and when all of them are read next.

    Few are read whenever something comes. Of many, what came within a beat, faster than anybody
    reads, is read together, and they are read one after another while the code is warm.
    """

    def __init__(self, *, seconds: float = BEAT_SECONDS, many: int = MANY_STREAMS) -> None:
        self.streams: set[object] = set()
        self._seconds = seconds
        self._many = many

    @property
    def is_on(self) -> bool:
        """Return whether streams are to wait for the beat."""
        return len(self.streams) >= self._many

    async def wait(self, response: aiohttp.ClientResponse) -> None:
        """Take nothing from a connection until the next beat, at which all streams wake up."""
        connection = response.connection
        transport = connection.transport if connection is not None else None
        if transport is None or transport.is_closing():
            return
        transport.pause_reading()
        now = asyncio.get_running_loop().time()
        await asyncio.sleep(self._seconds - now % self._seconds)
        if not transport.is_closing():
            transport.resume_reading()
