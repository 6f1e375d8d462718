"""What all repositories do alike: make, get, change and remove one noun of one table."""

from __future__ import annotations

from functools import cache
from typing import Any, ClassVar, Generic, TypeVar

from sqlalchemy import ColumnElement, Executable, Insert, Table, delete, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite

from groundwire.conversation import ProviderRecord, User
from groundwire.errors import ConflictError, NotFoundError
from groundwire.store.database import Database
from groundwire.store.rows import columns_of, noun_of

T = TypeVar("T")
N = TypeVar("N", bound=ProviderRecord | User)


def missing(what: str, key: str) -> NotFoundError:
    """Return the error for something that is not there."""
    return NotFoundError(f"there is no {what} {key!r}")


@cache
def upsert(dialect: str, table: Table) -> Insert:
    """Return the statement that inserts rows in place of those that have their keys."""
    insert_into = (sqlite if dialect == "sqlite" else postgresql).insert(table)
    place = [column.name for column in table.primary_key.columns]
    values = {each.name: each for each in insert_into.excluded if each.name not in place}
    found: Insert = insert_into.on_conflict_do_update(index_elements=place, set_=values)
    return found


@cache
def _insert_into(table: Table) -> Insert:
    return insert(table)


class Rows(Generic[T]):
    """Keeps the nouns of one table."""

    table: ClassVar[Table]
    kind: ClassVar[type[Any]]

    def __init__(self, database: Database) -> None:
        self._database = database

    async def _select(
        self,
        *conditions: ColumnElement[bool],
        order: ColumnElement[Any] | None = None,
        limit: int | None = None,
    ) -> tuple[T, ...]:
        query = select(self.table).where(*conditions).limit(limit)
        if order is not None:
            query = query.order_by(order, *self.table.primary_key.columns)
        async with self._database.read() as connection:
            rows = (await connection.execute(query)).mappings().all()
        return tuple(noun_of(self.kind, row) for row in rows)

    async def _first(self, *conditions: ColumnElement[bool]) -> T | None:
        """Return the noun of these conditions, None without one."""
        return next(iter(await self._select(*conditions)), None)

    async def _insert(self, noun: T) -> T:
        await self._database.execute(_insert_into(self.table), columns_of(noun, self.table))
        return noun

    async def _execute(self, statement: Executable) -> int:
        """Run one statement and return how many rows it touched."""
        return (await self._database.execute(statement)).rowcount


class Repository(Rows[T]):
    """Keeps the nouns of one table, each under its id; `what` is how a person calls one."""

    what: ClassVar[str]

    async def create(self, noun: T) -> T:
        """Keep a new one, and return it.

        Raises:
            ConflictError: One with this id is kept, or with this name where names are unique.
            NotFoundError: What it belongs to is not kept.
        """
        return await self._insert(noun)

    async def get(self, key: str) -> T:
        """Return the one with this id.

        Raises:
            NotFoundError: There is none.
        """
        found = await self._first(self.table.c.id == key)
        if found is None:
            raise missing(self.what, key)
        return found

    async def _replace(self, key: str, noun: T) -> T:
        row = columns_of(noun, self.table)
        if not await self._execute(update(self.table).where(self.table.c.id == key).values(row)):
            raise missing(self.what, key)
        return noun

    async def delete(self, key: str) -> None:
        """Remove the one with this id, and what belongs to it.

        Raises:
            NotFoundError: There is none.
        """
        if not await self._execute(delete(self.table).where(self.table.c.id == key)):
            raise missing(self.what, key)


class NamedRepository(Repository[N]):
    """Keeps nouns of which no two have the same name; `order` is how they are listed."""

    order: ClassVar[str] = "created_at"

    async def create(self, noun: N) -> N:
        """Keep a new one, and return it.

        Raises:
            ConflictError: Another one has this name.
        """
        await self._check_name(noun)
        return await self._insert(noun)

    async def update(self, noun: N) -> N:
        """Replace what is kept of one, and return it as it is now.

        Raises:
            ConflictError: Another one has this name.
            NotFoundError: There is none.
        """
        await self._check_name(noun)
        return await self._replace(noun.id, noun)

    async def list(self) -> tuple[N, ...]:
        """Return all of them: the oldest first, or by name."""
        return await self._select(order=self.table.c[self.order])

    async def by_name(self, name: str) -> N | None:
        """Return the one of this name, None if there is none."""
        return await self._first(self.table.c.name == name)

    async def _check_name(self, noun: N) -> None:
        # For the words; the database itself refuses a second one as well.
        other = await self.by_name(noun.name)
        if other is not None and other.id != noun.id:
            raise ConflictError(
                f"a {self.what} is called {noun.name!r} already: choose another name"
            )
