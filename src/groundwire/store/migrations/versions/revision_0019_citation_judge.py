"""A workspace chooses whose model gives its opinion on citations; as before, nobody's."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0016"


def upgrade() -> None:
    """Add the column."""
    op.add_column(
        "workspaces", sa.Column("citation_judge", sa.Text, nullable=False, server_default="")
    )
