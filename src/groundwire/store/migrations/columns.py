"""Columns as the revisions write them; what stands here must make the same tables for ever."""

from __future__ import annotations

from datetime import datetime

import sqlalchemy as sa


def texts(*names: str) -> list[sa.Column[str]]:
    """Return columns of text that is always there."""
    return [sa.Column(name, sa.Text, nullable=False) for name in names]


def times(*names: str) -> list[sa.Column[datetime]]:
    """Return columns of times that are always there."""
    return [sa.Column(name, sa.DateTime(timezone=True), nullable=False) for name in names]


def within(name: str, table: str, *, is_key: bool = False) -> sa.Column[str]:
    """Return a reference to what a row belongs to, and goes with."""
    reference = sa.ForeignKey(f"{table}.id", ondelete="CASCADE")
    return sa.Column(name, sa.Text, reference, primary_key=is_key, nullable=False)
