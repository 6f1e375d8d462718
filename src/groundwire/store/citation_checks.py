"""Citations compared with their pages: the facts, the pages as they were read, what is open."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from sqlalchemy import ColumnElement, Connection, Update, delete, func, or_, select, text, update

from groundwire.checks.records import CheckRecord, Snapshot, SourcePage
from groundwire.conversation import ChecksState, Status
from groundwire.model import Usage
from groundwire.store import tables
from groundwire.store.database import Database, saving
from groundwire.store.repository import missing, upsert
from groundwire.store.rows import OPEN_CHECKS, columns_of, noun_of
from groundwire.store.snapshots import texts, write_snapshots

_CHECKS, _PAGES, _MESSAGES = tables.citation_checks, tables.source_pages, tables.messages
# In words, so that the index of just these is used.
_IS_OPEN = text("checks_state IN ('pending', 'again')")


class CitationChecks:
    """Keeps what the citations of answers came to; all of it goes with the message.

    An answer with open checks belongs to the process that compares them, by the same lease as an
    answer in the making: when the process is gone, another one can `claim` it.
    """

    def __init__(self, database: Database, owner: str) -> None:
        self._database = database
        self._owner = owner

    async def save(
        self,
        checks: Sequence[CheckRecord],
        pages: Sequence[SourcePage] = (),
        snapshots: Sequence[Snapshot] = (),
    ) -> None:
        """Keep checks and the pages they rest on, in place of those that stand there.

        The text of a page without one is that of the snapshot with the same hash.

        Raises:
            NotFoundError: The message is not kept, or not any more.
        """

        def work(connection: Connection) -> None:
            for table, nouns in ((_PAGES, pages), (_CHECKS, checks)):
                if rows := [columns_of(each, table) for each in nouns]:
                    connection.execute(upsert(connection.dialect.name, table), rows)
            write_snapshots(connection, snapshots)

        with saving():
            await self._database.write(work)

    async def finish(self, message_id: str) -> None:
        """Note that all citations of a message are compared, as far as they can be."""
        with saving():
            await self._database.execute(_changed(message_id, ChecksState.DONE, None))

    async def spend(
        self, message_id: str, usage: Usage, cost_usd: float | None, *, is_partial: bool
    ) -> None:
        """Add what a judge used to what a message did; `is_partial` if a price is missing."""
        columns = _MESSAGES.c
        used = {
            name: func.coalesce(columns[name], 0) + count
            for name in ("input_tokens", "output_tokens")
            if (count := getattr(usage, name))
        }
        if cost_usd is not None:
            used["cost_usd"] = func.coalesce(columns.cost_usd, 0.0) + cost_usd
        values = {**used, **({"cost_is_partial": True} if is_partial else {})}
        if values:
            changed = update(_MESSAGES).where(columns.id == message_id).values(values)
            with saving():
                await self._database.execute(changed)

    async def begin_again(self, message_id: str) -> None:
        """Forget what the citations of a message came to: they are compared anew, and here.

        The pages stay until newer ones are read.
        """

        def work(connection: Connection) -> None:
            connection.execute(delete(_CHECKS).where(_CHECKS.c.message_id == message_id))
            connection.execute(_changed(message_id, ChecksState.AGAIN, self._owner))

        await self._database.write(work)

    async def claim(self, *, busy: Collection[str] = (), limit: int) -> tuple[str, ...]:
        """Take over answers whose checks are open and nobody's, the oldest first; return their ids.

        `busy` are those that are being compared here.
        """
        columns = _MESSAGES.c
        is_free = or_(
            columns.checks_owner.is_(None),
            columns.checks_owner == self._owner,
            columns.checks_owner.not_in(select(tables.owners.c.id)),
        )
        is_whole = columns.status != Status.STREAMING
        found = (
            select(columns.id)
            .where(_IS_OPEN, is_whole, is_free, columns.id.not_in(busy))
            .order_by(columns.created_at)
            .limit(limit)
        )
        # Asked for again where it is taken: another process may have been faster.
        taken = (
            update(_MESSAGES)
            .where(columns.id.in_(found), columns.checks_state.in_(OPEN_CHECKS), is_free)
            .values(checks_owner=self._owner)
            .returning(columns.id)
        )

        def work(connection: Connection) -> tuple[str, ...]:
            return tuple(connection.execute(taken).scalars())

        with saving():
            return await self._database.write(work)

    async def of_message(self, message_id: str) -> tuple[CheckRecord, ...]:
        """Return the checks of one message, by their places."""
        return await self._select(_CHECKS.c.message_id == message_id)

    async def of_session(self, session_id: str) -> Mapping[str, Sequence[CheckRecord]]:
        """Return the checks of a session's messages, by message."""
        ids = select(_MESSAGES.c.id).where(_MESSAGES.c.session_id == session_id)
        found: defaultdict[str, list[CheckRecord]] = defaultdict(list)
        for each in await self._select(_CHECKS.c.message_id.in_(ids)):
            found[each.message_id].append(each)
        return found

    async def page(self, message_id: str, number: int) -> SourcePage:
        """Return a source of a message as it was read.

        Raises:
            NotFoundError: It was not, or there is no such source.
        """
        pages = await self.pages(message_id)
        found = next((each for each in pages if each.number == number), None)
        if found is None:
            raise missing("page of source", f"{number} of {message_id}")
        return found

    async def pages(self, message_id: str) -> tuple[SourcePage, ...]:
        """Return the sources of a message that were read, by number."""
        query = select(_PAGES).where(_PAGES.c.message_id == message_id).order_by(_PAGES.c.number)
        async with self._database.read() as connection:
            rows = (await connection.execute(query)).mappings().all()
            pages = tuple(noun_of(SourcePage, row) for row in rows)
            # The text stands in the row itself where no snapshots are kept.
            kept = await texts(connection, {each.text_hash for each in pages if not each.text})
        return tuple(
            replace(each, text=each.text or kept.get(each.text_hash, "")) for each in pages
        )

    async def _select(self, condition: ColumnElement[bool]) -> tuple[CheckRecord, ...]:
        order = (_CHECKS.c.message_id, _CHECKS.c.position, _CHECKS.c.number)
        query = select(_CHECKS).where(condition).order_by(*order)
        async with self._database.read() as connection:
            rows = (await connection.execute(query)).mappings().all()
        return tuple(noun_of(CheckRecord, row) for row in rows)


def _changed(message_id: str, state: ChecksState, owner: str | None) -> Update:
    values = {"checks_state": state, "checks_owner": owner}
    return update(_MESSAGES).where(_MESSAGES.c.id == message_id).values(values)
