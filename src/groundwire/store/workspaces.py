"""Workspaces and where their agents may go."""

from __future__ import annotations

from dataclasses import replace

from sqlalchemy import Connection, delete, select

from groundwire.conversation import EVERYWHERE, Workspace, now
from groundwire.errors import ConflictError, InvalidDomainsError
from groundwire.guard import domain_problem
from groundwire.store import tables
from groundwire.store.repository import Repository, missing

PERSONAL = "personal"
"""The id of the workspace that is made at first start."""


class Workspaces(Repository[Workspace]):
    """Keeps workspaces; one with an invalid domain is refused."""

    table = tables.workspaces
    kind = Workspace
    what = "workspace"

    async def create(self, workspace: Workspace) -> Workspace:
        """Keep a new workspace.

        Raises:
            InvalidDomainsError: With a reason for every bad entry.
        """
        return await self._insert(_checked(workspace))

    async def list(self) -> tuple[Workspace, ...]:
        """Return all of them, oldest first."""
        return await self._select(order=self.table.c.created_at)

    async def update(self, workspace: Workspace) -> Workspace:
        """Replace what is kept of a workspace, and return it as it is now.

        Raises:
            InvalidDomainsError: With a reason for every bad entry.
            NotFoundError: There is no such workspace.
        """
        changed = replace(_checked(workspace), updated_at=now())
        return await self._replace(workspace.id, changed)

    async def delete(self, key: str) -> None:
        """Remove a workspace with its agents, sessions, members and tokens.

        Raises:
            ConflictError: It is the last one.
            NotFoundError: There is no such workspace.
        """

        def work(connection: Connection) -> None:
            # Held, so that two who remove the last two at once come one after the other.
            held = select(self.table.c.id).with_for_update()
            kept = set(connection.execute(held).scalars())
            if key not in kept:
                raise missing(self.what, key)
            if kept == {key}:
                raise ConflictError("the last workspace stays: add another one first")
            connection.execute(delete(self.table).where(self.table.c.id == key))

        await self._database.write(work)


def personal_workspace() -> Workspace:
    """Return the workspace of a first start, which may visit the whole web."""
    return Workspace(
        id=PERSONAL, name="Personal", web_allowed_domains=EVERYWHERE, has_first_library=True
    )


def _checked(workspace: Workspace) -> Workspace:
    problems = tuple(
        (entry, problem)
        for entry in workspace.web_allowed_domains
        if (problem := domain_problem(entry))
    )
    if problems:
        raise InvalidDomainsError(problems)
    domains = dict.fromkeys(entry.lower() for entry in workspace.web_allowed_domains)
    return replace(workspace, web_allowed_domains=tuple(domains))
