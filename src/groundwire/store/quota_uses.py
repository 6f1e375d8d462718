"""What was used of quotas, by day and holder: counted by one statement, whichever server counts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from datetime import date
from typing import Any

from sqlalchemy import delete, select
from sqlalchemy.dialects import postgresql, sqlite

from groundwire.conversation.quota import NAMES, QuotaUse
from groundwire.store import tables
from groundwire.store.database import Database
from groundwire.store.rows import Row

_USES = tables.quota_uses


class QuotaUses:
    """Counts by holder, such as `user 3f2c…`."""

    def __init__(self, database: Database) -> None:
        self._database = database

    async def add(self, day: date, holders: Sequence[str], more: QuotaUse) -> dict[str, QuotaUse]:
        """Add to what holders used in a day, and return all that each used by then.

        One statement: the database adds for one server after the other.
        """
        dialect = sqlite if self._database.is_sqlite else postgresql
        # Always in the same order, so that two who count for the same holders do not block.
        rows = [{"day": str(day), "holder": each, **asdict(more)} for each in sorted(holders)]
        adding = dialect.insert(_USES).values(rows)
        sums: dict[str, Any] = {name: _USES.c[name] + adding.excluded[name] for name in NAMES}
        counted = adding.on_conflict_do_update(index_elements=["day", "holder"], set_=sums)
        found = await self._database.execute(counted.returning(_USES))
        return {row["holder"]: _use(row) for row in found.mappings()}

    async def of_day(
        self, day: date, holders: Sequence[str] | None = None
    ) -> Mapping[str, QuotaUse]:
        """Return what holders used in a day; None is all of them."""
        query = select(_USES).where(_USES.c.day == str(day)).order_by(_USES.c.holder)
        if holders is not None:
            query = query.where(_USES.c.holder.in_(holders))
        async with self._database.read() as connection:
            rows = (await connection.execute(query)).mappings().all()
        return {row["holder"]: _use(row) for row in rows}

    async def forget_before(self, day: date, holders: Sequence[str]) -> None:
        """Remove what holders used on earlier days, which nobody asks for again."""
        old = (_USES.c.day < str(day)) & _USES.c.holder.in_(holders)
        await self._database.execute(delete(_USES).where(old))


def _use(row: Row) -> QuotaUse:
    return QuotaUse(
        answers=round(row["answers"]),
        tokens=round(row["tokens"]),
        cost_usd=row["cost_usd"],
        searches=round(row["searches"]),
    )
