"""Databases to be copied: to make one takes longer than most tests."""

from __future__ import annotations

import asyncio
import atexit
import shutil
import threading
from collections.abc import Coroutine
from functools import cache
from pathlib import Path
from tempfile import mkdtemp

from groundwire import Settings
from groundwire.service.program import Groundwire
from groundwire.store import Store
from tests.postgresql import PostgreSql


async def _open_program(path: Path) -> None:
    async with Groundwire(settings=Settings(), database=str(path)):
        pass


async def _open_store(url: Path | str) -> None:
    async with Store.open(url):
        pass


def _in_a_thread(opening: Coroutine[None, None, None]) -> None:
    """Run it in a thread of its own: who asks for it may be in a loop."""
    thread = threading.Thread(target=asyncio.run, args=(opening,))
    thread.start()
    thread.join()


@cache
def _prepared(*, by_program: bool) -> Path:
    path = Path(mkdtemp(prefix="groundwire-prepared-")) / "prepared.sqlite3"
    atexit.register(shutil.rmtree, path.parent)
    _in_a_thread(_open_program(path) if by_program else _open_store(path))
    return path


def prepare(path: Path, *, by_program: bool = False) -> None:
    """Put a database where there is none: without agents, or as a first start leaves it."""
    if not path.exists():
        shutil.copy(_prepared(by_program=by_program), path)


@cache
def prepared_in(server: PostgreSql) -> str:
    """Return the name of a database of a server as a first start leaves it."""
    url = server.create("prepared")
    _in_a_thread(_open_store(url))
    return "prepared"
