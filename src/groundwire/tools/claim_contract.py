"""What `check_claim` is called with, and what it gives back."""

from __future__ import annotations

from typing import Annotated, Literal, Self, TypeAlias

from pydantic import BaseModel, Field, StringConstraints, model_validator

from groundwire.tools.fence import Address, Ours, StrangersText
from groundwire.tools.web_contract import ToolArguments

MAX_CLAIM = 5_000
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


class NearestPassage(BaseModel):
    """The passage that has most of the claim's words; places count characters of the page."""

    start: int
    end: int
    exact: Annotated[str, StrangersText]
    heading: str = ""
    page_number: int | None = None


class ClaimCheckResult(BaseModel):
    """What of the claim stands there: literal facts, and no verdict.

    `facts`, `missing_numbers` and `missing_names` are made of the claim's own words.
    """

    url: Annotated[str, Address] = ""
    state: Annotated[Literal["found", "plain", "absent", "not_compared"], Ours]
    facts: Annotated[list[str], Ours] = []
    quote: Annotated[Literal["letter", "words", "close", "none", ""], Ours] = ""
    missing_numbers: Annotated[list[str], Ours] = []
    missing_names: Annotated[list[str], Ours] = []
    coverage: float = 0.0
    nearest: NearestPassage | None = None
    not_compared: Annotated[str, Ours] = ""
    error: str = ""
