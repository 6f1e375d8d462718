"""Brings a database to the newest revision, or refuses one that it does not know."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from sqlalchemy import Connection, inspect, select, text

from groundwire.errors import StoreError
from groundwire.store.database import Database
from groundwire.store.database_errors import shown
from groundwire.store.tables import METADATA

REVISIONS = (
    *("0007", "0008", "0009", "0010", "0011", "0012", "0013", "0014", "0015", "0016"),
    *("0019", "0020", "0021", "0022", "0023"),
)
"""Every revision, oldest first; a test compares them with the files. Alembic takes a tenth of a
second to load, so a database of today is recognised without it."""

_MIGRATIONS = Path(__file__).parent / "migrations"
_LOCK = 0x67726F756E64  # any number that no other program uses


async def migrate(database: Database, revision: str = REVISIONS[-1]) -> None:
    """Bring a database to a revision, one process at a time.

    Raises:
        StoreError: It is newer than this program, or somebody else's.
    """
    async with database.read() as connection:
        current = await connection.run_sync(revision_of)
    if current == revision:
        return
    # Looked at again within the lock: another process may have been faster.
    await database.write(partial(_upgrade, revision=revision, database=database))


def _upgrade(connection: Connection, revision: str, database: Database) -> None:
    if connection.dialect.name == "postgresql":
        connection.execute(select(text(f"pg_advisory_xact_lock({_LOCK})")))
    current = revision_of(connection)
    if current is not None and current not in REVISIONS:
        raise StoreError(
            f"{shown(database.url)} was made by a newer Groundwire (revision {current!r}, this one "
            f"knows {REVISIONS[-1]!r}): upgrade this one or name another database"
        )
    if current is None and (found := set(inspect(connection).get_table_names()) & _ours()):
        raise StoreError(
            f"{shown(database.url)} has tables of something else ({', '.join(sorted(found))}): "
            "name a database of its own"
        )
    if current is None or current < revision:
        _run(connection, revision)


def _ours() -> set[str]:
    return set(METADATA.tables)


def revision_of(connection: Connection) -> str | None:
    """Return the revision of a database, None if it has none."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    return connection.execute(text("SELECT version_num FROM alembic_version")).scalar()


def _run(connection: Connection, revision: str) -> None:
    from alembic import command  # noqa: PLC0415 - only where there is something to do
    from alembic.config import Config  # noqa: PLC0415

    config = Config(attributes={"connection": connection})
    config.set_main_option("script_location", str(_MIGRATIONS).replace("%", "%%"))
    command.upgrade(config, revision)
