"""Pages as they were read: who read what for which answer, and each content once."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from groundwire.store.migrations.columns import texts, times, within

revision = "0016"
down_revision = "0015"

_HASHES = ("text_hash", "body_hash")
_UNUSED = """
DELETE FROM page_contents WHERE hash IN (OLD.text_hash, OLD.body_hash)
AND NOT EXISTS (SELECT 1 FROM snapshots WHERE text_hash = page_contents.hash)
AND NOT EXISTS (SELECT 1 FROM snapshots WHERE body_hash = page_contents.hash)
"""
_SQLITE = f"""
CREATE TRIGGER snapshots_removed AFTER DELETE ON snapshots
BEGIN {_UNUSED}; END
"""
# Somebody else may just have begun to use the content: then it stays.
_POSTGRESQL_FUNCTION = f"""
CREATE FUNCTION remove_unused_page_contents() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    {_UNUSED};
    RETURN NULL;
EXCEPTION WHEN foreign_key_violation THEN
    RETURN NULL;
END $$
"""
_POSTGRESQL = """
CREATE TRIGGER snapshots_removed AFTER DELETE ON snapshots
FOR EACH ROW EXECUTE FUNCTION remove_unused_page_contents()
"""


def upgrade() -> None:
    """Add the tables, and what removes a content that nothing refers to any more.

    A trigger, because snapshots go with messages, sessions, users and workspaces alike.
    """
    op.create_table(
        "page_contents",
        sa.Column("hash", sa.Text, primary_key=True),
        sa.Column("data", sa.LargeBinary, nullable=False),
        sa.Column("size", sa.BigInteger, nullable=False),
        sa.Column("packed_size", sa.BigInteger, nullable=False),
    )
    op.create_table(
        "snapshots",
        sa.Column("id", sa.Text, primary_key=True),
        within("message_id", "messages"),
        *texts("url", "asked_url", "title", "service", "purpose"),
        sa.Column("is_cut", sa.Integer, nullable=False),
        sa.Column("about", sa.Text),
        sa.Column("status", sa.Integer),
        sa.Column("headers", sa.Text),
        *(
            sa.Column(
                name, sa.Text, sa.ForeignKey("page_contents.hash"), nullable=name != "text_hash"
            )
            for name in _HASHES
        ),
        *times("read_at"),
    )
    for name, column in (
        ("message", "message_id"),
        ("text", "text_hash"),
        ("body", "body_hash"),
        ("time", "read_at"),
    ):
        op.create_index(f"snapshots_by_{name}", "snapshots", [column])
    if op.get_context().dialect.name == "sqlite":
        op.execute(_SQLITE)
    else:
        op.execute(_POSTGRESQL_FUNCTION)
        op.execute(_POSTGRESQL)
