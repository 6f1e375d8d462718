"""What people said of answers: a thumb and a note."""

from __future__ import annotations

from alembic import op

from groundwire.store.migrations.columns import texts, times, within

revision = "0015"
down_revision = "0014"


def upgrade() -> None:
    """Add the table; of what is kept so far nobody said anything."""
    op.create_table(
        "feedback",
        within("message_id", "messages", is_key=True),
        *texts("rating", "note"),
        *times("updated_at"),
    )
