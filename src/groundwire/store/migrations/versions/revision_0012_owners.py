"""Several processes at one database: each answer in the making has an owner with a lease."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"


def upgrade() -> None:
    """Make the table of processes; no answer that is kept is still in the making."""
    op.create_table(
        "owners",
        sa.Column("id", sa.Text, primary_key=True),
        sa.Column("machine", sa.Text, nullable=False),
        sa.Column("process", sa.Integer, nullable=False),
        sa.Column("expires_at", sa.Double, nullable=False),
    )
    op.add_column("messages", sa.Column("owner", sa.Text))
    op.create_index("messages_by_owner", "messages", ["owner"])
    op.execute("UPDATE messages SET status = 'interrupted' WHERE status = 'streaming'")
