"""What `check_claim` is called with."""

from __future__ import annotations

from typing import Annotated, Self, TypeAlias

from pydantic import Field, StringConstraints, model_validator

from groundwire.tools.claim_result import MAX_CLAIM
from groundwire.tools.web_contract import ToolArguments

MAX_TEXT = 1_000_000

_Claim: TypeAlias = Annotated[
    str, StringConstraints(strip_whitespace=True, min_length=1, max_length=MAX_CLAIM)
]


class CheckClaimArguments(ToolArguments):
    """A claim, and the page or the text that it is compared with."""

    claim: _Claim = Field(description="The claim: one sentence, as it is stated.")
    url: str = Field(default="", description="The page that it cites.")
    text: str = Field(
        default="", max_length=MAX_TEXT, description="The text that it cites, instead of a page."
    )
    quote: str = Field(
        default="", max_length=MAX_CLAIM, description="The passage that it is said to quote."
    )

    @model_validator(mode="after")
    def _has_one_source(self) -> Self:
        if bool(self.url) == bool(self.text):
            raise ValueError("give either url or text")
        return self
