"""The tables `store` and `redis`: where what is kept, and what lives, is shared by servers."""

from __future__ import annotations

from pydantic import Field

from groundwire.config.settings.table import Seconds, Table


class StoreSettings(Table):
    """Where conversations are kept."""

    url: str = Field(
        default="",
        repr=False,  # It may hold a password.
        description="The database: a path or a postgresql:// URL; empty means groundwire.sqlite3 "
        "beside the settings.",
    )
    pool_size: int = Field(
        default=20,
        ge=2,
        le=1_000,
        description="Most connections of one process to PostgreSQL; one of them is for saving "
        "answers alone. All processes together must stay below its max_connections.",
    )
    pool_wait_seconds: Seconds = Field(
        default=15,
        description="Seconds that a request waits for a connection to the database in all; what "
        "would wait longer is refused at once.",
    )


class RedisSettings(Table):
    """What several servers share while it lives."""

    url: str = Field(
        default="",
        repr=False,  # It may hold a password.
        description="A redis:// or rediss:// URL through which several servers share answers in "
        "progress, limits and the cache; empty means that each server has its own.",
    )
