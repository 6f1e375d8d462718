"""Browser sessions and API tokens; only hashes of them are stored."""

from __future__ import annotations

from datetime import timedelta

from sqlalchemy import delete, update

from groundwire.conversation import ApiToken, WebSession, now
from groundwire.store import tables
from groundwire.store.repository import Repository, Rows

_NOTED_EVERY = timedelta(minutes=1)
"""How often `last_seen_at` is written; a write for every request is too many."""


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
        columns, moment = self.table.c, now()
        found = await self._select(columns.id_hash == id_hash, columns.expires_at > moment)
        if not found:
            return None
        if moment - found[0].last_seen_at > _NOTED_EVERY:
            seen = update(self.table).where(columns.id_hash == id_hash)
            await self._execute(seen.values(last_seen_at=moment))
        return found[0]

    async def delete(self, id_hash: str) -> None:
        """Sign a browser out, if it is signed in."""
        await self._execute(delete(self.table).where(self.table.c.id_hash == id_hash))

    async def delete_expired(self) -> int:
        """Remove those whose time is over, and return how many there were."""
        return await self._execute(delete(self.table).where(self.table.c.expires_at <= now()))


class ApiTokens(Repository[ApiToken]):
    """Keeps the tokens of programs."""

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
        found = await self._select(columns.token_hash == token_hash)
        if not found or found[0].ends_at(longest) <= moment:
            return None
        last = found[0].last_used_at
        if last is None or moment - last > _NOTED_EVERY:
            used = update(self.table).where(columns.token_hash == token_hash)
            await self._execute(used.values(last_used_at=moment))
        return found[0]

    async def adopt(self, user_id: str) -> None:
        """Give the tokens that nobody made, from before there were users, to a user."""
        await self._execute(
            update(self.table).where(self.table.c.user_id.is_(None)).values(user_id=user_id)
        )

    async def delete(self, key: str) -> None:
        """Remove a token; programs that use it are out at once.

        Raises:
            NotFoundError: There is no such token.
        """
        await self._remove(key)
