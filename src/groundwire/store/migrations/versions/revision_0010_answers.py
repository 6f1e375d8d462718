"""Answers as they are kept today: in order, with status, sources, rounds, tools and cost."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

from groundwire.store.migrations.columns import texts, times, within

revision = "0010"
down_revision = "0009"

# In the order of their times; those of one moment in the order of their ids.
_NUMBERED = """
UPDATE messages SET sequence = (
    SELECT count(*) FROM messages AS earlier
    WHERE earlier.session_id = messages.session_id
    AND (earlier.created_at < messages.created_at
        OR (earlier.created_at = messages.created_at AND earlier.id <= messages.id))
)
"""
_COUNTED = """
UPDATE sessions SET last_sequence = (
    SELECT count(*) FROM messages WHERE messages.session_id = sessions.id
)
"""


def upgrade() -> None:
    """Add what an answer has, and number the messages that there are."""
    _extend_sessions_and_agents()
    _extend_messages()
    op.execute(_NUMBERED)
    op.execute(_COUNTED)
    op.drop_index("messages_by_session", "messages")
    op.create_index("messages_in_order", "messages", ["session_id", "sequence"], unique=True)
    op.create_index("messages_by_client_id", "messages", ["session_id", "client_id"], unique=True)
    op.create_index("messages_by_time", "messages", ["created_at"])
    waiting = sa.text("status = 'awaiting_approval'")
    op.create_index(
        "messages_awaiting_approval",
        "messages",
        ["created_at"],
        sqlite_where=waiting,
        postgresql_where=waiting,
    )
    _make_parts()


def _extend_sessions_and_agents() -> None:
    op.add_column("agents", sa.Column("temperature", sa.Double))
    op.add_column(
        "sessions",
        sa.Column("last_sequence", sa.Integer, nullable=False, server_default=sa.text("0")),
    )


def _extend_messages() -> None:
    defaults = {"status": "complete", "mode": "off"}
    texts = ("status", "mode", "plain_text", "raw_provider", "stop_reason", "error_code", "error")
    counts = ("cached_input_tokens", "cache_write_tokens", "thinking_tokens", "searches", "fetches")
    columns: list[sa.Column[Any]] = [
        sa.Column("sequence", sa.Integer, nullable=False, server_default=sa.text("0")),
        *(
            sa.Column(name, sa.Text, nullable=False, server_default=defaults.get(name, ""))
            for name in texts
        ),
        *(sa.Column(name, sa.Text) for name in ("parent_id", "client_id", "answer")),
        *(sa.Column(name, sa.BigInteger) for name in counts),
        *(sa.Column(name, sa.Double) for name in ("provider_cost_usd", "cost_usd")),
    ]
    for column in columns:
        op.add_column("messages", column)


def _make_parts() -> None:
    _make_part(
        "tool_calls",
        *texts("id", "name", "mode", "status", "arguments", "query", "url", "title", "service"),
        sa.Column("results", sa.Text),
        *texts("error", "output"),
        *times("started_at"),
        sa.Column("seconds", sa.Double),
    )
    _make_part(
        "rounds",
        *texts("text"),
        *(sa.Column(name, sa.Text) for name in ("tool_calls", "outputs", "raw_content_blocks")),
    )
    _make_part("attachments", *texts("type", "mime_type", "file_name", "base64_data"))


def _make_part(name: str, *columns: sa.Column[Any]) -> None:
    op.create_table(
        name,
        within("message_id", "messages", is_key=True),
        sa.Column("position", sa.Integer, primary_key=True, autoincrement=False),
        *columns,
    )
