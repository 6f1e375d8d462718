"""Agents, each in a workspace."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import Connection, delete, exists, select

from groundwire.conversation import Agent, now
from groundwire.errors import ConflictError
from groundwire.store import tables
from groundwire.store.repository import Repository, missing


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
            if connection.scalar(select(exists().where(held))):
                raise ConflictError(f"the agent {key!r} has sessions: delete them first")
            removed = connection.execute(delete(self.table).where(self.table.c.id == key))
            if not removed.rowcount:
                raise missing(self.what, key)

        await self._database.write(work)
