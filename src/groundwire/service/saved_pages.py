"""Pages in a folder instead of on the web: those that were saved, by address.

`manifest.json` maps addresses to files of the folder. A page that it does not name is looked for
under its address without the scheme, everything but letters, digits, points and hyphens as `_`:
`https://a.example/otters/food` is `a.example_otters_food.html`, or `.md`, `.txt`, `.pdf`.
"""

from __future__ import annotations

import json
import re
from mimetypes import guess_type
from pathlib import Path
from typing import TYPE_CHECKING

from groundwire.errors import ConfigError
from groundwire.model import Page
from groundwire.wire.contract import HttpReply

if TYPE_CHECKING:
    from groundwire.search.search_context import Extract

MANIFEST = "manifest.json"
ENDINGS = ("", ".md", ".html", ".htm", ".txt", ".pdf", ".json", ".xml")
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9.-]{1,200}")
_MAX_NAME = 150


def file_name(url: str) -> str:
    """Return the name of a page's file, without its ending."""
    name = _NOT_IN_NAMES.sub("_", url.partition("://")[2]).strip("_.")
    return name[:_MAX_NAME]


class SavedPages:
    """Reads pages from a folder, with our reader where they are not Markdown already."""

    def __init__(self, folder: Path, extract: Extract) -> None:
        self._folder = folder
        self._extract = extract
        self._files = _manifest(folder)

    async def read(self, url: str) -> Page:
        """Return a page; of one that was not saved, that."""
        path = self._path(url)
        if path is None:
            wanted = f"{file_name(url)}.html"
            return Page(url=url, success=False, error=f"not saved in {self._folder} as {wanted}")
        body = path.read_bytes()
        if path.suffix == ".md":
            return Page(url=url, content=body.decode("utf-8", "replace"))
        headers = {"content-type": guess_type(path.name)[0] or ""}
        return await self._extract(HttpReply(status=200, headers=headers, body=body, url=url))

    def _path(self, url: str) -> Path | None:
        if named := self._files.get(url):
            return self._folder / named
        name = file_name(url)
        paths = (self._folder / f"{name}{ending}" for ending in ENDINGS if name)
        return next((path for path in paths if path.is_file()), None)


def save_page(folder: Path, url: str, page: Page) -> None:
    """Save a page as it was read, so that `SavedPages` finds it."""
    folder.mkdir(parents=True, exist_ok=True)
    files = _manifest(folder)
    name = f"{file_name(url)}.md"
    number = 1
    while name in files.values() and files.get(url) != name:
        number += 1
        name = f"{file_name(url)}-{number}.md"
    (folder / name).write_text(page.content, encoding="utf-8")
    files[url] = name
    text = json.dumps(files, indent=1, sort_keys=True)
    (folder / MANIFEST).write_text(f"{text}\n", encoding="utf-8")


def _manifest(folder: Path) -> dict[str, str]:
    """Return which file has which page.

    Raises:
        ConfigError: The manifest is no map from addresses to files of the folder.
    """
    path = folder / MANIFEST
    if not path.exists():
        return {}
    try:
        files = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise ConfigError(f"{path} is not JSON: {error}") from error
    inside = folder.resolve()
    for url, name in files.items() if isinstance(files, dict) else [("", None)]:
        if not isinstance(name, str) or not (folder / name).resolve().is_relative_to(inside):
            raise ConfigError(f"{path} must map addresses to files of its folder: see {url!r}")
    return dict(files)
