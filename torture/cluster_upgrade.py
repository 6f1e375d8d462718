"""An upgrade of a cluster: servers of today go on while those of tomorrow migrate the database.

Tomorrow's are today's with one revision more, which holds what every turn writes to, in an order
in which a turn would be in its way.
"""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from tests.forked import of_its_own

import groundwire
from groundwire.store.migration import REVISIONS
from torture.cluster import Cluster, Server, free_port
from torture.cluster_chats import Chat
from torture.cluster_runs import run_chats, to_its_end

TOMORROW = "9001"
_REVISION = f'''
"""What comes after all revisions of today."""

import sqlalchemy as sa
from alembic import op

revision = "{TOMORROW}"
down_revision = "{REVISIONS[-1]}"


def upgrade() -> None:
    for table in ("messages", "sessions"):
        op.add_column(
            table, sa.Column("of_tomorrow", sa.Integer, nullable=False, server_default="0")
        )
        op.execute(f"UPDATE {{table}} SET of_tomorrow = 1")
    op.create_table("things_of_tomorrow", sa.Column("id", sa.Text, primary_key=True))
'''


def tomorrow(made: Cluster) -> list[Server]:
    """Return servers of the next version for the same database, as many, not yet started."""
    today = Path(groundwire.__file__).parent
    source = made.folder / "tomorrow"
    shutil.copytree(today, source / "groundwire")
    store = source / "groundwire" / "store"
    (store / "migrations" / "versions" / f"revision_{TOMORROW}_tomorrow.py").write_text(_REVISION)
    migration = store / "migration.py"
    last = f'"{REVISIONS[-1]}"'
    text = migration.read_text()
    assert text.count(f"{last})") == 1
    migration.write_text(text.replace(f"{last})", f'{last}, "{TOMORROW}")'))
    return [
        replace(
            each,
            name=f"{each.name}-tomorrow",
            port=free_port(),
            variables={**each.variables, "PYTHONPATH": str(source)},
            options=("--log-level", "info"),
            command=of_its_own,
            process=None,
        )
        for each in made.servers
    ]


async def upgraded(made: Cluster, servers: Sequence[Server], *, at_once: int = 20) -> list[Chat]:
    """Start the servers of tomorrow at once while chats run at those of today, until all are ready.

    Some more chats follow, so that today's servers are asked after the migration too.
    """
    chats: list[Chat] = []
    for each in servers:
        each.start()
    ready = asyncio.gather(*(asyncio.to_thread(each.wait_ready) for each in servers))
    is_over = False
    while not is_over:
        is_over = ready.done()
        numbers = range(len(chats), len(chats) + at_once)
        chats += await run_chats(made, numbers, to_its_end)
    await ready
    return chats
