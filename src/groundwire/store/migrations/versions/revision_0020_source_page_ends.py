"""A page that was compared says whether it went on, and what it says of itself."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    """Add the columns; of pages kept before, nothing is said."""
    op.add_column(
        "source_pages", sa.Column("is_cut", sa.Integer, nullable=False, server_default="0")
    )
    op.add_column("source_pages", sa.Column("about", sa.Text, nullable=False, server_default="{}"))
