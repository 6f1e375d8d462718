"""The tables as they are at the newest revision; `migrations` lead there, a test compares.

Columns have the names of our nouns' fields. JSON stands in text columns, since PostgreSQL's own
JSON refuses characters that pages contain, and malformed JSON must be readable as none.
"""

from __future__ import annotations

from sqlalchemy import BigInteger, Column, Double, ForeignKey, Index, Integer, MetaData, Table, Text
from sqlalchemy import text as sql

from groundwire.conversation import MessageKind, Role, SearchMode, Status
from groundwire.store.columns import Choice, Document, Flag, Moment, Strings, Words

METADATA = MetaData()


def _text(name: str) -> Column[str]:
    """Return a column of text that was added to a table with rows in it."""
    return Column(name, Words, nullable=False, server_default="")


def _within(name: str, table: str) -> Column[str]:
    return Column(name, Words, ForeignKey(f"{table}.id", ondelete="CASCADE"), nullable=False)


def _id() -> Column[str]:
    return Column("id", Words, primary_key=True)


workspaces = Table(
    "workspaces",
    METADATA,
    _id(),
    Column("name", Words, nullable=False),
    Column("web_search_enabled", Flag, nullable=False, server_default="1"),
    Column("web_fetch_enabled", Flag, nullable=False, server_default="1"),
    Column("web_allowed_domains", Strings, nullable=False, server_default='["help.sap.com"]'),
    _text("web_instructions"),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
)

providers = Table(
    "providers",
    METADATA,
    _id(),
    Column("name", Words, nullable=False),
    Column("type", Words, nullable=False),
    Column("base_url", Words, nullable=False),
    Column("key_name", Words, nullable=False),
    Column("default_model", Words, nullable=False),
    Column("is_default", Flag, nullable=False, server_default="0"),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    Index("providers_by_name", "name", unique=True),
)

models = Table(
    "models",
    METADATA,
    Column("provider_id", Words, ForeignKey("providers.id", ondelete="CASCADE"), primary_key=True),
    Column("model", Words, primary_key=True),
    Column("title", Words, nullable=False),
    Column("shutdown_date", Words, nullable=False),
    Column("fetched_at", Moment, nullable=False),
)

agents = Table(
    "agents",
    METADATA,
    _id(),
    _within("workspace_id", "workspaces"),
    Column("name", Words, nullable=False),
    Column("description", Words, nullable=False),
    Column("system_prompt", Words, nullable=False),
    Column("preferred_provider_id", Words, ForeignKey("providers.id", ondelete="SET NULL")),
    Column("preferred_model_id", Words),
    Column("temperature", Double),
    Column("is_built_in", Flag, nullable=False),
    Column("web_search_enabled", Flag, nullable=False, server_default="0"),
    _text("thinking"),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    Index("agents_by_workspace", "workspace_id"),
)

sessions = Table(
    "sessions",
    METADATA,
    _id(),
    _within("workspace_id", "workspaces"),
    # No action: its agent goes only with the workspace, or after its sessions went elsewhere.
    Column("agent_id", Words, ForeignKey("agents.id"), nullable=False),
    # No reference, which SQLite cannot add to a table with rows: `users` removes them itself.
    Column("user_id", Words),
    Column("title", Words, nullable=False),
    Column("last_sequence", Integer, nullable=False, server_default="0"),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
    Index("sessions_by_workspace", "workspace_id", "updated_at"),
    Index("sessions_by_agent", "agent_id"),
    Index("sessions_by_user", "user_id"),
)

messages = Table(
    "messages",
    METADATA,
    _id(),
    _within("session_id", "sessions"),
    Column("sequence", Integer, nullable=False, server_default="0"),
    Column("kind", Choice(MessageKind), nullable=False),
    Column("content", Words, nullable=False),
    Column("parent_id", Words),
    Column("client_id", Words),
    Column("status", Choice(Status), nullable=False, server_default="complete"),
    Column("owner", Words),
    Column("thinking", Words, nullable=False),
    Column("citations", Text),
    Column("answer", Document),
    _text("plain_text"),
    _text("raw_provider"),
    Column("provider", Words, nullable=False),
    Column("model", Words, nullable=False),
    Column("mode", Choice(SearchMode), nullable=False, server_default="off"),
    Column("input_tokens", BigInteger),
    Column("output_tokens", BigInteger),
    Column("cached_input_tokens", BigInteger),
    Column("cache_write_tokens", BigInteger),
    Column("thinking_tokens", BigInteger),
    Column("searches", BigInteger),
    Column("fetches", BigInteger),
    Column("provider_cost_usd", Double),
    Column("cost_usd", Double),
    Column("cost_is_partial", Flag, nullable=False, server_default="0"),
    Column("pages_read", BigInteger, nullable=False, server_default="0"),
    _text("stop_reason"),
    _text("error_code"),
    _text("error"),
    Column("created_at", Moment, nullable=False),
    Column("updated_at", Moment, nullable=False),
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
)


def _part(name: str, *columns: Column[object]) -> Table:
    """Return a table of what belongs to a message, by its place in it."""
    message = ForeignKey("messages.id", ondelete="CASCADE")
    return Table(
        name,
        METADATA,
        Column("message_id", Words, message, primary_key=True),
        Column("position", Integer, primary_key=True, autoincrement=False),
        *columns,
    )


tool_calls = _part(
    "tool_calls",
    Column("id", Words, nullable=False),
    Column("name", Words, nullable=False),
    Column("mode", Choice(SearchMode), nullable=False),
    Column("status", Words, nullable=False),
    Column("arguments", Words, nullable=False),
    Column("query", Words, nullable=False),
    Column("url", Words, nullable=False),
    Column("title", Words, nullable=False),
    Column("service", Words, nullable=False),
    Column("results", Document),
    Column("error", Words, nullable=False),
    Column("output", Words, nullable=False),
    Column("started_at", Moment, nullable=False),
    Column("seconds", Double),
)

rounds = _part(
    "rounds",
    Column("text", Words, nullable=False),
    Column("tool_calls", Document),
    Column("outputs", Document),
    Column("raw_content_blocks", Document),
)

attachments = _part(
    "attachments",
    Column("type", Words, nullable=False),
    Column("mime_type", Words, nullable=False),
    Column("file_name", Words, nullable=False),
    Column("base64_data", Words, nullable=False),
)

users = Table(
    "users",
    METADATA,
    _id(),
    Column("name", Words, nullable=False),
    Column("password_hash", Words, nullable=False),
    Column("is_owner", Flag, nullable=False),
    Column("created_at", Moment, nullable=False),
    Index("users_by_name", "name", unique=True),
)

memberships = Table(
    "memberships",
    METADATA,
    Column("user_id", Words, ForeignKey("users.id", ondelete="CASCADE"), primary_key=True),
    Column(
        "workspace_id", Words, ForeignKey("workspaces.id", ondelete="CASCADE"), primary_key=True
    ),
    Column("role", Choice(Role), nullable=False),
    Index("memberships_by_workspace", "workspace_id"),
)

web_sessions = Table(
    "web_sessions",
    METADATA,
    Column("id_hash", Words, primary_key=True),
    _within("user_id", "users"),
    Column("created_at", Moment, nullable=False),
    Column("last_seen_at", Moment, nullable=False),
    Column("expires_at", Moment, nullable=False),
    Index("web_sessions_by_user", "user_id"),
)

api_tokens = Table(
    "api_tokens",
    METADATA,
    _id(),
    Column("user_id", Words, ForeignKey("users.id", ondelete="CASCADE")),
    _within("workspace_id", "workspaces"),
    Column("role", Choice(Role), nullable=False),
    Column("name", Words, nullable=False),
    Column("token_hash", Words, nullable=False),
    Column("created_at", Moment, nullable=False),
    Column("last_used_at", Moment),
    Column("expires_at", Moment),
    Index("api_tokens_by_hash", "token_hash", unique=True),
    Index("api_tokens_by_workspace", "workspace_id"),
    Index("api_tokens_by_user", "user_id"),
)

audit = Table(
    "audit",
    METADATA,
    _id(),
    Column("at", Moment, nullable=False),
    Column("actor", Words, nullable=False),
    Column("action", Words, nullable=False),
    Column("subject", Words, nullable=False),
    # No reference: what was done to a workspace outlives it.
    Column("workspace_id", Words),
    Column("before", Document),
    Column("after", Document),
    Index("audit_by_time", "at"),
)

owners = Table(
    "owners",
    METADATA,
    _id(),
    Column("machine", Words, nullable=False),
    Column("process", Integer, nullable=False),
    Column("expires_at", Double, nullable=False),
)
