"""The files of the page: cached, versioned by their hash, and compressed with gzip."""

from __future__ import annotations

import gzip
import hashlib
import mimetypes
from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).parent / "page"

# Named here, because what a machine's own table says differs.
_TYPES = {
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".css": "text/css; charset=utf-8",
    ".svg": "image/svg+xml",
    ".png": "image/png",
    ".ico": "image/x-icon",
    ".json": "application/json",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
    ".txt": "text/plain; charset=utf-8",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class PageFile:
    """A file as it is sent; `packed` is "" where packing gains nothing."""

    body: bytes = field(repr=False)
    packed: bytes = field(repr=False)
    media_type: str
    version: str


class PageFiles:
    """The files in a folder, looked at again when one was changed."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder.resolve()
        self._known: dict[str, tuple[int, PageFile]] = {}

    def get(self, name: str) -> PageFile | None:
        """Return a file by its path below the folder, None if there is none."""
        if "\x00" in name:
            return None
        path = (self._folder / name).resolve()
        if not path.is_relative_to(self._folder) or not path.is_file():
            return None
        changed = path.stat().st_mtime_ns
        known = self._known.get(name)
        if known is None or known[0] != changed:
            known = self._known[name] = (changed, _read(path))
        return known[1]

    def first(self, *names: str) -> PageFile | None:
        """Return the first of these files that is there."""
        return next((file for name in names if (file := self.get(name))), None)


def packed_file(body: bytes, media_type: str) -> PageFile:
    """Return bytes as a file that is sent: compressed, and versioned by their hash."""
    packed = gzip.compress(body, 9, mtime=0)
    return PageFile(
        body=body,
        packed=packed if len(packed) < len(body) * 0.9 else b"",
        media_type=media_type,
        version=hashlib.sha256(body).hexdigest()[:20],
    )


def _read(path: Path) -> PageFile:
    kind = _TYPES.get(path.suffix) or mimetypes.guess_type(path.name)[0]
    return packed_file(path.read_bytes(), kind or "application/octet-stream")
