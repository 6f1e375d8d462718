"""Batch reads when ten or more streams are open: waking up costs more than reading an event."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import aiohttp

BATCH_SECONDS = 0.05
MANY_STREAMS = 10


class ReadBatching:
    """The open streams of a client, and when all of them are read next.

    A few streams are read as data arrives. Where many are open, each is read once per interval,
    all at the same moment: what arrived within it is read together.
    """

    def __init__(self, *, seconds: float = BATCH_SECONDS, many: int = MANY_STREAMS) -> None:
        self.streams: set[object] = set()
        self._seconds = seconds
        self.many = many

    async def wait(self, response: aiohttp.ClientResponse) -> None:
        """Pause reading from a connection until the next interval, when all streams are read."""
        connection = response.connection
        transport = connection.transport if connection is not None else None
        if transport is None or transport.is_closing():
            return
        transport.pause_reading()
        now = asyncio.get_running_loop().time()
        await asyncio.sleep(self._seconds - now % self._seconds)
        if not transport.is_closing():
            transport.resume_reading()
