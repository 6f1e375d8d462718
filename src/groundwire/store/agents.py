"""Agents, providers and their models."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from sqlalchemy import Connection, delete, insert, select, update

from groundwire.conversation import Agent, ModelRecord, ProviderRecord, now
from groundwire.errors import ConflictError
from groundwire.store import tables
from groundwire.store.repository import NamedRepository, Repository, Rows, missing
from groundwire.store.rows import columns_of
from groundwire.store.scope import ALL, Scope


class Agents(Repository[Agent]):
    """Keeps agents."""

    table = tables.agents
    kind = Agent
    what = "agent"

    async def list(self, workspace_id: str) -> tuple[Agent, ...]:
        """Return the agents of a workspace, oldest first."""
        return await self._select(
            self.table.c.workspace_id == workspace_id, order=self.table.c.created_at
        )

    async def update(self, agent: Agent) -> Agent:
        """Replace what is kept of an agent, and return it as it is now.

        Raises:
            NotFoundError: There is no such agent, workspace or provider.
        """
        return await self._replace(agent.id, replace(agent, updated_at=now()))

    async def delete(self, key: str) -> None:
        """Remove an agent.

        Raises:
            ConflictError: It has sessions.
            NotFoundError: There is no such agent.
        """

        def work(connection: Connection) -> None:
            held = tables.sessions.c.agent_id == key
            if connection.execute(select(tables.sessions.c.id).where(held).limit(1)).first():
                raise ConflictError(f"the agent {key!r} has sessions: delete them first")
            removed = connection.execute(delete(self.table).where(self.table.c.id == key))
            if not removed.rowcount:
                raise missing(self.what, key)

        await self._database.write(work)


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
