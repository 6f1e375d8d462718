"""The shapes of what citations came to, and of what a page gets it with."""

from __future__ import annotations

from typing import Literal

from groundwire.web.shapes import MessageShape, SessionShape, Shape


class QuoteMatchShape(Shape):
    """Where a quote stands on a page, and how well it fits."""

    found: Literal["letter", "words", "close", "none"]
    start: int | None
    end: int | None
    places: int
    differing: list[str]


class QuotationShape(QuoteMatchShape):
    """Words that a claim has in quotation marks."""

    text: str


class RoundedNumberShape(Shape):
    """A number of a claim, and the value of the page that rounds to it."""

    claimed: str
    page: float


class PassageShape(Shape):
    """A piece of a page, and what stands around it."""

    start: int
    end: int
    exact: str
    prefix: str
    suffix: str
    heading: str
    page_number: int | None
    label: str


class OpinionShape(Shape):
    """What a model said that was asked as a judge."""

    model: str
    says: Literal["supported", "partly", "not_stated", "contradicted"]
    words: str
    cost_usd: float | None


class CitationCheckShape(Shape):
    """A marker's claim compared with one source: literal facts, and the words for them."""

    number: int
    position: int
    claim: str
    url: str
    state: Literal["found", "plain", "absent", "not_compared"]
    label: str
    facts: list[str]
    quote: QuoteMatchShape | None
    quotations: list[QuotationShape]
    missing_numbers: list[str]
    rounded_numbers: list[RoundedNumberShape]
    numbers_elsewhere: list[str]
    missing_names: list[str]
    coverage: float
    score: float
    nearest: PassageShape | None
    is_cut: bool
    not_compared: str | None
    checked_at: str | None
    page_hash: str
    opinion: OpinionShape | None
    source_url: str | None


class ChecksShape(Shape):
    """What the citations of an answer came to; `pending` are still to be compared."""

    state: Literal["", "pending", "again", "done"]
    pending: int
    checks: list[CitationCheckShape]
    summary: str


class SourcePageShape(Shape):
    """A page that an answer cites, as it was read, and what its claims came to."""

    number: int
    url: str
    title: str
    read_at: str
    page_hash: str
    text: str
    checks: list[CitationCheckShape]


class CitationCheckedShape(Shape):
    """The event that tells what one citation came to."""

    message_id: str
    citation: CitationCheckShape


class DoneShape(Shape):
    """The last event of a turn."""

    message: MessageShape
    checks: ChecksShape


class ConversationShape(Shape):
    """A session with all of its messages, in order; `checks` are by the id of the answer."""

    session: SessionShape
    messages: list[MessageShape]
    checks: dict[str, ChecksShape]
    leaf_id: str | None
