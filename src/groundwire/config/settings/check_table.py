"""The table `checks`: how citations are compared with the pages that they name."""

from __future__ import annotations

from typing import Literal, TypeAlias

from pydantic import Field

from groundwire.config.settings.table import Seconds, Table

CheckedPages: TypeAlias = Literal["off", "opened", "all"]
"""Which cited pages are compared: none, those that were opened for the answer, or all."""


class CheckSettings(Table):
    """How citations are compared with their pages."""

    pages: CheckedPages = Field(
        default="all",
        description="Which cited pages an answer is compared with: off is none, opened those that "
        "were opened for the answer, all reads the others too. A workspace can choose another.",
    )
    max_pages: int = Field(
        default=10,
        ge=0,
        le=1_000,
        description="Most pages that are read for the checks of one answer, beside those that "
        "were opened for it.",
    )
    seconds: Seconds = Field(
        default=20,
        description="Seconds after the end of an answer within which its checks may read pages.",
    )
    judge: str = Field(
        default="",
        max_length=200,
        description="The provider whose model is asked, too, whether a page says what an answer "
        "claims; empty asks none. Its opinion is shown apart, with its name and its cost, and "
        "costs a request for each claim. A workspace can choose another, or none.",
    )
    judge_model: str = Field(
        default="",
        max_length=200,
        description="The judge's model; empty is its provider's default.",
    )
    judge_claims: int = Field(
        default=10, ge=0, le=1_000, description="Most claims of one answer that a judge is asked."
    )
