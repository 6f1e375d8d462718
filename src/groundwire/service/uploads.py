"""Files that are put into a workspace's library on the page: their names, their room, their place.

They are kept as they came, so that a better reader can read them again.
"""

from __future__ import annotations

import asyncio
import os
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

from groundwire.errors import ConflictError, SettingsError
from groundwire.library import CONTENT_TYPES
from groundwire.system.files import private_folder
from groundwire.text.plural import plural

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from groundwire.config.settings.library_table import LibrarySettings

MAX_NAME_BYTES = 200
_PART = ".part-"  # Names of people's files begin with no dot.


def checked_upload_name(name: str) -> str:
    """Return the name of a file that may be uploaded.

    Raises:
        SettingsError: It is no plain name, or nothing reads such a file.
    """
    is_plain = name.isprintable() and not {"/", "\\"} & set(name) and not name.startswith(".")
    if not name.strip() or not is_plain or len(name.encode("utf-8", "replace")) > MAX_NAME_BYTES:
        raise SettingsError(
            "name", f"a file's name is plain text of at most {MAX_NAME_BYTES} bytes: rename it"
        )
    if Path(name).suffix.lower() not in CONTENT_TYPES:
        known = ", ".join(sorted(CONTENT_TYPES))
        raise SettingsError("name", f"{name!r} is of a kind that is not read: there are {known}")
    return name


class Uploads:
    """The uploaded files of one library."""

    def __init__(self, folder: Path, limits: LibrarySettings) -> None:
        self.folder = folder
        self._limits = limits

    def files(self) -> list[Path]:
        """Return those that are complete, by name."""
        if not self.folder.is_dir():
            return []
        return sorted(each for each in self.folder.iterdir() if not each.name.startswith("."))

    async def put(self, name: str, pieces: AsyncIterator[bytes]) -> int:
        """Keep a file in place of one of the same name, and return its bytes.

        Raises:
            SettingsError: The name cannot be used.
            ConflictError: It is too large, or there is no room for it.
            OSError: The disk does not take it.
        """
        path = self.folder / checked_upload_name(name)
        room = await asyncio.to_thread(self._room, path)
        descriptor, written = await asyncio.to_thread(self._new)
        size = 0
        try:
            with os.fdopen(descriptor, "wb") as file:
                async for piece in pieces:
                    size += len(piece)
                    self._check(name, size, room)
                    await asyncio.to_thread(file.write, piece)
            await asyncio.to_thread(written.replace, path)
        finally:
            written.unlink(missing_ok=True)
        return size

    def remove(self, name: str) -> bool:
        """Forget a file; tell whether it was there."""
        path = self.folder / checked_upload_name(name)
        is_there = path.is_file()
        path.unlink(missing_ok=True)
        return is_there

    def _new(self) -> tuple[int, Path]:
        private_folder(self.folder)
        descriptor, name = tempfile.mkstemp(dir=self.folder, prefix=_PART)
        return descriptor, Path(name)

    def _room(self, path: Path) -> int:
        taken = sum(each.stat().st_size for each in self.files() if each != path)
        return self._limits.max_uploads_bytes - taken

    def _check(self, name: str, size: int, room: int) -> None:
        limit = self._limits.max_file_bytes
        if size > limit:
            raise ConflictError(f"{name!r} is over the limit for one file: {plural(limit, 'byte')}")
        if size > room:
            most = self._limits.max_uploads_bytes
            raise ConflictError(
                f"{name!r} does not fit: all uploads may take {plural(most, 'byte')}; remove some"
            )
