"""Who somebody at a single sign-on is here, and which roles their groups gave them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from groundwire.store.migrations.columns import texts, times, within

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    """Add the table and the column; every role so far was given by somebody here."""
    op.create_table(
        "identities",
        sa.Column("issuer", sa.Text, primary_key=True),
        sa.Column("subject", sa.Text, primary_key=True),
        within("user_id", "users"),
        *texts("email"),
        *times("created_at", "signed_in_at"),
    )
    op.create_index("identities_by_user", "identities", ["user_id"])
    op.add_column(
        "memberships", sa.Column("from_groups", sa.Integer, nullable=False, server_default="0")
    )
