"""What tests of the library are made of: folders of files, and a library that has read them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path

from groundwire.library import Adder, Library, Progress, Report
from groundwire.reader import Limits, Reader

OTTER = """# Sea otters

Sea otters hold hands while they sleep, so that nobody drifts away.

## Fur

They have the densest fur of all animals: 150,000 hairs per square centimetre.
"""
HERON = "# Herons\n\nHerons stand still for a long time and then eat a fish.\n"


def write(folder: Path, files: Mapping[str, str | bytes]) -> Path:
    for name, content in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
    return folder


@asynccontextmanager
async def adding(
    path: Path, *, index: str = "fts5", progress: Progress | None = None
) -> AsyncIterator[tuple[Adder, Library]]:
    async with Reader(Limits(processes=1)) as reader:
        with Library(path, index=index, writes=True) as library:
            yield Adder(library, reader, progress), library


def add(path: Path, folder: Path, *, index: str = "fts5", **options: bool | str) -> Report:
    """Add a folder to the library at a path, and close it again."""

    async def run() -> Report:
        async with adding(path, index=index) as (adder, _):
            return await adder.add_folder(folder, **options)  # type: ignore[arg-type]  # As given.

    return asyncio.run(run())


def urls(path: Path, query: str, *, index: str = "fts5", limit: int = 5) -> list[str]:
    with Library(path, index=index) as library:
        return [hit.document.url for hit in library.search(query, limit=limit)]
