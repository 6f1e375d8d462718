"""Lines of a file or of standard input, as they come."""

from __future__ import annotations

import asyncio
import os
import threading
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable

_CHUNK = 1 << 20
_AHEAD = 4


async def lines_of(source: str) -> AsyncIterator[bytes]:
    """Yield the lines of a file, or of standard input for `-`, each when it is there.

    A thread reads, and nobody waits for it in the end: Ctrl-C stops at once also where the next
    line never comes.
    """
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[list[bytes] | OSError | None] = asyncio.Queue(maxsize=_AHEAD)

    def put(item: list[bytes] | OSError | None) -> None:
        asyncio.run_coroutine_threadsafe(queue.put(item), loop).result()

    threading.Thread(target=_read, args=(source, put), name="lines", daemon=True).start()
    while (item := await queue.get()) is not None:
        if isinstance(item, OSError):
            reason = (item.strerror or str(item)).lower()
            raise click.ClickException(f"{source} could not be read: {reason}") from item
        for line in item:
            yield line


def _read(source: str, put: Callable[[list[bytes] | OSError | None], None]) -> None:
    try:
        try:
            descriptor = 0 if source == "-" else os.open(source, os.O_RDONLY)
            rest: list[bytes] = []
            while chunk := os.read(descriptor, _CHUNK):
                first, *others = chunk.split(b"\n")
                rest.append(first)
                if others:
                    put([b"".join(rest), *others[:-1]])
                    rest = [others[-1]]
            put([b"".join(rest)])
        except OSError as error:
            put(error)
        put(None)
    except RuntimeError:
        return  # The loop has ended.
