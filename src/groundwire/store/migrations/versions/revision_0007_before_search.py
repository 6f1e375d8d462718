"""The schema before web search: agents talk, and nothing is cited."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from groundwire.store.migrations.columns import texts, times, within

revision = "0007"
down_revision = None


def upgrade() -> None:
    """Make the tables of workspaces, providers, agents, sessions and messages."""
    _make_settings()
    _make_agents()
    _make_conversations()


def _make_settings() -> None:
    op.create_table(
        "workspaces",
        sa.Column("id", sa.Text, primary_key=True),
        *texts("name"),
        *times("created_at", "updated_at"),
    )
    op.create_table(
        "providers",
        sa.Column("id", sa.Text, primary_key=True),
        *texts("name", "type", "base_url", "key_name", "default_model"),
        *times("created_at", "updated_at"),
    )
    op.create_index("providers_by_name", "providers", ["name"], unique=True)
    op.create_table(
        "models",
        within("provider_id", "providers", is_key=True),
        sa.Column("model", sa.Text, primary_key=True),
        *texts("title", "shutdown_date"),
        *times("fetched_at"),
    )


def _make_agents() -> None:
    op.create_table(
        "agents",
        sa.Column("id", sa.Text, primary_key=True),
        within("workspace_id", "workspaces"),
        *texts("name", "description", "system_prompt"),
        sa.Column(
            "preferred_provider_id", sa.Text, sa.ForeignKey("providers.id", ondelete="SET NULL")
        ),
        sa.Column("preferred_model_id", sa.Text),
        sa.Column("is_built_in", sa.Integer, nullable=False),
        *times("created_at", "updated_at"),
    )
    op.create_index("agents_by_workspace", "agents", ["workspace_id"])


def _make_conversations() -> None:
    op.create_table(
        "sessions",
        sa.Column("id", sa.Text, primary_key=True),
        within("workspace_id", "workspaces"),
        sa.Column("agent_id", sa.Text, sa.ForeignKey("agents.id"), nullable=False),
        *texts("title"),
        *times("created_at", "updated_at"),
    )
    op.create_index("sessions_by_workspace", "sessions", ["workspace_id", "updated_at"])
    op.create_index("sessions_by_agent", "sessions", ["agent_id"])
    op.create_table(
        "messages",
        sa.Column("id", sa.Text, primary_key=True),
        within("session_id", "sessions"),
        *texts("kind", "content", "thinking", "provider", "model"),
        sa.Column("input_tokens", sa.BigInteger),
        sa.Column("output_tokens", sa.BigInteger),
        *times("created_at", "updated_at"),
    )
    op.create_index("messages_by_session", "messages", ["session_id", "created_at"])
