"""Who answers by default, how agents think, which pages answers read, and partial costs."""

from __future__ import annotations

import json

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"

# Until now the oldest provider was the default.
_DEFAULT = """
UPDATE providers SET is_default = 1
WHERE id = (SELECT id FROM providers ORDER BY created_at, id LIMIT 1)
"""
# Until now only what the provider named itself was more than the price of its searches.
_PARTIAL = """
UPDATE messages SET cost_is_partial = 1
WHERE kind = 'AI_RESPONSE' AND provider_cost_usd IS NULL
AND COALESCE(input_tokens, 0) + COALESCE(output_tokens, 0) > 0
"""


def upgrade() -> None:
    """Add the columns, and fill them from what is kept."""
    op.add_column("agents", sa.Column("thinking", sa.Text, nullable=False, server_default=""))
    for table, name in (("providers", "is_default"), ("messages", "cost_is_partial")):
        op.add_column(
            table, sa.Column(name, sa.Integer, nullable=False, server_default=sa.text("0"))
        )
    op.add_column(
        "messages",
        sa.Column("pages_read", sa.BigInteger, nullable=False, server_default=sa.text("0")),
    )
    op.execute(_DEFAULT)
    op.execute(_PARTIAL)
    _count_pages()


def _count_pages() -> None:
    """Count the pages that each answer keeps as read."""
    messages = sa.table(
        "messages", sa.column("id"), sa.column("answer"), sa.column("pages_read", sa.BigInteger)
    )
    connection = op.get_bind()
    query = sa.select(messages.c.id, messages.c.answer).where(messages.c.answer.is_not(None))
    for key, answer in connection.execute(query).all():
        if pages := _pages_read(answer):
            changed = sa.update(messages).where(messages.c.id == key).values(pages_read=pages)
            connection.execute(changed)


def _pages_read(answer: str) -> int:
    try:
        pages = json.loads(answer)["state"]["pages"]
        return sum(page.get("evidence") == "read" for page in pages)
    except (AttributeError, KeyError, TypeError, ValueError):
        return 0
