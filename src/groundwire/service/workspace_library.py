"""The library of one workspace as its page shows and changes it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from groundwire import guard
from groundwire.errors import ConflictError, NotFoundError, SettingsError
from groundwire.library import (
    Library,
    Meaning,
    documents_below,
    is_made,
    library_bytes,
    library_path,
    open_library,
    uploads_folder,
)
from groundwire.search.query_embedding import query_embedding
from groundwire.service.documentation import library_options
from groundwire.service.uploads import Uploads
from groundwire.store.source_records import LibrarySource, SourceKind, SourceState

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence

    from groundwire.config.settings import Settings
    from groundwire.conversation import Workspace
    from groundwire.library import Collection, Document, Hit
    from groundwire.search import SearchContext
    from groundwire.store import Store

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class LibraryState:
    """What a library holds and where it comes from; `embedded` documents have vectors.

    `uploads` is the folder of the uploaded files.
    """

    collections: Sequence[Collection]
    size: int
    sources: Sequence[LibrarySource]
    uploads: Path
    embedded: int = 0

    @property
    def others(self) -> list[Collection]:
        """Return the collections that were added elsewhere, such as from the command line."""
        stored = [each for each in self.sources if each.kind is not SourceKind.URL]
        known = {each.address for each in stored}
        # A source has no address before it was read once; its folder has documents already.
        roots = {each.location or str(self.uploads) for each in stored}
        pages = sum(
            bool(each.address) or each.state is SourceState.WORKING
            for each in self.sources
            if each.kind is SourceKind.URL
        )
        return [
            each
            for each in self.collections
            if each.name not in known
            and (each.root not in roots if each.root else each.documents > pages)
        ]


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundHits:
    """What a search found; `note` says why it looked at the words alone, "" where it did not."""

    hits: Sequence[Hit]
    note: str = ""


class WorkspaceLibrary:
    """One workspace's; who may do what is asked before."""

    def __init__(self, store: Store, settings: Settings, workspace: Workspace) -> None:
        self._sources = store.library_sources
        self._settings = settings
        self._workspace = workspace
        self.options: Mapping[str, object] = library_options(settings, workspace.library)
        self.uploads = Uploads(uploads_folder(self.options), settings.library)

    async def state(self) -> LibraryState:
        """Return what there is."""
        sources = await self._sources.list(self._workspace.id)
        collections: list[Collection] = await self._read(Library.collections, [])
        size = await asyncio.to_thread(library_bytes, self.options)
        embedded, _ = await self._read(Library.embedded, (0, 0))
        return LibraryState(
            collections=collections,
            size=size,
            sources=sources,
            uploads=self.uploads.folder.resolve(),
            embedded=embedded,
        )

    async def documents(self, *, query: str, after: int, limit: int) -> list[Document]:
        """Return documents in the order of their ids, those whose title or path has a text."""
        return await self._read(
            lambda library: library.documents_like(query, after=after, limit=limit), []
        )

    async def search(self, query: str, *, limit: int, search_context: SearchContext) -> FoundHits:
        """Return the best passage of each document that matches, by words and by meaning."""
        said, note = await query_embedding(search_context, query)
        meaning = Meaning(form=said.form, vector=said.vector) if said else None
        hits: list[Hit] = await self._read(
            lambda library: library.search(query, limit=limit, meaning=meaning), []
        )
        return FoundHits(hits=hits, note=note)

    async def add_folder(self, location: str, refresh_hours: int) -> LibrarySource:
        """Have a folder of the server read, if the settings let it be.

        Raises:
            SettingsError: They do not, or there is no such folder.
            ConflictError: It is in the library already.
        """
        folder = await asyncio.to_thread(allowed_folder, self._settings, location)
        return await self._add(SourceKind.FOLDER, str(folder), refresh_hours)

    async def add_url(self, url: str, refresh_hours: int) -> LibrarySource:
        """Have a page of the web read, if the workspace may go there.

        Raises:
            BlockedError: It may not be opened.
            ConflictError: It is in the library already.
        """
        target = guard.parse(url, ports=frozenset(self._settings.network.page_ports))
        policy_of(self._settings, self._workspace).check(target)
        return await self._add(SourceKind.URL, str(target), refresh_hours)

    async def put_file(self, name: str, pieces: AsyncIterator[bytes]) -> LibrarySource:
        """Keep an uploaded file and have it read.

        Raises:
            SettingsError: The name cannot be used.
            ConflictError: It is too large, or there is no room for it.
        """
        await self.uploads.put(name, pieces)
        found = await self._sources.at(self._workspace.id, SourceKind.UPLOADS, "")
        if found is None:
            return await self._add(SourceKind.UPLOADS, "", 0)
        await self._sources.want(found.id)
        return found

    async def source(self, source_id: str) -> LibrarySource:
        """Return a source of this workspace.

        Raises:
            NotFoundError: It has none of this id.
        """
        found = await self._sources.get(source_id)
        if found.workspace_id != self._workspace.id:
            raise NotFoundError(f"there is no source {source_id!r}")
        return found

    async def remove_source(self, source: LibrarySource) -> None:
        """Forget a source and its documents; of uploads also the files."""
        await self._sources.delete(source.id)
        await asyncio.to_thread(self._forget, source)

    async def remove_file(self, name: str) -> None:
        """Forget an uploaded file and its document.

        Raises:
            NotFoundError: There is none of this name.
        """
        if not await asyncio.to_thread(self.uploads.remove, name):
            raise NotFoundError(f"no file {name!r} was uploaded")
        found = await self._sources.at(self._workspace.id, SourceKind.UPLOADS, "")
        path = self.uploads.folder.resolve() / name
        await self._write(lambda library: library.remove(documents_below(library, path)))
        if found is not None:
            await self._sources.want(found.id)

    async def remove_document(self, document_id: int) -> None:
        """Forget one document.

        Raises:
            NotFoundError: There is none.
            ConflictError: It would come back, since its folder is read again.
        """
        found = await self._read(lambda library: library.by_id(document_id), None)
        if found is None:
            raise NotFoundError(f"there is no document {document_id}")
        for source in await self._sources.list(self._workspace.id):
            if source.kind is SourceKind.FOLDER and source.address == found.collection:
                raise ConflictError(
                    f"{found.path!r} is of the folder {source.location}: remove the file or the "
                    "folder, or it is read again"
                )
            if source.kind is SourceKind.UPLOADS and source.address == found.collection:
                return await self.remove_file(found.path)
            if source.kind is SourceKind.URL and source.address == found.url:
                return await self.remove_source(source)
        await self._write(lambda library: library.remove([found]))
        return None

    async def remove_collection(self, name: str) -> None:
        """Forget a collection that comes from no source.

        Raises:
            NotFoundError: There is none.
        """
        if name not in [each.name for each in (await self.state()).others]:
            raise NotFoundError(f"no collection is called {name!r}")
        await self._write(lambda library: library.remove(library.documents(name)))

    async def _add(self, kind: SourceKind, location: str, refresh_hours: int) -> LibrarySource:
        source = LibrarySource(
            workspace_id=self._workspace.id,
            kind=kind,
            location=location,
            refresh_hours=refresh_hours,
        )
        return await self._sources.create(source)

    async def _read(self, use: Callable[[Library], T], nothing: T) -> T:
        def work() -> T:
            if not is_made(library_path(self.options)):
                return nothing
            with open_library(self.options) as library:
                return use(library)

        return await asyncio.to_thread(work)

    async def _write(self, use: Callable[[Library], None]) -> None:
        def work() -> None:
            if library_path(self.options).exists():
                with open_library(self.options, writes=True) as library:
                    use(library)

        await asyncio.to_thread(work)

    def _forget(self, source: LibrarySource) -> None:
        if source.kind is SourceKind.UPLOADS:
            for file in self.uploads.files():
                file.unlink(missing_ok=True)
        if library_path(self.options).exists():
            with open_library(self.options, writes=True) as library:
                library.remove(documents_of(library, source, self.uploads.folder))


def documents_of(library: Library, source: LibrarySource, uploads: Path) -> list[Document]:
    """Return the documents that came from a source."""
    match source.kind:
        case SourceKind.URL:
            found = library.document(source.address or source.location)
            return [found] if found else []
        case SourceKind.FOLDER:
            return documents_below(library, Path(source.location))
        case SourceKind.UPLOADS:
            return documents_below(library, uploads.resolve())


def allowed_folder(settings: Settings, location: str) -> Path:
    """Return a folder of the server that may be read.

    Raises:
        SettingsError: There is none, or it lies outside those that the settings name.
    """
    roots = [Path(each).expanduser().resolve() for each in settings.library.folders]
    if not roots:
        raise SettingsError(
            "library.folders", "it names no folder: add those that may be read to the settings"
        )
    folder = Path(location).expanduser()
    if not folder.is_absolute():
        raise SettingsError("location", "a folder begins with /: name its whole path")
    folder = folder.resolve()
    if not any(folder.is_relative_to(root) for root in roots):
        raise SettingsError(
            "location",
            f"{location!r} is in none of {', '.join(map(str, roots))}: choose one below these, or "
            "add it to library.folders in the settings",
        )
    if folder.is_file():
        raise SettingsError("location", f"{location!r} is a file: name its folder, or upload it")
    if not folder.is_dir():
        raise SettingsError("location", f"there is no folder {location!r} on the server")
    return folder


def policy_of(settings: Settings, workspace: Workspace) -> guard.DomainPolicy:
    """Return where the pages of a workspace's library may come from."""
    allowed = guard.DomainPolicy(allowed=workspace.web_allowed_domains)
    return settings.domains.narrowed(allowed)
