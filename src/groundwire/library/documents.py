"""Reads files into documents, several at once, and says which are new."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import blake2b
from pathlib import Path, PurePosixPath

from groundwire.errors import GroundwireError
from groundwire.library.addresses import url_of
from groundwire.library.folder import CONTENT_TYPES
from groundwire.library.model import AddFailure, Collection, Document, DocumentText
from groundwire.library.passages import cut
from groundwire.model import Page
from groundwire.reader import Reader
from groundwire.wire.text import whole

MAX_BYTES = 50_000_000
"""A larger file is no document."""

# How far reading may be ahead of writing: this bounds what is in memory at once.
_AHEAD_FILES = 64
_AHEAD_BYTES = 64_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """What became of a file: a document that is new or changed, or why there is none.

    `text` is None where the text is the one that is there already; with no document and no
    failure, nothing about the file has changed.
    """

    document: Document | None = None
    text: DocumentText | None = None
    is_new: bool = False
    failure: AddFailure | None = None


class Preparer:
    """Reads the files of one collection; `known` are its documents by path."""

    def __init__(
        self, collection: Collection, reader: Reader, known: Mapping[str, Document]
    ) -> None:
        self._collection = collection
        self._reader = reader
        self._known = known
        self._places = asyncio.Semaphore(reader.limits.processes + 1)

    async def prepared(self, files: Sequence[Path]) -> AsyncGenerator[Prepared, None]:
        """Yield what became of each file, in the order of the files."""
        ahead: deque[tuple[int, asyncio.Task[Prepared]]] = deque()
        size = 0
        try:
            for file in files:
                ahead.append((_size(file), asyncio.create_task(self._prepared(file))))
                size += ahead[-1][0]
                while len(ahead) >= _AHEAD_FILES or (size > _AHEAD_BYTES and ahead):
                    size -= ahead[0][0]
                    yield await ahead.popleft()[1]
            while ahead:
                yield await ahead.popleft()[1]
        finally:
            for _, task in ahead:
                task.cancel()
            await asyncio.gather(*(task for _, task in ahead), return_exceptions=True)

    async def _prepared(self, file: Path) -> Prepared:
        is_inside = file.is_relative_to(self._collection.root)
        path = file.relative_to(self._collection.root).as_posix() if is_inside else file.name
        try:
            path.encode()
            async with self._places:
                return await self._read(file, path)
        except UnicodeEncodeError:
            return _failed(ascii(path), "its name is not UTF-8")
        except OSError as error:
            return _failed(str(file), (error.strerror or str(error)).lower())
        except GroundwireError as error:
            return _failed(str(file), str(error))

    async def _read(self, file: Path, path: str) -> Prepared:
        url = url_of(self._collection.base_url, PurePosixPath(path))
        state = await asyncio.to_thread(file.stat)
        old = self._known.get(path)
        if old and (old.size, old.modified, old.url) == (state.st_size, state.st_mtime_ns, url):
            return Prepared()
        if state.st_size > MAX_BYTES:
            return _failed(str(file), f"it is over the limit of {MAX_BYTES:,} bytes")
        body = await asyncio.to_thread(file.read_bytes)
        document = Document(
            id=old.id if old else 0,
            collection=self._collection.name,
            path=path,
            url=url,
            date=datetime.fromtimestamp(state.st_mtime, UTC),
            size=state.st_size,
            modified=state.st_mtime_ns,
            digest=digest_of(body),
        )
        if old and old.digest == document.digest:
            return Prepared(document=document)
        page = await self._reader.read(body, CONTENT_TYPES.get(file.suffix.lower(), ""), url)
        if not page.success:
            return _failed(str(file), page.error)
        made = await asyncio.to_thread(made_of, document, page)
        return replace(made, is_new=old is None)


def made_of(document: Document, page: Page) -> Prepared:
    """Return a document with the text of a page."""
    markdown = whole(page.content)
    passages = cut(markdown)
    heading = next((one.headings[0] for one in passages[:1] if one.headings), "")
    title = whole(page.title) or heading or PurePosixPath(document.path).name
    return Prepared(
        document=replace(document, title=title, is_truncated=page.truncated),
        text=DocumentText(markdown=markdown, passages=passages, metadata=page.metadata),
        is_new=True,
    )


def digest_of(body: bytes) -> bytes:
    """Return what tells a text from all others."""
    return blake2b(body, digest_size=16).digest()


def _failed(source: str, reason: str) -> Prepared:
    return Prepared(failure=AddFailure(source=source, reason=reason))


def _size(file: Path) -> int:
    try:
        return file.stat().st_size
    except OSError:
        return 0
