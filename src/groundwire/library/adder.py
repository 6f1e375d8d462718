"""Adds folders, files and pages: what is new is read, what is unchanged is left, in batches.

Every batch is one transaction, so that an interrupted run keeps what it had done and the next one
goes on from there.
"""

from __future__ import annotations

import asyncio
import os
from collections.abc import Container, Sequence
from contextlib import aclosing
from dataclasses import replace
from pathlib import Path

from groundwire.errors import SettingsError
from groundwire.library.addresses import checked_base, checked_name, name_from, own_base
from groundwire.library.documents import MAX_BYTES, Prepared, Preparer, digest_of, made_of
from groundwire.library.folder import Walk, walk
from groundwire.library.library import Library
from groundwire.library.model import AddFailure, Collection, Document, Progress, Report
from groundwire.model import Page
from groundwire.reader import Limits, Reader

WEB = "web"
"""The collection of pages that were added by their URL."""

_READ_SECONDS = 60.0
_BATCH = 64


def reader(processes: int | None = None) -> Reader:
    """Return a reader for documents that somebody chose, with a process for each core."""
    processes = processes or os.cpu_count() or 1
    return Reader(Limits(seconds=_READ_SECONDS, max_bytes=MAX_BYTES, processes=processes))


class Adder:
    """Adds to a library that is open for writing, with a reader that its owner closes."""

    def __init__(self, library: Library, reader: Reader, progress: Progress | None = None) -> None:
        self._library = library
        self._reader = reader
        self._progress = progress or (lambda done, total: None)  # noqa: ARG005 - a Progress

    async def add_folder(
        self,
        folder: Path,
        *,
        name: str = "",
        base_url: str = "",
        prune: bool = False,
        without: Container[str] = (),
        also: Sequence[Path] = (),
    ) -> Report:
        """Add the documents in a folder; `prune` removes those whose file is gone.

        `without` are paths below the folder that are left out, `also` are files that lie
        elsewhere and are added under their names.

        Raises:
            SettingsError: The name or the address cannot be used.
        """
        root = await asyncio.to_thread(folder.resolve)
        collection = await asyncio.to_thread(self._collection, root, name, base_url)
        found = await asyncio.to_thread(walk, root)
        found.files = [
            file for file in found.files if file.relative_to(root).as_posix() not in without
        ]
        found.files += also
        report = await self._add(collection, found)
        known = await asyncio.to_thread(self._library.documents, collection.name)
        gone = await asyncio.to_thread(_gone, collection, root, known)
        if prune and gone:
            await asyncio.to_thread(self._library.remove, gone)
        return replace(
            report,
            skipped=found.skipped,
            removed=len(gone) if prune else 0,
            missing=tuple(document.path for document in gone),
        )

    async def add_files(self, folder: Path, files: Sequence[Path], *, name: str = "") -> Report:
        """Add files of a folder, whatever their names, and forget those that are gone.

        Raises:
            SettingsError: The name cannot be used.
        """
        root = await asyncio.to_thread(folder.resolve)
        collection = await asyncio.to_thread(self._collection, root, name, "")
        report = await self._add(collection, Walk(files=[root / each.name for each in files]))
        known = await asyncio.to_thread(self._library.documents, collection.name)
        gone = await asyncio.to_thread(_gone, collection, root, known)
        if gone:
            await asyncio.to_thread(self._library.remove, gone)
        return replace(report, removed=len(gone))

    async def add_file(self, file: Path, *, name: str = "", base_url: str = "") -> Report:
        """Add one file, whatever its name, to the collection of the folder that it is in.

        Raises:
            SettingsError: The name or the address cannot be used.
        """
        file = await asyncio.to_thread(file.resolve)
        collection = await asyncio.to_thread(self._collection, file.parent, name, base_url)
        return await self._add(collection, Walk(files=[file]))

    async def add_page(self, page: Page) -> Report:
        """Add a page of the web that somebody has read."""
        old = await asyncio.to_thread(self._library.document, page.url)
        digest = digest_of(f"{page.title}\n{page.content}".encode("utf-8", "replace"))
        if old and old.collection == WEB and old.digest == digest:
            return Report(collection=WEB, unchanged=1)
        document = Document(collection=WEB, path=page.url, url=page.url, digest=digest)
        await asyncio.to_thread(self._library.put_collection, WEB, "", "")
        await self._write([made_of(document, page)])
        return Report(collection=WEB, added=0 if old else 1, updated=1 if old else 0)

    def _collection(self, root: Path, name: str, base_url: str) -> Collection:
        """Return the collection of a folder: the one it has or lies in, or a new one."""
        there_are = self._library.collections()
        homes = [one for one in there_are if one.root and root.is_relative_to(one.root)]
        old = max(homes, key=lambda one: len(one.root), default=None)
        if old and name not in ("", old.name):
            if old.root == str(root):
                raise SettingsError("name", f"{root} is the collection {old.name!r} already")
            old = None
        base = checked_base(base_url) if base_url else ""
        if old is None:
            free = _free_name(root, name, {one.name for one in there_are})
            old = Collection(id=0, name=free, root=str(root), base_url=base or own_base(free))
        elif base and old.root != str(root):
            raise SettingsError(
                "base URL", f"{root} is part of {old.root}: give it for all of that"
            )
        chosen = replace(old, base_url=base or old.base_url)
        self._library.put_collection(chosen.name, chosen.root, chosen.base_url)
        return chosen

    async def _add(self, collection: Collection, found: Walk) -> Report:
        documents = await asyncio.to_thread(self._library.documents, collection.name)
        preparer = Preparer(collection, self._reader, {one.path: one for one in documents})
        tally, total = _Tally(found.unreadable), len(found.files)
        self._progress(0, total)
        waiting: list[Prepared] = []
        done = 0
        try:
            async with aclosing(preparer.prepared(found.files)) as reading:
                async for prepared in reading:
                    tally.count(prepared)
                    waiting.append(prepared)
                    if len(waiting) >= _BATCH:
                        await self._write(waiting)
                        waiting = []
                    done += 1
                    self._progress(done, total)
        finally:
            await self._write(waiting)
        return tally.report(collection.name)

    async def _write(self, prepared: Sequence[Prepared]) -> None:
        await asyncio.to_thread(self._put, prepared)

    def _put(self, prepared: Sequence[Prepared]) -> None:
        if new := [(one.document, one.text) for one in prepared if one.document and one.text]:
            self._library.put(new)
        if same := [one.document for one in prepared if one.document and not one.text]:
            self._library.touch(same)


class _Tally:
    """Counts what became of files."""

    def __init__(self, unreadable: Sequence[tuple[Path, str]]) -> None:
        self._added = self._updated = self._unchanged = 0
        self._failures = [AddFailure(source=str(path), reason=why) for path, why in unreadable]

    def count(self, prepared: Prepared) -> None:
        if prepared.failure:
            self._failures.append(prepared.failure)
        elif prepared.text is None:
            self._unchanged += 1
        elif prepared.is_new:
            self._added += 1
        else:
            self._updated += 1

    def report(self, collection: str) -> Report:
        return Report(
            collection=collection,
            added=self._added,
            updated=self._updated,
            unchanged=self._unchanged,
            failures=tuple(self._failures),
        )


def _gone(collection: Collection, root: Path, known: Sequence[Document]) -> list[Document]:
    """Return the documents of a folder whose files no longer exist."""
    paths = [(Path(collection.root, document.path), document) for document in known]
    return [
        document for path, document in paths if path.is_relative_to(root) and not path.is_file()
    ]


def _free_name(root: Path, name: str, taken: set[str]) -> str:
    if name:
        if checked_name(name) in taken or name == WEB:
            raise SettingsError("name", f"there is a collection {name!r} already: choose another")
        return name
    # Many folders are called `html` or `docs`; then the one above tells them apart.
    short = name_from(root.name)
    longer = name_from(f"{root.parent.name}-{root.name}")
    numbered = (f"{longer}-{number}" for number in range(2, len(taken) + 4))
    return next(one for one in (short, longer, *numbered) if one not in taken and one != WEB)
