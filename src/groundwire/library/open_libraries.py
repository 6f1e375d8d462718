"""Libraries that stay open between two searches: to open one costs more than to ask it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from threading import Lock
from typing import TypeAlias

from groundwire.errors import ConfigError
from groundwire.library.library import Library
from groundwire.library.location import library_path, open_library

_MOST_IDLE = 4

_Key: TypeAlias = tuple[str, str, int, int]


class OpenLibraries:
    """Lends libraries for reading, each to one borrower at a time, in any thread.

    One whose file was replaced, or whose index was made anew, is not lent again.
    """

    def __init__(self) -> None:
        self._lock = Lock()
        self._idle: list[tuple[_Key, Library]] = []

    @contextmanager
    def borrowed(self, options: Mapping[str, object]) -> Iterator[Library]:
        """Lend the library that a provider's options mean.

        Raises:
            SettingsError: An option is unknown or wrong.
            ConfigError: There is no library to read, or this is none.
        """
        key = _key(options)
        library = self._taken(key) if key else None
        if library is None:
            library = open_library(options)
        try:
            yield library
        except BaseException:
            # What failed once may be broken for good: the next one opens it anew.
            library.close()
            raise
        if key and key == _key(options):
            self._put_back(key, library)
        else:
            library.close()

    def close(self) -> None:
        """Close those that nobody has borrowed."""
        with self._lock:
            idle, self._idle = self._idle, []
        for _, library in idle:
            library.close()

    def _taken(self, key: _Key) -> Library | None:
        with self._lock:
            place = next((n for n, (of, _) in enumerate(self._idle) if of == key), None)
            library = None if place is None else self._idle.pop(place)[1]
        if library is None:
            return None
        try:
            if library.is_as_it_was_opened():
                return library
        except ConfigError:
            pass
        library.close()
        return None

    def _put_back(self, key: _Key, library: Library) -> None:
        with self._lock:
            self._idle.append((key, library))
            too_many = self._idle[:-_MOST_IDLE]
            del self._idle[:-_MOST_IDLE]
        for _, old in too_many:
            old.close()


def _key(options: Mapping[str, object]) -> _Key | None:
    """Return which file is meant, None if there is none."""
    path = library_path(options)
    try:
        found = path.stat()
    except OSError:
        return None
    return (str(path), str(options.get("index", "")), found.st_dev, found.st_ino)
