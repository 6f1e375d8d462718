"""What people said of answers: a thumb and a note."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Add the table; of what is kept so far nobody said anything."""
    reference = sa.ForeignKey("messages.id", ondelete="CASCADE")
    op.create_table(
        "feedback",
        sa.Column("message_id", sa.Text, reference, primary_key=True),
        sa.Column("rating", sa.Text, nullable=False),
        sa.Column("note", sa.Text, nullable=False),
        sa.Column("updated_at", sa.DateTime(timezone=True), nullable=False),
    )
