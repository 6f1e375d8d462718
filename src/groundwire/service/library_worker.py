"""Reads the sources of workspaces' libraries: when they are added, asked for, or due.

Every server does; a source is claimed in the database, so that one of them reads it. What a server
that is gone was reading, and what was due while none ran, is taken up by the next.
"""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from contextlib import suppress
from dataclasses import asdict, replace
from pathlib import Path
from typing import TYPE_CHECKING, assert_never

from groundwire.config.settings.chains import named
from groundwire.errors import GroundwireError, NotFoundError, ReadFailedError, StoreError
from groundwire.library import (
    Adder,
    library_path,
    open_library,
    reader,
    remove_library,
    uploads_folder,
)
from groundwire.redaction import redact
from groundwire.search import ReadChain
from groundwire.search.query_embedding import embedding_service
from groundwire.service.documentation import library_options
from groundwire.service.library_embeddings import embed_library
from groundwire.service.uploads import Uploads
from groundwire.service.workspace_library import allowed_folder, documents_of, policy_of
from groundwire.store.source_records import SourceKind, SourceState

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groundwire.conversation import Workspace
    from groundwire.library import Library, Report
    from groundwire.service.program import Groundwire
    from groundwire.store.source_records import LibrarySource

EVERY_SECONDS = 15.0
_TOLD_EVERY_SECONDS = 0.5
_MAX_FAILURES = 200
_COUNTS = ("added", "updated", "unchanged", "removed", "skipped")
_UPLOADS = "uploads"
_LOG = logging.getLogger(__name__)


class LibraryWorker:
    """One for a server; belongs to its event loop."""

    def __init__(self, program: Groundwire) -> None:
        self._program = program
        self._wanted = asyncio.Event()
        self._embedded: dict[str, int] = {}

    def wake(self) -> None:
        """Look for work at once."""
        self._wanted.set()

    async def keep_working(self) -> None:
        """Read what waits, and look for more every so often, until cancelled."""
        while True:
            self._wanted.clear()
            try:
                while await self.work():
                    pass
                await self.embed()
            except StoreError as error:
                _LOG.warning("sources of libraries were not read: %s", error.with_address())
            with suppress(TimeoutError):
                async with asyncio.timeout(EVERY_SECONDS):
                    await self._wanted.wait()

    async def embed(self) -> None:
        """Make the vectors that libraries lack, where the settings name who makes them."""
        if embedding_service(self._program.search_context) is None:
            return
        for workspace in await self._program.store.workspaces.list():
            options = library_options(self._program.settings, workspace.library)
            path = library_path(options)
            written = path.stat().st_mtime_ns if path.exists() else 0
            if not written or self._embedded.get(workspace.id) == written:
                continue
            try:
                await embed_library(self._program.search_context, options)
            except (GroundwireError, OSError, sqlite3.Error) as error:
                _LOG.warning("the vectors of a library were not made: %s", redact(str(error)))
                return
            self._embedded[workspace.id] = path.stat().st_mtime_ns

    async def work(self) -> bool:
        """Read one source that waits; tell whether there was one."""
        store = self._program.store
        source = await store.library_sources.claim()
        if source is None:
            return False
        try:
            workspace = await store.workspaces.get(source.workspace_id)
        except NotFoundError:
            return True
        options = library_options(self._program.settings, workspace.library)
        ended = await self._read(source, workspace, options)
        if not await store.library_sources.finish(ended):
            await self._forget(ended, workspace, options)
        return True

    async def _read(
        self, source: LibrarySource, workspace: Workspace, options: Mapping[str, object]
    ) -> LibrarySource:
        """Return the source as it is when it was read, or why it was not."""
        run = _Run(source)
        telling = asyncio.create_task(self._tell(run))
        try:
            library = await asyncio.to_thread(open_library, options, writes=True)
            with library:
                async with reader(1) as documents:
                    adder = Adder(library, documents, run.progress)
                    address, report = await self._added(source, workspace, library, adder)
        except (GroundwireError, OSError, sqlite3.Error, ValueError) as error:
            # The last is tantivy's for an index that it cannot use.
            reason = redact(str(error))
            return replace(source, state=SourceState.FAILED, error=reason, failures=(), counts={})
        finally:
            telling.cancel()
            await asyncio.wait([telling])
        return _ended(run, address, report)

    async def _added(
        self, source: LibrarySource, workspace: Workspace, library: Library, adder: Adder
    ) -> tuple[str, Report]:
        settings = self._program.settings
        match source.kind:
            case SourceKind.FOLDER:
                folder = await asyncio.to_thread(allowed_folder, settings, source.location)
                report = await adder.add_folder(folder, prune=True)
            case SourceKind.UPLOADS:
                options = library_options(settings, workspace.library)
                uploads = Uploads(uploads_folder(options), settings.library)
                name = await asyncio.to_thread(_free_name, library, uploads.folder)
                report = await adder.add_files(uploads.folder, uploads.files(), name=name)
            case SourceKind.URL:
                return await self._page(source, workspace, adder)
            case never:
                assert_never(never)
        return report.collection, report

    async def _page(
        self, source: LibrarySource, workspace: Workspace, adder: Adder
    ) -> tuple[str, Report]:
        """Read a page through the guard, as everything of the web is."""
        search_context = self._program.search_context.within(workspace.library)
        names = [each for each in named(search_context.settings.read_provider) if each != "library"]
        policy = policy_of(search_context.settings, workspace)
        chain = ReadChain(search_context, policy=policy, names=names or ["local"])
        reply = await chain.read(source.location, by_agent=False, is_fresh=True)
        if not reply.page.success:
            raise ReadFailedError(source.location, reply.attempts)
        return reply.page.url, await adder.add_page(reply.page)

    async def _tell(self, run: _Run) -> None:
        """Note how far it is, for pages that show it, until cancelled."""
        while True:
            await asyncio.sleep(_TOLD_EVERY_SECONDS)
            if run.is_new:
                run.is_new = False
                with suppress(StoreError):
                    sources = self._program.store.library_sources
                    await sources.progress(run.source.id, run.done, run.total)

    async def _forget(
        self, source: LibrarySource, workspace: Workspace, options: Mapping[str, object]
    ) -> None:
        """Undo the reading of a source that was removed meanwhile, or whose workspace was."""
        try:
            await self._program.store.workspaces.get(workspace.id)
        except NotFoundError:
            await asyncio.to_thread(remove_library, options)
            return

        def work() -> None:
            with open_library(options, writes=True) as library:
                library.remove(documents_of(library, source, uploads_folder(options)))

        await asyncio.to_thread(work)


class _Run:
    """How far the reading of a source is."""

    def __init__(self, source: LibrarySource) -> None:
        self.source = source
        self.done = self.total = 0
        self.is_new = False

    def progress(self, done: int, total: int) -> None:
        self.done, self.total, self.is_new = done, total, True


def _ended(run: _Run, address: str, report: Report) -> LibrarySource:
    said = asdict(report)
    failures = [(Path(each.source).name, each.reason) for each in report.failures]
    return replace(
        run.source,
        address=address,
        state=SourceState.READY,
        done=run.done,
        total=run.total,
        counts={**{name: said[name] for name in _COUNTS}, "failed": len(failures)},
        failures=failures[:_MAX_FAILURES],
        error="",
    )


def _free_name(library: Library, folder: Path) -> str:
    """Return what the collection of uploads is called, where nothing else is called so."""
    root = str(folder.resolve())
    taken = {each.name for each in library.collections() if each.root != root}
    return _UPLOADS if _UPLOADS not in taken else ""
