"""Citations compared with their pages: the facts, the pages as they were read, what is open."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from groundwire.store.migrations.columns import texts, times, within

revision = "0014"
down_revision = "0013"

_OPEN = sa.text("checks_state IN ('pending', 'again')")


def upgrade() -> None:
    """Add the tables and columns; of what is kept so far nothing is to be compared by itself."""
    op.add_column(
        "workspaces", sa.Column("citation_checks", sa.Text, nullable=False, server_default="")
    )
    op.add_column("messages", sa.Column("checks_state", sa.Text, nullable=False, server_default=""))
    op.add_column("messages", sa.Column("checks_owner", sa.Text))
    op.create_index(
        "messages_with_open_checks",
        "messages",
        ["created_at"],
        sqlite_where=_OPEN,
        postgresql_where=_OPEN,
    )
    op.create_table(
        "citation_checks",
        within("message_id", "messages", is_key=True),
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("data", sa.Text),
        *times("checked_at"),
    )
    op.create_table(
        "source_pages",
        within("message_id", "messages", is_key=True),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        *texts("url", "title", "text", "text_hash"),
        *times("read_at"),
    )
