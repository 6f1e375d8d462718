"""Users, and what they may do in which workspace."""

from __future__ import annotations

from sqlalchemy import Connection, delete, func, select

from groundwire.conversation import Membership, Role, User
from groundwire.store import tables
from groundwire.store.repository import NamedRepository, Rows, missing, upsert
from groundwire.store.rows import columns_of


class Users(NamedRepository[User]):
    """Keeps users; no two have the same name."""

    table = tables.users
    kind = User
    what = "user"
    order = "name"

    async def count(self) -> int:
        """Return how many there are; with none, nobody can sign in."""
        async with self._database.read() as connection:
            counted = await connection.execute(select(func.count()).select_from(self.table))
        return counted.scalar_one()

    async def delete(self, key: str) -> None:
        """Remove a user with their sessions, memberships and tokens, signed out everywhere.

        Raises:
            NotFoundError: There is no such user.
        """

        def work(connection: Connection) -> None:
            own = tables.sessions.c.user_id == key
            connection.execute(delete(tables.sessions).where(own))
            removed = connection.execute(delete(self.table).where(self.table.c.id == key))
            if not removed.rowcount:
                raise missing(self.what, key)

        await self._database.write(work)


class Memberships(Rows[Membership]):
    """Keeps who is what in which workspace."""

    table = tables.memberships
    kind = Membership

    async def set(self, membership: Membership) -> None:
        """Give a user a role in a workspace, in place of the one they had.

        Raises:
            NotFoundError: There is no such user or workspace.
        """
        statement = upsert(self._database.url.get_backend_name(), self.table)
        await self._execute(statement.values(columns_of(membership, self.table)))

    async def role(self, user_id: str, workspace_id: str) -> Role | None:
        """Return what a user may do in a workspace, None for nothing."""
        columns = self.table.c
        found = await self._first(columns.user_id == user_id, columns.workspace_id == workspace_id)
        return found.role if found else None

    async def of_workspace(self, workspace_id: str) -> tuple[Membership, ...]:
        """Return who is a member of a workspace."""
        return await self._select(
            self.table.c.workspace_id == workspace_id, order=self.table.c.user_id
        )

    async def remove(self, user_id: str, workspace_id: str) -> None:
        """Take a user out of a workspace, if they are in it."""
        columns = self.table.c
        await self._execute(
            delete(self.table).where(
                columns.user_id == user_id, columns.workspace_id == workspace_id
            )
        )
