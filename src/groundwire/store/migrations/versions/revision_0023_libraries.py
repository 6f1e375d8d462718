"""Every workspace has a library of its own, and what is in it comes from sources.

The one library that there was belongs to the personal workspace, or to the oldest without it.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from groundwire.store.migrations.columns import texts, times, within

revision = "0023"
down_revision = "0022"

_FIRST = """
UPDATE workspaces SET has_first_library = 1
WHERE id = (SELECT id FROM workspaces
            ORDER BY CASE WHEN id = 'personal' THEN 0 ELSE 1 END, created_at, id LIMIT 1)
"""


def upgrade() -> None:
    """Add the column and the table."""
    op.add_column(
        "workspaces",
        sa.Column("has_first_library", sa.Integer, nullable=False, server_default=sa.text("0")),
    )
    op.execute(_FIRST)
    op.create_table(
        "library_sources",
        sa.Column("id", sa.Text, primary_key=True),
        within("workspace_id", "workspaces"),
        *texts("kind", "location", "address"),
        sa.Column("refresh_hours", sa.Integer, nullable=False),
        *texts("state"),
        sa.Column("owner", sa.Text),
        sa.Column("done", sa.Integer, nullable=False),
        sa.Column("total", sa.Integer, nullable=False),
        sa.Column("counts", sa.Text),
        sa.Column("failures", sa.Text),
        *texts("error"),
        *times("created_at"),
        *(sa.Column(name, sa.DateTime(timezone=True)) for name in ("finished_at", "due_at")),
    )
    op.create_index(
        "library_sources_by_workspace",
        "library_sources",
        ["workspace_id", "kind", "location"],
        unique=True,
    )
    op.create_index("library_sources_by_due", "library_sources", ["due_at"])
