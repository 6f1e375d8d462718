"""Sessions: the list that a person looks through."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import UTC, datetime

from sqlalchemy import ColumnElement, func, or_, select, tuple_, update

from groundwire.conversation import Session, now
from groundwire.errors import NotFoundError
from groundwire.store import tables
from groundwire.store.repository import Repository, missing
from groundwire.store.rows import noun_of
from groundwire.store.scope import ALL, Scope

_SEPARATOR = "~"


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionPage:
    """Some sessions, and the cursor of those after them, "" if there are no more."""

    sessions: tuple[Session, ...]
    next: str = ""


class Sessions(Repository[Session]):
    """Keeps sessions; a message that is added makes its session the newest."""

    table = tables.sessions
    kind = Session
    what = "session"

    async def list(
        self,
        workspace_id: str,
        *,
        user_id: str | Scope | None,
        text: str = "",
        limit: int = 50,
        cursor: str = "",
    ) -> SessionPage:
        """Return sessions of a workspace, the newest first.

        `user_id` is whose they are: None means those that belong to nobody, ALL means everyone's.
        `text` is looked for in titles and messages, in any case of letters. `cursor` is the `next`
        of the page before.

        Raises:
            NotFoundError: The cursor is none.
        """
        conditions = [self.table.c.workspace_id == workspace_id]
        if user_id is not ALL:
            conditions.append(self.table.c.user_id == user_id)
        if text:
            conditions.append(_mentions(text))
        if cursor:
            conditions.append(_older_than(cursor))
        newest = (self.table.c.updated_at.desc(), self.table.c.id.desc())
        query = select(self.table).where(*conditions).order_by(*newest).limit(limit + 1)
        async with self._database.read() as connection:
            rows = (await connection.execute(query)).mappings().all()
        found = tuple(noun_of(Session, row) for row in rows)
        shown = found[:limit]
        return SessionPage(sessions=shown, next=_cursor(shown[-1]) if len(found) > limit else "")

    async def update(self, session: Session) -> Session:
        """Replace what is kept of a session, and return it as it is now.

        Raises:
            NotFoundError: There is no such session.
        """
        return await self._replace(session.id, replace(session, updated_at=now()))

    async def restore(self, session: Session) -> Session:
        """Replace what is kept of a session, its times too, and return it.

        Raises:
            NotFoundError: There is no such session.
        """
        return await self._replace(session.id, session)

    async def adopt(self, user_id: str) -> None:
        """Give the sessions that belong to nobody to a user; their order stays."""
        await self._execute(
            update(self.table).where(self.table.c.user_id.is_(None)).values(user_id=user_id)
        )

    async def rename(self, key: str, title: str) -> None:
        """Give a session another title; its place in the list stays.

        Raises:
            NotFoundError: There is no such session.
        """
        changed = update(self.table).where(self.table.c.id == key).values(title=title)
        if not await self._execute(changed):
            raise missing(self.what, key)


def _mentions(text: str) -> ColumnElement[bool]:
    messages = tables.messages.c
    # An answer's own text has markers between the words.
    words = func.coalesce(func.nullif(messages.plain_text, ""), messages.content)
    said = select(messages.id).where(
        messages.session_id == tables.sessions.c.id, words.icontains(text, autoescape=True)
    )
    return or_(tables.sessions.c.title.icontains(text, autoescape=True), said.exists())


def _cursor(session: Session) -> str:
    return f"{session.updated_at.isoformat()}{_SEPARATOR}{session.id}"


def _older_than(cursor: str) -> ColumnElement[bool]:
    time, _, key = cursor.partition(_SEPARATOR)
    try:
        updated_at = datetime.fromisoformat(time).astimezone(UTC)
    except (ValueError, OverflowError) as error:
        raise NotFoundError(f"no page of sessions begins at {cursor!r}") from error
    columns = tables.sessions.c
    return tuple_(columns.updated_at, columns.id) < tuple_(updated_at, key)
