"""Which library the settings mean."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from groundwire.errors import SettingsError
from groundwire.library.library import INDEXES, Library
from groundwire.system.files import home

_OPTIONS = ("path", "index", "delay_seconds")


def library_path(options: Mapping[str, object]) -> Path:
    """Return where the library is: what the option `path` says, else a file at home."""
    written = options.get("path")
    return Path(str(written)).expanduser() if written else home() / "library.sqlite3"


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
