"""The table `snapshots`: the pages behind answers, kept as they were read."""

from __future__ import annotations

from pydantic import Field

from groundwire.config.settings.table import Table


class SnapshotSettings(Table):
    """What is kept of the pages that answers rest on."""

    enabled: bool = Field(
        default=True,
        description="Whether every page that an answer opened, or that was read to check it, is "
        "kept with the answer as it was read.",
    )
    max_page_bytes: int = Field(
        default=5_000_000,
        ge=0,
        description="Of a page with more bytes than this only the text is kept.",
    )
    max_bytes: int = Field(
        default=2_000_000_000,
        ge=0,
        description="Bytes, packed, that all kept pages may take: over it the oldest go. 0 is no "
        "limit.",
    )
    days: int = Field(
        default=0,
        ge=0,
        le=36_500,
        description="Days after which a kept page goes, whether its answer stays or not. 0 is "
        "never.",
    )
