"""Databases to be copied: to make one takes longer than most tests."""

from __future__ import annotations

import asyncio
import atexit
import shutil
import threading
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from groundwire import Settings
from groundwire.service.program import Groundwire
from groundwire.store import Store


async def _open_once(path: Path, *, by_program: bool) -> None:
    if by_program:
        async with Groundwire(settings=Settings(), database=str(path)):
            pass
    else:
        async with Store.open(path):
            pass


@cache
def _prepared(*, by_program: bool) -> Path:
    path = Path(mkdtemp(prefix="groundwire-prepared-")) / "prepared.sqlite3"
    atexit.register(shutil.rmtree, path.parent)
    # In a thread of its own: who asks for it may be in a loop.
    opening = threading.Thread(target=lambda: asyncio.run(_open_once(path, by_program=by_program)))
    opening.start()
    opening.join()
    return path


def prepare(path: Path, *, by_program: bool = False) -> None:
    """Put a database where there is none: without agents, or as a first start leaves it."""
    if not path.exists():
        shutil.copy(_prepared(by_program=by_program), path)
