"""Web access of a workspace: two toggles, the domains it may visit, and its own words on it."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    """Give every workspace the defaults of a new one."""
    for name in ("web_search_enabled", "web_fetch_enabled"):
        op.add_column(
            "workspaces",
            sa.Column(name, sa.Integer, nullable=False, server_default=sa.text("1")),
        )
    op.add_column(
        "workspaces",
        sa.Column(
            "web_allowed_domains", sa.Text, nullable=False, server_default='["help.sap.com"]'
        ),
    )
    op.add_column(
        "workspaces", sa.Column("web_instructions", sa.Text, nullable=False, server_default="")
    )
