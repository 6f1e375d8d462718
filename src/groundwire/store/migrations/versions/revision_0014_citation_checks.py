"""Citations compared with their pages: the facts, the pages as they were read, what is open."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

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
        _message(),
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("data", sa.Text),
        sa.Column("checked_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "source_pages",
        _message(),
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("url", sa.Text, nullable=False),
        sa.Column("title", sa.Text, nullable=False),
        sa.Column("text", sa.Text, nullable=False),
        sa.Column("text_hash", sa.Text, nullable=False),
        sa.Column("read_at", sa.DateTime(timezone=True), nullable=False),
    )


def _message() -> sa.Column[str]:
    reference = sa.ForeignKey("messages.id", ondelete="CASCADE")
    return sa.Column("message_id", sa.Text, reference, primary_key=True)
