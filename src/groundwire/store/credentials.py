"""Browser sessions and API tokens; only hashes of them are stored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta

from sqlalchemy import bindparam, delete, select, update

from groundwire.conversation import ApiToken, Role, User, WebSession, now
from groundwire.store import tables
from groundwire.store.repository import Repository, Rows
from groundwire.store.rows import noun_of

_NOTED_EVERY = timedelta(minutes=1)
"""How often `last_seen_at` is written; a write for every request is too many."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SignedIn:
    """A user who is signed in, and their roles by workspace."""

    user: User
    roles: Mapping[str, Role]


_SIGNED_IN = (
    select(
        tables.users,
        tables.web_sessions.c.last_seen_at,
        tables.memberships.c.workspace_id,
        tables.memberships.c.role,
    )
    .select_from(
        tables.web_sessions.join(
            tables.users, tables.users.c.id == tables.web_sessions.c.user_id
        ).outerjoin(tables.memberships, tables.memberships.c.user_id == tables.users.c.id)
    )
    .where(
        tables.web_sessions.c.id_hash == bindparam("id_hash"),
        tables.web_sessions.c.expires_at > bindparam("moment"),
    )
)


class WebSessions(Rows[WebSession]):
    """Keeps which browsers are signed in, and until when."""

    table = tables.web_sessions
    kind = WebSession

    async def create(self, session: WebSession) -> WebSession:
        """Keep that a browser is signed in.

        Raises:
            NotFoundError: There is no such user.
        """
        return await self._insert(session)

    async def find(self, id_hash: str) -> WebSession | None:
        """Return the session with this hash unless its time is over, and note that it was used."""
        columns = self.table.c
        found = await self._first(columns.id_hash == id_hash, columns.expires_at > now())
        if found is not None:
            await self._note_use(id_hash, found.last_seen_at)
        return found

    async def signed_in(self, id_hash: str) -> SignedIn | None:
        """Return whose browser this is, with their roles, in one query; None if nobody's.

        Like `find` it notes that the session was used.
        """
        async with self._database.read() as connection:
            values = {"id_hash": id_hash, "moment": now()}
            rows = (await connection.execute(_SIGNED_IN, values)).mappings().all()
        if not rows:
            return None
        first, *_ = rows  # They differ in the workspace alone.
        await self._note_use(id_hash, first["last_seen_at"])
        user = noun_of(User, {each.name: first[each.name] for each in tables.users.columns})
        roles = {row["workspace_id"]: row["role"] for row in rows if row["workspace_id"]}
        return SignedIn(user=user, roles=roles)

    async def _note_use(self, id_hash: str, last: datetime) -> None:
        moment = now()
        if moment - last > _NOTED_EVERY:
            seen = update(self.table).where(self.table.c.id_hash == id_hash)
            await self._execute(seen.values(last_seen_at=moment))

    async def delete(self, id_hash: str) -> None:
        """Sign a browser out, if it is signed in."""
        await self._execute(delete(self.table).where(self.table.c.id_hash == id_hash))

    async def delete_of(self, user_id: str) -> None:
        """Sign a user out everywhere."""
        await self._execute(delete(self.table).where(self.table.c.user_id == user_id))

    async def delete_expired(self) -> int:
        """Remove those whose time is over, and return how many there were."""
        return await self._execute(delete(self.table).where(self.table.c.expires_at <= now()))


class ApiTokens(Repository[ApiToken]):
    """Keeps the tokens of programs, which are out at once when theirs is deleted."""

    table = tables.api_tokens
    kind = ApiToken
    what = "token"

    async def list(self, workspace_id: str) -> tuple[ApiToken, ...]:
        """Return the tokens of a workspace, oldest first."""
        return await self._select(
            self.table.c.workspace_id == workspace_id, order=self.table.c.created_at
        )

    async def find(self, token_hash: str, *, longest: timedelta) -> ApiToken | None:
        """Return the token with this hash unless its time is over, and note that it was used.

        `longest` is the longest life of a token, whatever it was made with.
        """
        columns, moment = self.table.c, now()
        found = await self._first(columns.token_hash == token_hash)
        if found is None or found.ends_at(longest) <= moment:
            return None
        last = found.last_used_at
        if last is None or moment - last > _NOTED_EVERY:
            used = update(self.table).where(columns.token_hash == token_hash)
            await self._execute(used.values(last_used_at=moment))
        return found

    async def adopt(self, user_id: str) -> None:
        """Give the tokens that nobody made, from before there were users, to a user."""
        await self._execute(
            update(self.table).where(self.table.c.user_id.is_(None)).values(user_id=user_id)
        )
