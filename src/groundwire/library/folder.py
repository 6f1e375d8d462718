"""The files of a folder that are documents."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

CONTENT_TYPES = {
    ".htm": "text/html",
    ".html": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".md": "text/markdown",
    ".markdown": "text/markdown",
    ".rst": "text/plain",
    ".txt": "text/plain",
    ".text": "text/plain",
    ".adoc": "text/plain",
    ".pdf": "application/pdf",
    ".docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    ".pptx": "application/vnd.openxmlformats-officedocument.presentationml.presentation",
    ".xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    ".odt": "application/vnd.oasis.opendocument.text",
    ".ods": "application/vnd.oasis.opendocument.spreadsheet",
    ".epub": "application/epub+zip",
    ".json": "application/json",
    ".rss": "application/rss+xml",
    ".atom": "application/atom+xml",
}
"""What files are documents by their names, and as what they are read."""

# What programs that make documentation leave beside it: sources, scripts and style sheets.
_OTHER_FOLDERS = frozenset({"_sources", "_static", "_images", "__pycache__", "node_modules"})
_PAGES = (".html", ".htm", ".xhtml")


@dataclass(slots=True)
class Walk:
    """What was found in a folder: `files` in the order of their paths.

    `skipped` counts the files that are no documents, `unreadable` has folders and links that
    could not be followed, with the reason.
    """

    files: list[Path] = field(default_factory=list)
    skipped: int = 0
    unreadable: list[tuple[Path, str]] = field(default_factory=list)


def walk(root: Path) -> Walk:
    """Return the documents in a folder and the folders below it.

    Names that begin with a dot are left out. A link is followed if it stays inside the folder,
    and whatever has two names is found once.
    """
    found = Walk()
    state = root.stat()
    _enter(root, root.resolve(), found, {(state.st_dev, state.st_ino)})
    found.files.sort()
    return found


def _enter(folder: Path, root: Path, found: Walk, seen: set[tuple[int, int]]) -> None:
    try:
        entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
    except OSError as error:
        found.unreadable.append((folder, _words(error)))
        return
    names = {entry.name for entry in entries}
    for entry in _inside(entries, root, found):
        try:
            state, is_folder = entry.stat(), entry.is_dir()
        except OSError as error:
            found.unreadable.append((Path(entry.path), _words(error)))
            continue
        if (state.st_dev, state.st_ino) in seen:
            continue
        seen.add((state.st_dev, state.st_ino))
        if is_folder:
            _enter(Path(entry.path), root, found, seen)
        elif entry.is_file() and _is_document(entry.name, names):
            found.files.append(Path(entry.path))
        else:
            found.skipped += 1


def _inside(entries: list[os.DirEntry[str]], root: Path, found: Walk) -> Iterator[os.DirEntry[str]]:
    """Yield what may be looked at; real files come before links, so that they give the name."""
    for entry in sorted(entries, key=lambda entry: entry.is_symlink()):
        if entry.name.startswith(".") or entry.name in _OTHER_FOLDERS:
            continue
        if entry.is_symlink():
            target = Path(os.path.realpath(entry.path))
            if not target.is_relative_to(root):
                found.skipped += 1
                continue
        yield entry


def _is_document(name: str, beside: set[str]) -> bool:
    stem, dot, ending = name.rpartition(".")
    ending = f"{dot}{ending}".lower()
    if ending not in CONTENT_TYPES:
        return False
    # A page and the text that it was made from say the same; the page says it better.
    is_source = ending not in (*_PAGES, ".pdf")
    return not (is_source and any(stem + page in beside for page in _PAGES))


def _words(error: OSError) -> str:
    return (error.strerror or str(error)).lower()
