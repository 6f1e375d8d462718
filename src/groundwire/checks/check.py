"""What a comparison of a claim with a page came to: literal facts, each with its place."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from groundwire.checks.quotes import QuoteMatch

MAX_DETAIL = 300


class NotCompared(StrEnum):
    """Why nothing could be compared."""

    UNREADABLE = "unreadable"
    BLOCKED = "blocked"
    TOO_SHORT = "too_short"
    TOO_LONG = "too_long"
    LANGUAGE = "language"
    NOTHING_CLAIMED = "nothing_claimed"
    NOT_OPENED = "not_opened"
    POLICY = "policy"
    ROBOTS = "robots"
    LIMIT = "limit"
    TIMEOUT = "timeout"
    NO_SOURCE = "no_source"


@dataclass(frozen=True, slots=True, kw_only=True)
class Passage:
    """A piece of a page: the exact text, what stands before and after it, and under which heading.

    `start` and `end` count characters of the page. `page_number` is of a document that has pages.
    """

    start: int
    end: int
    exact: str
    prefix: str = ""
    suffix: str = ""
    heading: str = ""
    page_number: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class RoundedNumber:
    """A number of a claim that is not on the page, and the page's value that rounds to it."""

    claimed: str
    value: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Quotation:
    """Words that a claim has in quotation marks, and where they stand on the page."""

    text: str
    match: QuoteMatch


@dataclass(frozen=True, slots=True, kw_only=True)
class Check:
    """A claim held against a page. None of it is a verdict.

    With `not_compared` nothing else is known, and `detail` says more of why. `quote` is the
    passage that the claim is said to quote, or else the claim as a whole where the page has it;
    None where it has not, which says nothing: most claims are told in other words. Where the claim
    itself stands there no number and no name of it is missing. With
    `quote_is_named` it is a passage that was named as the claim's source and has other words than
    the claim: that it is there says nothing of the claim's own words. `quotations`
    are the claim's own, in quotation marks. With `is_cut` only the first part of a very long page
    was compared. `language` is the claim's where it is clear: of one that is not English, names,
    numbers other than years and few words are not spoken of.
    `coverage` is the share of the claim's words that the page has, by how much they tell, from 0
    to 1; `score` orders claims by how much of them is there and means nothing else.
    """

    not_compared: NotCompared | None = None
    detail: str = ""
    quote: QuoteMatch | None = None
    quote_is_named: bool = False
    quotations: tuple[Quotation, ...] = ()
    missing_numbers: tuple[str, ...] = ()
    rounded_numbers: tuple[RoundedNumber, ...] = ()
    numbers_elsewhere: tuple[str, ...] = ()
    missing_names: tuple[str, ...] = ()
    coverage: float = 0.0
    score: float = 0.0
    nearest: Passage | None = None
    is_cut: bool = False
    language: str = ""


def not_read(detail: str) -> Check:
    """Return the check of a page that could not be read, and why not in words of ours."""
    return Check(not_compared=NotCompared.UNREADABLE, detail=" ".join(detail.split())[:MAX_DETAIL])
