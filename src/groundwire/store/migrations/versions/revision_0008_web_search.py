"""Web search: the seed's migration from 7 to 8. Agents may search, messages cite."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    """Add the agents' switch, which is off, and the messages' citations: none yet."""
    op.add_column(
        "agents",
        sa.Column("web_search_enabled", sa.Integer, nullable=False, server_default=sa.text("0")),
    )
    op.add_column("messages", sa.Column("citations", sa.Text))
