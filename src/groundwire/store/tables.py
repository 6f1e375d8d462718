"""The tables as they are at the newest revision; `migrations` lead there, a test compares.

Columns have the names of our nouns' fields. JSON stands in text columns, since PostgreSQL's own
JSON refuses characters that pages contain, and malformed JSON must be readable as none.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any

from sqlalchemy import (
    BigInteger,
    Column,
    Double,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    Table,
    Text,
)
from sqlalchemy import text as sql

from groundwire.checks.records import Purpose
from groundwire.conversation import ChecksState, MessageKind, Role, SearchMode, Status
from groundwire.conversation.quota import NAMES
from groundwire.store.columns import (
    EnumColumn,
    FlagColumn,
    JsonColumn,
    QuotaColumn,
    TextColumn,
    TextListColumn,
    TimeColumn,
)

METADATA = MetaData()


def _text(name: str) -> Column[str]:
    """Return a column of text that was added to a table with rows in it."""
    return Column(name, TextColumn, nullable=False, server_default="")


def _texts(*names: str) -> list[Column[str]]:
    return [Column(name, TextColumn, nullable=False) for name in names]


def _times(*names: str) -> list[Column[datetime]]:
    return [Column(name, TimeColumn, nullable=False) for name in names]


def within(name: str, table: str, *, is_key: bool = False) -> Column[str]:
    """Return a reference to what a row belongs to, and goes with."""
    reference = ForeignKey(f"{table}.id", ondelete="CASCADE")
    return Column(name, TextColumn, reference, primary_key=is_key, nullable=False)


def _id() -> Column[str]:
    return Column("id", TextColumn, primary_key=True)


_COUNTS = (
    *("input_tokens", "output_tokens", "cached_input_tokens", "cache_write_tokens"),
    *("thinking_tokens", "searches", "fetches"),
)


workspaces = Table(
    "workspaces",
    METADATA,
    _id(),
    Column("name", TextColumn, nullable=False),
    Column("web_search_enabled", FlagColumn, nullable=False, server_default="1"),
    Column("web_fetch_enabled", FlagColumn, nullable=False, server_default="1"),
    Column(
        "web_allowed_domains", TextListColumn, nullable=False, server_default='["help.sap.com"]'
    ),
    _text("web_instructions"),
    _text("citation_checks"),
    _text("citation_judge"),
    Column("has_first_library", FlagColumn, nullable=False, server_default="0"),
    Column("quotas", QuotaColumn, nullable=False, server_default="{}"),
    *_times("created_at", "updated_at"),
)

providers = Table(
    "providers",
    METADATA,
    _id(),
    *_texts("name", "type", "base_url", "key_name", "default_model"),
    Column("is_default", FlagColumn, nullable=False, server_default="0"),
    *_times("created_at", "updated_at"),
    Index("providers_by_name", "name", unique=True),
)

models = Table(
    "models",
    METADATA,
    within("provider_id", "providers", is_key=True),
    Column("model", TextColumn, primary_key=True),
    *_texts("title", "shutdown_date"),
    Column("fetched_at", TimeColumn, nullable=False),
)

agents = Table(
    "agents",
    METADATA,
    _id(),
    within("workspace_id", "workspaces"),
    *_texts("name", "description", "system_prompt"),
    Column("preferred_provider_id", TextColumn, ForeignKey("providers.id", ondelete="SET NULL")),
    Column("preferred_model_id", TextColumn),
    Column("temperature", Double),
    Column("is_built_in", FlagColumn, nullable=False),
    Column("web_search_enabled", FlagColumn, nullable=False, server_default="0"),
    _text("thinking"),
    *_times("created_at", "updated_at"),
    Index("agents_by_workspace", "workspace_id"),
)

sessions = Table(
    "sessions",
    METADATA,
    _id(),
    within("workspace_id", "workspaces"),
    # No action: its agent goes only with the workspace, or when it has no sessions.
    Column("agent_id", TextColumn, ForeignKey("agents.id"), nullable=False),
    # No reference, which SQLite cannot add to a table with rows: `users` removes them itself.
    Column("user_id", TextColumn),
    Column("title", TextColumn, nullable=False),
    Column("last_sequence", Integer, nullable=False, server_default="0"),
    *_times("created_at", "updated_at"),
    Index("sessions_by_workspace", "workspace_id", "updated_at"),
    Index("sessions_by_agent", "agent_id"),
    Index("sessions_by_user", "user_id"),
)

messages = Table(
    "messages",
    METADATA,
    _id(),
    within("session_id", "sessions"),
    Column("sequence", Integer, nullable=False, server_default="0"),
    Column("kind", EnumColumn(MessageKind), nullable=False),
    Column("content", TextColumn, nullable=False),
    Column("parent_id", TextColumn),
    Column("client_id", TextColumn),
    Column("status", EnumColumn(Status), nullable=False, server_default="complete"),
    Column("owner", TextColumn),
    Column("thinking", TextColumn, nullable=False),
    Column("citations", Text),
    Column("answer", JsonColumn),
    _text("plain_text"),
    _text("raw_provider"),
    *_texts("provider", "model"),
    Column("mode", EnumColumn(SearchMode), nullable=False, server_default="off"),
    *(Column(name, BigInteger) for name in _COUNTS),
    Column("provider_cost_usd", Double),
    Column("cost_usd", Double),
    Column("cost_is_partial", FlagColumn, nullable=False, server_default="0"),
    Column("pages_read", BigInteger, nullable=False, server_default="0"),
    _text("stop_reason"),
    _text("error_code"),
    _text("error"),
    Column("checks_state", EnumColumn(ChecksState), nullable=False, server_default=""),
    Column("checks_owner", TextColumn),
    *_times("created_at", "updated_at"),
    Index("messages_in_order", "session_id", "sequence", unique=True),
    Index("messages_by_client_id", "session_id", "client_id", unique=True),
    Index("messages_by_owner", "owner"),
    Index("messages_by_time", "created_at"),
    Index(
        "messages_awaiting_approval",
        "created_at",
        sqlite_where=sql("status = 'awaiting_approval'"),
        postgresql_where=sql("status = 'awaiting_approval'"),
    ),
    Index(
        "messages_with_open_checks",
        "created_at",
        sqlite_where=sql("checks_state IN ('pending', 'again')"),
        postgresql_where=sql("checks_state IN ('pending', 'again')"),
    ),
)


def _part(name: str, *columns: Column[Any]) -> Table:
    """Return a table of what belongs to a message, by its place in it."""
    return Table(
        name,
        METADATA,
        within("message_id", "messages", is_key=True),
        Column("position", Integer, primary_key=True, autoincrement=False),
        *columns,
    )


tool_calls = _part(
    "tool_calls",
    *_texts("id", "name"),
    Column("mode", EnumColumn(SearchMode), nullable=False),
    *_texts("status", "arguments", "query", "url", "title", "service"),
    Column("results", JsonColumn),
    *_texts("error", "output"),
    Column("started_at", TimeColumn, nullable=False),
    Column("seconds", Double),
)

rounds = _part(
    "rounds",
    Column("text", TextColumn, nullable=False),
    Column("tool_calls", JsonColumn),
    Column("outputs", JsonColumn),
    Column("raw_content_blocks", JsonColumn),
)

attachments = _part(
    "attachments",
    *_texts("type", "mime_type", "file_name", "base64_data"),
)

citation_checks = _part(
    "citation_checks",
    Column("number", Integer, primary_key=True, autoincrement=False),
    Column("data", JsonColumn),
    Column("checked_at", TimeColumn, nullable=False),
)

source_pages = Table(
    "source_pages",
    METADATA,
    within("message_id", "messages", is_key=True),
    Column("number", Integer, primary_key=True, autoincrement=False),
    *_texts("url", "title", "text", "text_hash"),
    Column("is_cut", FlagColumn, nullable=False, server_default="0"),
    Column("about", JsonColumn, nullable=False, server_default="{}"),
    Column("read_at", TimeColumn, nullable=False),
)

page_contents = Table(
    "page_contents",
    METADATA,
    # Of what is packed in `data`: the same content is here once, whoever read it.
    Column("hash", TextColumn, primary_key=True),
    Column("data", LargeBinary, nullable=False),
    Column("size", BigInteger, nullable=False),
    Column("packed_size", BigInteger, nullable=False),
)


def _content(name: str, *, nullable: bool = False) -> Column[str]:
    return Column(name, TextColumn, ForeignKey("page_contents.hash"), nullable=nullable)


snapshots = Table(
    "snapshots",
    METADATA,
    _id(),
    within("message_id", "messages"),
    *_texts("url", "asked_url", "title", "service"),
    Column("purpose", EnumColumn(Purpose), nullable=False),
    Column("is_cut", FlagColumn, nullable=False),
    Column("about", JsonColumn),
    Column("status", Integer),
    Column("headers", JsonColumn),
    # A trigger of migration 0016 removes a content when the last of these has gone.
    _content("text_hash"),
    _content("body_hash", nullable=True),
    Column("read_at", TimeColumn, nullable=False),
    Index("snapshots_by_message", "message_id"),
    Index("snapshots_by_text", "text_hash"),
    Index("snapshots_by_body", "body_hash"),
    Index("snapshots_by_time", "read_at"),
)

feedback = Table(
    "feedback",
    METADATA,
    within("message_id", "messages", is_key=True),
    *_texts("rating", "note"),
    Column("updated_at", TimeColumn, nullable=False),
)

users = Table(
    "users",
    METADATA,
    _id(),
    *_texts("name", "password_hash"),
    Column("is_owner", FlagColumn, nullable=False),
    Column("created_at", TimeColumn, nullable=False),
    Index("users_by_name", "name", unique=True),
)

memberships = Table(
    "memberships",
    METADATA,
    within("user_id", "users", is_key=True),
    within("workspace_id", "workspaces", is_key=True),
    Column("role", EnumColumn(Role), nullable=False),
    Column("from_groups", FlagColumn, nullable=False, server_default="0"),
    Index("memberships_by_workspace", "workspace_id"),
)

identities = Table(
    "identities",
    METADATA,
    Column("issuer", TextColumn, primary_key=True),
    Column("subject", TextColumn, primary_key=True),
    within("user_id", "users"),
    Column("email", TextColumn, nullable=False),
    *_times("created_at", "signed_in_at"),
    Index("identities_by_user", "user_id"),
)

web_sessions = Table(
    "web_sessions",
    METADATA,
    Column("id_hash", TextColumn, primary_key=True),
    within("user_id", "users"),
    *_times("created_at", "last_seen_at", "expires_at"),
    Index("web_sessions_by_user", "user_id"),
)

api_tokens = Table(
    "api_tokens",
    METADATA,
    _id(),
    Column("user_id", TextColumn, ForeignKey("users.id", ondelete="CASCADE")),
    within("workspace_id", "workspaces"),
    Column("role", EnumColumn(Role), nullable=False),
    *_texts("name", "token_hash"),
    Column("created_at", TimeColumn, nullable=False),
    Column("last_used_at", TimeColumn),
    Column("expires_at", TimeColumn),
    Index("api_tokens_by_hash", "token_hash", unique=True),
    Index("api_tokens_by_workspace", "workspace_id"),
    Index("api_tokens_by_user", "user_id"),
)

audit = Table(
    "audit",
    METADATA,
    _id(),
    Column("at", TimeColumn, nullable=False),
    *_texts("actor", "action", "subject"),
    # No reference: what was done to a workspace outlives it.
    Column("workspace_id", TextColumn),
    Column("before", JsonColumn),
    Column("after", JsonColumn),
    Index("audit_by_time", "at"),
)

quota_uses = Table(
    "quota_uses",
    METADATA,
    Column("day", TextColumn, primary_key=True),
    Column("holder", TextColumn, primary_key=True),
    *(Column(name, Double, nullable=False) for name in NAMES),
)

owners = Table(
    "owners",
    METADATA,
    _id(),
    Column("machine", TextColumn, nullable=False),
    Column("process", Integer, nullable=False),
    Column("expires_at", Double, nullable=False),
)
