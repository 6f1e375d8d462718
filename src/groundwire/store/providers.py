"""Configured providers, and the models that each of them offers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sqlalchemy import Connection, delete, insert, update

from groundwire.conversation import ModelRecord, ProviderRecord, now
from groundwire.store import tables
from groundwire.store.repository import NamedRepository, Rows, missing
from groundwire.store.rows import columns_of
from groundwire.store.scope import ALL, Scope


class Providers(NamedRepository[ProviderRecord]):
    """Keeps configured providers, without their keys."""

    table = tables.providers
    kind = ProviderRecord
    what = "provider"

    async def update(self, provider: ProviderRecord) -> ProviderRecord:
        """Replace what is kept of a provider, at a new time."""
        return await super().update(replace(provider, updated_at=now()))

    async def set_default(self, key: str) -> ProviderRecord:
        """Let a provider, and no other, be the one that is used by default.

        Raises:
            NotFoundError: There is no such provider.
        """

        def work(connection: Connection) -> None:
            connection.execute(update(self.table).values(is_default=False))
            chosen = update(self.table).where(self.table.c.id == key).values(is_default=True)
            if not connection.execute(chosen).rowcount:
                raise missing(self.what, key)

        await self._database.write(work)
        return await self.get(key)


class Models(Rows[ModelRecord]):
    """Keeps what each provider offers, as it was last fetched."""

    table = tables.models
    kind = ModelRecord

    async def list(self, provider_id: str | Scope) -> tuple[ModelRecord, ...]:
        """Return the models of a provider by name; ALL means every provider's."""
        condition = [] if provider_id is ALL else [self.table.c.provider_id == provider_id]
        return await self._select(*condition, order=self.table.c.model)

    async def replace(self, provider_id: str, models: Iterable[ModelRecord]) -> None:
        """Keep these models of a provider and no others.

        Raises:
            NotFoundError: There is no such provider.
        """
        rows = list({model.model: columns_of(model, self.table) for model in models}.values())

        def work(connection: Connection) -> None:
            connection.execute(delete(self.table).where(self.table.c.provider_id == provider_id))
            if rows:
                connection.execute(insert(self.table), rows)

        await self._database.write(work)
