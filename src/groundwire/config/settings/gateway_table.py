"""The table `gateway`: how other programs' clients are answered."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from groundwire.config.settings.table import Table

_Token = Annotated[str, Field(min_length=16, max_length=200, pattern="^[!-~]+$")]
_UpToAMinute = Annotated[float, Field(gt=0, le=60, allow_inf_nan=False)]


class GatewaySettings(Table):
    """How other programs' clients are answered."""

    default_model: str = Field(
        default="",
        description="The model that is asked where a client names one that is unknown here, as "
        "`provider/model` or `agent/NAME`; empty refuses such requests.",
    )
    aliases: dict[str, str] = Field(
        default={}, description="Further names of models, each with the name that it stands for."
    )
    always_on: list[str] = Field(
        default=[],
        description="Models that may search although the client does not ask for it, by the names "
        "that clients use; `*` means all. `:search` behind a name does the same.",
    )
    always_on_tokens: list[str] = Field(
        default=[],
        description="Names of API tokens whose requests may search although they do not ask for "
        "it.",
    )
    markers: Literal["links", "numbers", "numbers+list"] = Field(
        default="links",
        description="How a citation stands in the text: `[1](url)`, `[1]`, or `[1]` with a list of "
        "sources at the end.",
    )
    reports_searches: bool = Field(
        default=False,
        description="Whether a Messages client is told how many searches were made, at which "
        "Claude Code adds a cent for each to the cost that it shows.",
    )
    keep: bool = Field(
        default=False,
        description="Whether questions and answers are kept as sessions; the header "
        "`x-groundwire-keep` (on or off) decides for one request.",
    )
    keep_alive_seconds: _UpToAMinute = Field(
        default=8,
        description="Seconds of silence after which a stream shows that it lives.",
    )
    status_seconds: _UpToAMinute = Field(
        default=5,
        description="Seconds that the status of a stream waits for the model, so that a failure "
        "can be told by it.",
    )
    check_seconds: float = Field(
        default=5,
        ge=0,
        le=60,
        allow_inf_nan=False,
        description="Seconds that a reply which is not streamed waits until its citations are "
        "compared with their pages, where `checks.pages` has that done.",
    )
    stream_check_seconds: float = Field(
        default=0,
        ge=0,
        le=60,
        allow_inf_nan=False,
        description="Seconds that the last event of a stream waits for the same. Its text never "
        "waits; with 0 a client gets the checks that are there when the text ends.",
    )
    tokens: list[_Token] = Field(
        default=[],
        repr=False,
        description="What clients of `groundwire gateway` show as their key, at least 16 "
        "characters each; empty lets in everybody on this machine and nobody else.",
    )
