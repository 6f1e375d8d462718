"""Saved replies, sent again byte by byte."""

from __future__ import annotations

from pathlib import Path

import orjson

from groundwire.sandbox.wire import RefusalError

CONTENT_TYPES = {
    ".sse": "text/event-stream; charset=utf-8",
    ".json": "application/json",
    ".html": "text/html; charset=utf-8",
}


class Recordings:
    """A folder of replies; nothing outside it can be read."""

    def __init__(self, folder: str | Path | None) -> None:
        self._folder = Path(folder).resolve() if folder else None

    def load(self, name: str) -> tuple[int, str, bytes]:
        """Return a recording's status, content type and bytes.

        The status comes from `<name without suffix>.meta.json` beside it, else it is 200.

        Raises:
            RefusalError: There is no such file in the folder.
        """
        if self._folder is None:
            raise RefusalError(404, {"sandbox": "no folder of recordings was given"})
        path = (self._folder / name).resolve()
        if not path.is_relative_to(self._folder):
            raise RefusalError(403, {"sandbox": f"{name!r} is outside the folder of recordings"})
        if not path.is_file():
            raise RefusalError(404, {"sandbox": f"no recording {name!r}"})
        content_type = CONTENT_TYPES.get(path.suffix, "application/octet-stream")
        return _status(path), content_type, path.read_bytes()


def _status(path: Path) -> int:
    about = path.with_suffix(".meta.json")
    if not about.is_file():
        return 200
    response = orjson.loads(about.read_bytes()).get("response") or {}
    return int(response.get("status") or 200)
