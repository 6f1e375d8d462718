"""The store: one database, and what is kept in it."""

from __future__ import annotations

import asyncio
import logging
import os
from collections.abc import Generator
from contextlib import suppress
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, insert, select, text

from groundwire.errors import ConflictError, StoreError, StoreUnavailableError
from groundwire.store import tables
from groundwire.store.agents import Agents
from groundwire.store.audit import Audit
from groundwire.store.citation_checks import CitationChecks
from groundwire.store.credentials import ApiTokens, WebSessions
from groundwire.store.database import Database, saving
from groundwire.store.database_errors import shown
from groundwire.store.database_url import address
from groundwire.store.engines import Pool
from groundwire.store.feedback import Feedbacks
from groundwire.store.health import DatabaseHealth, check_at_start, health
from groundwire.store.identities import Identities
from groundwire.store.library_sources import LibrarySources
from groundwire.store.messages import Messages
from groundwire.store.migration import migrate
from groundwire.store.owners import Owners
from groundwire.store.providers import Models, Providers
from groundwire.store.quota_uses import QuotaUses
from groundwire.store.rows import columns_of
from groundwire.store.sessions import Sessions
from groundwire.store.snapshots import Snapshots
from groundwire.store.turn_contexts import TurnContexts
from groundwire.store.usage import UsageReports
from groundwire.store.users import Memberships, Users
from groundwire.store.workspaces import Workspaces, personal_workspace
from groundwire.system.closeable import AsyncCloseable
from groundwire.system.files import private_folder

LEASE_SECONDS = 12.0
RENEW_SECONDS = 2.0
_LOG = logging.getLogger(__name__)


class Store(AsyncCloseable):
    """Everything that is kept, by kind. `Store.open` gives one that is ready.

    As long as it is open it holds a lease in the database, by which other processes know that
    nobody else has to look after the answers it is making.
    """

    def __init__(self, database: Database) -> None:
        self._database = database
        self._owners = Owners(database, lease_seconds=LEASE_SECONDS, renew_seconds=RENEW_SECONDS)
        self._lease: asyncio.Task[None] | None = None
        self.workspaces = Workspaces(database)
        self.agents = Agents(database)
        self.providers = Providers(database)
        self.models = Models(database)
        self.sessions = Sessions(database)
        self.turn_contexts = TurnContexts(database)
        self.messages = Messages(database, self._owners.id)
        self.citation_checks = CitationChecks(database, self._owners.id)
        self.snapshots = Snapshots(database)
        self.feedback = Feedbacks(database)
        self.library_sources = LibrarySources(database, self._owners.id)
        self.users = Users(database)
        self.memberships = Memberships(database)
        self.identities = Identities(database)
        self.web_sessions = WebSessions(database)
        self.tokens = ApiTokens(database)
        self.audit = Audit(database)
        self.usage = UsageReports(database)
        self.quota_uses = QuotaUses(database)

    @classmethod
    def open(
        cls,
        url: str | Path = "",
        *,
        pool: Pool | None = None,
    ) -> OpenStore:
        """Open a database: `await` it, or use it in `async with`, which closes it too.

        "" is a file of SQLite among our own. The database is brought to the newest revision, a
        new one gets a personal workspace, and what a process that is gone was making is
        interrupted.

        Raises:
            StoreError: It cannot be used: damaged, newer than this program, or not there.
        """
        return OpenStore(url, pool)

    def __repr__(self) -> str:
        return f"Store({shown(self._database.url)})"

    @property
    def kind(self) -> str:
        """Return which database it is: sqlite or postgresql."""
        return self._database.url.get_backend_name()

    def connections(self) -> dict[str, int]:
        """Return how many connections are used and free, and how many requests wait for one."""
        return self._database.connections()

    async def ping(self) -> None:
        """Have the database answer the smallest question.

        Raises:
            StoreError: It did not.
        """
        async with self._database.read() as connection:
            await connection.execute(text("SELECT 1"))

    async def interrupted(self) -> tuple[str, ...]:
        """Mark the answers of processes that are gone as interrupted, and return their ids.

        It is done when a store is opened and whenever its lease is renewed.

        Raises:
            StoreError: The database did not answer.
        """
        with saving():
            return await self._owners.renew()

    async def check(self) -> DatabaseHealth:
        """Look at everything that is kept, which takes as long as reading it.

        Raises:
            StoreError: The database did not answer.
        """
        return await health(self._database)

    async def close(self) -> None:
        """Save what was asked for, give up the lease, and close every connection."""
        if self._lease is not None:
            self._lease.cancel()
            with suppress(asyncio.CancelledError):
                await self._lease
        await self.messages.finish()
        try:
            with saving():
                await self._owners.leave()
        except StoreError as error:
            _LOG.warning("the lease was not given up and will run out: %s", error.with_address())
        await self._database.close()

    async def prepare(self) -> None:
        """Bring the database to where it can be used, and begin to hold the lease.

        Raises:
            StoreError: It cannot be used.
        """
        await asyncio.to_thread(_make_file, self._database)
        await check_at_start(self._database)
        await migrate(self._database)
        with suppress(ConflictError):  # another process made it in the same moment
            await self._database.write(_make_personal_workspace)
        await self.interrupted()
        self._lease = asyncio.create_task(self._keep_lease())

    async def _keep_lease(self) -> None:
        while True:
            await asyncio.sleep(RENEW_SECONDS)
            try:
                await self.interrupted()
            except StoreError as error:
                _LOG.warning("the lease could not be renewed: %s", error.with_address())


class OpenStore:
    """A store that is about to be opened, once it is awaited."""

    def __init__(self, url: str | Path, pool: Pool | None) -> None:
        self._url = url
        self._pool = pool
        self._store: Store | None = None

    def __await__(self) -> Generator[Any, None, Store]:
        return self._open().__await__()

    async def __aenter__(self) -> Store:
        self._store = await self._open()
        return self._store

    async def __aexit__(self, *_: object) -> None:
        if self._store is not None:
            await self._store.close()

    async def _open(self) -> Store:
        database = Database(address(self._url), self._pool)
        store = Store(database)
        try:
            await store.prepare()
        except BaseException:
            await database.close()
            raise
        return store


def _make_file(database: Database) -> None:
    if not database.is_sqlite:
        return
    path = Path(database.url.database or "")
    try:
        private_folder(path.parent)
        # Conversations are private: readable for the owner of the file alone. A file that is there
        # is left alone: to close it would give up the locks that this process holds on it.
        with suppress(FileExistsError):
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    except OSError as error:
        raise StoreUnavailableError(f"{path} cannot be opened: {error.strerror}") from error


def _make_personal_workspace(connection: Connection) -> None:
    workspaces = tables.workspaces
    if not connection.scalar(select(select(workspaces.c.id).exists())):
        row = columns_of(personal_workspace(), workspaces)
        connection.execute(insert(workspaces), row)
