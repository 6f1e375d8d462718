"""Who somebody at a single sign-on is here, and which roles their groups gave them."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    """Add the table and the column; every role so far was given by somebody here."""
    reference = sa.ForeignKey("users.id", ondelete="CASCADE")
    op.create_table(
        "identities",
        sa.Column("issuer", sa.Text, primary_key=True),
        sa.Column("subject", sa.Text, primary_key=True),
        sa.Column("user_id", sa.Text, reference, nullable=False),
        sa.Column("email", sa.Text, nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("signed_in_at", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_index("identities_by_user", "identities", ["user_id"])
    op.add_column(
        "memberships", sa.Column("from_groups", sa.Integer, nullable=False, server_default="0")
    )
