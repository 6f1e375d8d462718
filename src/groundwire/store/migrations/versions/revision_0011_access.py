"""Users, what they may do, how they and their programs come in, and what they changed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Make the tables; the sessions that there are belong to nobody."""
    _make_users()
    _make_ways_in()
    op.create_table(
        "audit",
        sa.Column("id", sa.Text, primary_key=True),
        _moment("at"),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("actor", "action", "subject")),
        *(sa.Column(name, sa.Text) for name in ("workspace_id", "before", "after")),
    )
    op.create_index("audit_by_time", "audit", ["at"])
    op.add_column("sessions", sa.Column("user_id", sa.Text))
    op.create_index("sessions_by_user", "sessions", ["user_id"])


def _moment(name: str, *, nullable: bool = False) -> sa.Column[object]:
    return sa.Column(name, sa.DateTime(timezone=True), nullable=nullable)


def _within(
    name: str, table: str, *, primary_key: bool = False, nullable: bool = False
) -> sa.Column[str]:
    reference = sa.ForeignKey(f"{table}.id", ondelete="CASCADE")
    return sa.Column(name, sa.Text, reference, primary_key=primary_key, nullable=nullable)


def _make_users() -> None:
    op.create_table(
        "users",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("password_hash", sa.Text, nullable=False),
        sa.Column("is_owner", sa.Integer, nullable=False),
        _moment("created_at"),
    )
    op.create_index("users_by_name", "users", ["name"], unique=True)
    op.create_table(
        "memberships",
        _within("user_id", "users", primary_key=True),
        _within("workspace_id", "workspaces", primary_key=True),
        sa.Column("role", sa.Text, nullable=False),
    )
    op.create_index("memberships_by_workspace", "memberships", ["workspace_id"])


def _make_ways_in() -> None:
    op.create_table(
        "web_sessions",
        sa.Column("id_hash", sa.Text, primary_key=True),
        _within("user_id", "users"),
        _moment("created_at"),
        _moment("last_seen_at"),
        _moment("expires_at"),
    )
    op.create_index("web_sessions_by_user", "web_sessions", ["user_id"])
    op.create_table(
        "api_tokens",
        sa.Column("id", sa.Text, primary_key=True),
        _within("user_id", "users", nullable=True),
        _within("workspace_id", "workspaces"),
        *(sa.Column(name, sa.Text, nullable=False) for name in ("role", "name", "token_hash")),
        _moment("created_at"),
        _moment("last_used_at", nullable=True),
        _moment("expires_at", nullable=True),
    )
    op.create_index("api_tokens_by_hash", "api_tokens", ["token_hash"], unique=True)
    op.create_index("api_tokens_by_workspace", "api_tokens", ["workspace_id"])
    op.create_index("api_tokens_by_user", "api_tokens", ["user_id"])
