"""The schema before web search: agents talk, and nothing is cited."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = None


def upgrade() -> None:
    """Make the tables of workspaces, providers, agents, sessions and messages."""
    _make_settings()
    _make_agents()
    _make_conversations()


def _times() -> list[sa.Column[object]]:
    return [
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
    ]


def _texts(*names: str) -> list[sa.Column[str]]:
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def _make_settings() -> None:
    op.create_table(
        "workspaces", sa.Column("id", sa.Text, primary_key=True), *_texts("name"), *_times()
    )
    op.create_table(
        "providers",
        sa.Column("id", sa.Text, primary_key=True),
        *_texts("name", "type", "base_url", "key_name", "default_model"),
        *_times(),
    )
    op.create_index("providers_by_name", "providers", ["name"], unique=True)
    op.create_table(
        "models",
        sa.Column(
            "provider_id",
            sa.Text,
            sa.ForeignKey("providers.id", ondelete="CASCADE"),
            primary_key=True,
        ),
        sa.Column("model", sa.Text, primary_key=True),
        *_texts("title", "shutdown_date"),
        sa.Column("fetched_at", sa.DateTime(timezone=True), nullable=False),
    )


def _make_agents() -> None:
    op.create_table(
        "agents",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column(
            "workspace_id",
            sa.Text,
            sa.ForeignKey("workspaces.id", ondelete="CASCADE"),
            nullable=False,
        ),
        *_texts("name", "description", "system_prompt"),
        sa.Column(
            "preferred_provider_id", sa.Text, sa.ForeignKey("providers.id", ondelete="SET NULL")
        ),
        sa.Column("preferred_model_id", sa.Text),
        sa.Column("is_built_in", sa.Integer, nullable=False),
        *_times(),
    )
    op.create_index("agents_by_workspace", "agents", ["workspace_id"])


def _make_conversations() -> None:
    op.create_table(
        "sessions",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column(
            "workspace_id",
            sa.Text,
            sa.ForeignKey("workspaces.id", ondelete="CASCADE"),
            nullable=False,
        ),
        sa.Column("agent_id", sa.Text, sa.ForeignKey("agents.id"), nullable=False),
        *_texts("title"),
        *_times(),
    )
    op.create_index("sessions_by_workspace", "sessions", ["workspace_id", "updated_at"])
    op.create_index("sessions_by_agent", "sessions", ["agent_id"])
    op.create_table(
        "messages",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column(
            "session_id",
            sa.Text,
            sa.ForeignKey("sessions.id", ondelete="CASCADE"),
            nullable=False,
        ),
        *_texts("kind", "content", "thinking", "provider", "model"),
        sa.Column("input_tokens", sa.BigInteger),
        sa.Column("output_tokens", sa.BigInteger),
        *_times(),
    )
    op.create_index("messages_by_session", "messages", ["session_id", "created_at"])
