"""The table of what workspaces' libraries are made from."""

from __future__ import annotations

from sqlalchemy import Column, Index, Integer, Table

from groundwire.store.columns import EnumColumn, JsonColumn, TextColumn, TimeColumn
from groundwire.store.source_records import SourceKind, SourceState
from groundwire.store.tables import METADATA, within

library_sources = Table(
    "library_sources",
    METADATA,
    Column("id", TextColumn, primary_key=True),
    within("workspace_id", "workspaces"),
    Column("kind", EnumColumn(SourceKind), nullable=False),
    Column("location", TextColumn, nullable=False),
    Column("address", TextColumn, nullable=False),
    Column("refresh_hours", Integer, nullable=False),
    Column("state", EnumColumn(SourceState), nullable=False),
    Column("owner", TextColumn),
    Column("done", Integer, nullable=False),
    Column("total", Integer, nullable=False),
    Column("counts", JsonColumn),
    Column("failures", JsonColumn),
    Column("error", TextColumn, nullable=False),
    Column("created_at", TimeColumn, nullable=False),
    Column("finished_at", TimeColumn),
    Column("due_at", TimeColumn),
    Index("library_sources_by_workspace", "workspace_id", "kind", "location", unique=True),
    Index("library_sources_by_due", "due_at"),
)
