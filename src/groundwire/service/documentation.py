"""Groundwire's own documentation, for the library of somebody who has put nothing there yet."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from pathlib import Path
from typing import TYPE_CHECKING

from groundwire.config.settings.chains import named
from groundwire.errors import GroundwireError
from groundwire.library import Adder, Report, library_path, open_library, reader
from groundwire.tools import Services

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groundwire.config.settings import Settings
    from groundwire.library import Collection, Document, Library

_LOG = logging.getLogger(__name__)
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


async def add_documentation(options: Mapping[str, object]) -> Report:
    """Put the pages into the library; those that are there and unchanged are not read again."""
    folder = documentation_folder()
    async with reader() as documents:
        with open_library(options, writes=True) as library:
            await asyncio.to_thread(_remove_elsewhere, library, folder)
            return await Adder(library, documents).add_folder(
                folder,
                name=COLLECTION,
                # In the repository README.md lies outside of the folder, and would count as gone.
                prune=folder == _PACKAGED,
                without=ABOUT_THE_PROJECT | _decisions(folder),
                also=(_README,) if folder == _IN_REPOSITORY else (),
            )


def _decisions(folder: Path) -> frozenset[str]:
    return frozenset(f"{_DECISIONS}/{page.name}" for page in (folder / _DECISIONS).glob("*.md"))


async def ensure_documents(options: Mapping[str, object]) -> None:
    """Put the pages into a library that has none, and anew where ours have changed since."""
    missing, changed = await asyncio.to_thread(_what_is_due, options)
    if missing:
        await add_documentation(options)
    elif changed:
        try:
            await add_documentation(options)
        except (GroundwireError, sqlite3.Error) as error:
            _LOG.warning("the library keeps older pages of Groundwire's documentation: %s", error)


def _what_is_due(options: Mapping[str, object]) -> tuple[bool, bool]:
    """Tell whether the library has no document, and whether it has our pages as they were once."""
    if not library_path(options).exists():
        return True, False
    with open_library(options) as library:
        if not library.documents_like("", after=0, limit=1):
            return True, False
        known = library.documents(COLLECTION)
        return False, bool(known) and _differ(known) and bool(_ours(library))


def _differ(known: Sequence[Document]) -> bool:
    """Tell whether the file of a page is not as it was read, or gone.

    A page that the library does not have may have been removed by its owner.
    """
    folder = documentation_folder()
    files = [*folder.glob("*.md"), *([_README] if folder == _IN_REPOSITORY else [])]
    states = {file.name: file.stat() for file in files}
    read = {name: (state.st_size, state.st_mtime_ns) for name, state in states.items()}
    return any(read.get(one.path) != (one.size, one.modified) for one in known)


def _ours(library: Library) -> Collection | None:
    """Return the collection of our pages: a folder of somebody's may have the same name."""
    named_so = [one for one in library.collections() if one.name == COLLECTION]
    return next((one for one in named_so if _is_ours(Path(one.root))), None)


def _is_ours(root: Path) -> bool:
    """Tell whether our pages are in a folder: those of this installation or of another."""
    return root == documentation_folder().resolve() or root.parts[-2:] == _PACKAGED.parts[-2:]


def _remove_elsewhere(library: Library, folder: Path) -> None:
    """Forget our pages as another installation had them, whose folder may be gone."""
    ours = _ours(library)
    if ours and Path(ours.root) != folder.resolve():
        library.remove(library.documents(COLLECTION))


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
