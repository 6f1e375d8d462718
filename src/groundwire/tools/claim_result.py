"""What a claim came to, as tools tell it: `check_claim`, and `open_page` with a claim."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

from pydantic import BaseModel

from groundwire.checks import facts_in_words, state_of
from groundwire.tools.fence import Address, Ours, StrangersText

if TYPE_CHECKING:
    from groundwire.checks import Check

MAX_CLAIM = 5_000


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


def claim_result(check: Check, url: str) -> ClaimCheckResult:
    """Return a check as a tool's data; `url` is the page's, "" for a given text."""
    near, quote = check.nearest, check.quote
    return ClaimCheckResult(
        url=url,
        state=state_of(check).value,
        facts=[*facts_in_words(check)],
        quote=quote.fit.value if quote else "",
        missing_numbers=[*check.missing_numbers],
        missing_names=[*check.missing_names],
        coverage=round(check.coverage, 4),
        nearest=NearestPassage.model_validate(near, from_attributes=True) if near else None,
        not_compared=check.not_compared.value if check.not_compared else "",
    )


def claim_words(result: ClaimCheckResult) -> list[str]:
    """Return what a claim came to in pieces of a text for models: facts, the nearest passage."""
    said = Ours(" ".join(result.facts) or "Compared, nothing of note.")
    near = result.nearest
    return [said, *([Ours("Nearest passage:"), StrangersText(near.exact)] if near else [])]
