"""Groundwire's own documentation, for the library of somebody who has put nothing there yet."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import TYPE_CHECKING

from groundwire.config.settings.chains import named
from groundwire.library import Adder, Report, library_path, open_library, reader
from groundwire.tools import Services

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groundwire.config.settings import Settings

COLLECTION = "groundwire"
ABOUT_THE_PROJECT = frozenset(
    {
        *("access.md", "dependencies.md", "mutants.md", "performance.md"),
        *("promises.md", "requirements.md", "torture.md"),
    }
)
"""Pages that list files and tests for those who work on Groundwire, and answer nobody.

They are not in the package either, as the folder of decisions, which weigh what was not built; a
test compares this with pyproject.toml.
"""
_DECISIONS = "decisions"
_PACKAGED = Path(__file__).parents[1] / "documentation"
_IN_REPOSITORY = Path(__file__).parents[3] / "docs"
_README = Path(__file__).parents[3] / "README.md"


def documentation_folder() -> Path:
    """Return where the pages are: in an installed package, or in the repository."""
    return _PACKAGED if _PACKAGED.is_dir() else _IN_REPOSITORY


def library_options(settings: Settings, library: str = "") -> Mapping[str, object]:
    """Return where a workspace's library is and how it is searched, as the settings have it.

    `library` is which one a workspace has; "" is that of the settings.
    """
    chosen = settings.providers.get("library")
    return {**(chosen.options if chosen else {}), "workspace": library}


def is_empty(options: Mapping[str, object]) -> bool:
    """Tell whether the library has no document, or is not there yet."""
    if not library_path(options).exists():
        return True
    with open_library(options) as library:
        return not library.documents()


async def add_documentation(options: Mapping[str, object]) -> Report:
    """Put the pages into the library; those that are there and unchanged are not read again."""
    async with reader() as documents:
        with open_library(options, writes=True) as library:
            folder = documentation_folder()
            return await Adder(library, documents).add_folder(
                folder,
                name=COLLECTION,
                without=ABOUT_THE_PROJECT | _decisions(folder),
                also=(_README,) if folder == _IN_REPOSITORY else (),
            )


def _decisions(folder: Path) -> frozenset[str]:
    return frozenset(f"{_DECISIONS}/{page.name}" for page in (folder / _DECISIONS).glob("*.md"))


async def ensure_documents(options: Mapping[str, object]) -> None:
    """Put the pages into a library that has none."""
    if await asyncio.to_thread(is_empty, options):
        await add_documentation(options)


async def services_of(settings: Settings, library: str = "") -> Services:
    """Return who searches and reads for a model that only quotes: the library first.

    What somebody put into the settings stays; where nobody chose, a library is all that a fresh
    machine has, so one without documents gets our own.
    """
    if "library" not in named(settings.search_provider):
        await ensure_documents(library_options(settings, library))
    return Services(
        search=("library", *_others(settings.search_provider)),
        read=("library", *_others(settings.read_provider)),
    )


def _others(names: str | list[str]) -> list[str]:
    return [name for name in named(names) if name != "library"]
