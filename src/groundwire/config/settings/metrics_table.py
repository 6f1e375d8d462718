"""The settings of metrics and traces."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

from groundwire.config.settings.table import Table

_Token = Annotated[str, Field(max_length=200, pattern="^([!-~]{16,})?$")]


class MetricsSettings(Table):
    """What Prometheus may read of a server, and where traces go."""

    token: _Token = Field(
        default="",
        repr=False,
        description="What Prometheus shows as its bearer token at `/metrics`, at least 16 "
        "characters; empty means that the web app has no such page.",
    )
    port: int = Field(
        default=0,
        ge=0,
        le=65_535,
        description="A port of its own for metrics, without a token; 0 means none.",
    )
    host: str = Field(default="127.0.0.1", description="The address of that port.")
    traces: str = Field(
        default="",
        description="Where traces are sent by OpenTelemetry's HTTP protocol, such as "
        "`http://127.0.0.1:4318/v1/traces`; empty means nowhere.",
    )
