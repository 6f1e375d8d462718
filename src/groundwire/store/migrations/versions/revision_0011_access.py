"""Users, what they may do, how they and their programs come in, and what they changed."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from groundwire.store.migrations.columns import texts, times, within

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Make the tables; the sessions that there are belong to nobody."""
    _make_users()
    _make_ways_in()
    op.create_table(
        "audit",
        sa.Column("id", sa.Text, primary_key=True),
        *times("at"),
        *texts("actor", "action", "subject"),
        *(sa.Column(name, sa.Text) for name in ("workspace_id", "before", "after")),
    )
    op.create_index("audit_by_time", "audit", ["at"])
    op.add_column("sessions", sa.Column("user_id", sa.Text))
    op.create_index("sessions_by_user", "sessions", ["user_id"])


def _make_users() -> None:
    op.create_table(
        "users",
        sa.Column("id", sa.Text, primary_key=True),
        *texts("name", "password_hash"),
        sa.Column("is_owner", sa.Integer, nullable=False),
        *times("created_at"),
    )
    op.create_index("users_by_name", "users", ["name"], unique=True)
    op.create_table(
        "memberships",
        within("user_id", "users", is_key=True),
        within("workspace_id", "workspaces", is_key=True),
        *texts("role"),
    )
    op.create_index("memberships_by_workspace", "memberships", ["workspace_id"])


def _make_ways_in() -> None:
    op.create_table(
        "web_sessions",
        sa.Column("id_hash", sa.Text, primary_key=True),
        within("user_id", "users"),
        *times("created_at", "last_seen_at", "expires_at"),
    )
    op.create_index("web_sessions_by_user", "web_sessions", ["user_id"])
    op.create_table(
        "api_tokens",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("user_id", sa.Text, sa.ForeignKey("users.id", ondelete="CASCADE")),
        within("workspace_id", "workspaces"),
        *texts("role", "name", "token_hash"),
        *times("created_at"),
        *(sa.Column(name, sa.DateTime(timezone=True)) for name in ("last_used_at", "expires_at")),
    )
    op.create_index("api_tokens_by_hash", "api_tokens", ["token_hash"], unique=True)
    op.create_index("api_tokens_by_workspace", "api_tokens", ["workspace_id"])
    op.create_index("api_tokens_by_user", "api_tokens", ["user_id"])
