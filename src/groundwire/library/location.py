"""Which library the settings mean, and which is a workspace's."""

from __future__ import annotations

import re
import shutil
from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

from groundwire.errors import SettingsError
from groundwire.library.library import INDEXES, Library
from groundwire.system.files import home

_OPTIONS = ("path", "index", "delay_seconds", "workspace")
_NAME = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,79}")
# What lies beside a library's file: the index, the files that were uploaded, and what SQLite keeps.
_BESIDE = (".tantivy", ".uploads")
_OF_SQLITE = ("-wal", "-shm", "-journal")


def library_path(options: Mapping[str, object]) -> Path:
    """Return where a library is: what the option `path` says, else a file at home.

    A workspace that the option `workspace` names has its own, in a folder beside that file.

    Raises:
        SettingsError: The workspace cannot name a folder.
    """
    written = options.get("path")
    first = Path(str(written)).expanduser() if written else home() / "library.sqlite3"
    workspace = str(options.get("workspace") or "")
    if not workspace:
        return first
    if not _NAME.fullmatch(workspace):
        raise SettingsError("workspace", f"{workspace!r} cannot name a library")
    return first.with_name(f"{first.stem}-workspaces") / workspace / "library.sqlite3"


def uploads_folder(options: Mapping[str, object]) -> Path:
    """Return where the files are that were put into a library on the page."""
    return library_path(options).with_suffix(".uploads")


def library_bytes(options: Mapping[str, object]) -> int:
    """Return how many bytes a library takes: texts, index and uploaded files."""
    return sum(_size(file) for place in _places(options) for file in _files(place))


def remove_library(options: Mapping[str, object]) -> None:
    """Remove a library with its index and the files that were uploaded to it."""
    for place in _places(options):
        if place.is_dir():
            shutil.rmtree(place, ignore_errors=True)
        else:
            place.unlink(missing_ok=True)
    if options.get("workspace"):
        with suppress(OSError):
            library_path(options).parent.rmdir()


def open_library(options: Mapping[str, object], *, writes: bool = False) -> Library:
    """Open the library that a provider's options mean.

    Raises:
        SettingsError: An option is unknown or wrong.
        ConfigError: There is no library to read, or this is none.
    """
    if unknown := [name for name in options if name not in _OPTIONS]:
        raise SettingsError(
            "providers.library.options", f"{unknown[0]!r} is none of {', '.join(_OPTIONS)}"
        )
    index = options.get("index", "")
    if index and index not in INDEXES:
        raise SettingsError(
            "providers.library.options.index", f"{index!r} is none of {' and '.join(INDEXES)}"
        )
    return Library(library_path(options), index=str(index), writes=writes)


def _places(options: Mapping[str, object]) -> Iterator[Path]:
    path = library_path(options)
    yield path
    yield from (path.with_name(path.name + ending) for ending in _OF_SQLITE)
    yield from (path.with_suffix(ending) for ending in _BESIDE)


def _files(place: Path) -> Iterator[Path]:
    return (file for file in place.rglob("*")) if place.is_dir() else iter([place])


def _size(file: Path) -> int:
    try:
        return file.stat().st_size if file.is_file() else 0
    except OSError:
        return 0  # A merge of the index has just taken it away.
