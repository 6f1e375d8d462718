"""The table of one model's price."""

from __future__ import annotations

from pydantic import Field

from groundwire.config.settings.table import Table


class PriceSettings(Table):
    """What the tokens of a model cost."""

    input_usd: float = Field(default=0, ge=0, description="Dollars for a million tokens read.")
    output_usd: float = Field(default=0, ge=0, description="Dollars for a million written.")
    cached_input_usd: float | None = Field(
        default=None,
        ge=0,
        description="Dollars for a million read from a cache; as input if empty.",
    )
    cache_write_usd: float | None = Field(
        default=None,
        ge=0,
        description="Dollars for a million written to a cache; as input if empty.",
    )
