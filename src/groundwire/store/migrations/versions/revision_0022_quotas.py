"""What users and workspaces used in a day, and the quotas of a workspace; as before, none."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0022"
down_revision = "0021"


def upgrade() -> None:
    """Add the table and the column."""
    names = ("answers", "tokens", "cost_usd", "searches")
    op.create_table(
        "quota_uses",
        sa.Column("day", sa.Text, primary_key=True),
        sa.Column("holder", sa.Text, primary_key=True),
        *(sa.Column(name, sa.Double, nullable=False) for name in names),
    )
    op.add_column("workspaces", sa.Column("quotas", sa.Text, nullable=False, server_default="{}"))
