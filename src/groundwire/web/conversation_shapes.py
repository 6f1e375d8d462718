"""The JSON of a session that was opened, and of what the citations of its answers came to."""

from __future__ import annotations

from typing import Literal

from groundwire.checks import CheckState, Fit, NotCompared, Says
from groundwire.conversation import ChecksState
from groundwire.web.shapes import MessageShape, SessionShape, Shape


class MatchShape(Shape):
    """How well words fit those of a page, and where; `places` is how often they stand there."""

    found: Fit
    start: int | None
    end: int | None
    places: int
    differing: list[str]


class QuotationShape(MatchShape):
    """Words that a claim has in quotation marks."""

    text: str


class RoundedNumberShape(Shape):
    """A number of a claim, and the page's that rounds to it."""

    claimed: str
    page: float


class PassageShape(Shape):
    """The passage of a page that comes nearest to a claim; `label` is what it is called."""

    start: int
    end: int
    exact: str
    prefix: str
    suffix: str
    heading: str
    page_number: int | None
    label: str


class OpinionShape(Shape):
    """What a model that was asked as a judge said; `label` is all of it in words."""

    model: str
    says: Says
    words: str
    cost_usd: float | None
    label: str


class CitationCheckShape(Shape):
    """A claim held against one of its pages; `label` and `facts` are the words that people see.

    `position` is the marker's `check_position`. `title` to `licence` are what the page says of
    itself. `source_url` shows the page as it was read,
    null where it was not; `live_url` is the page itself at the passage, null where none is known.
    With `opinion_pending` a judge is still asked; `no_opinion` is why one that was asked has none.
    """

    number: int
    position: int
    claim: str
    url: str
    state: CheckState
    label: str
    facts: list[str]
    quote: MatchShape | None
    quotations: list[QuotationShape]
    missing_numbers: list[str]
    rounded_numbers: list[RoundedNumberShape]
    numbers_elsewhere: list[str]
    missing_names: list[str]
    coverage: float
    score: float
    nearest: PassageShape | None
    quote_is_named: bool
    is_cut: bool
    not_compared: NotCompared | None
    checked_at: str | None
    page_hash: str
    title: str
    authors: list[str]
    published: str
    modified: str
    site_name: str
    licence: str
    opinion: OpinionShape | None
    opinion_pending: bool
    no_opinion: str
    source_url: str | None
    live_url: str | None


class ChecksShape(Shape):
    """What the citations of an answer came to; `pending` are still to be compared or judged."""

    state: ChecksState
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


class CitationCheckedEventShape(Shape):
    """The event `citation_checked`: one claim was held against one of its pages."""

    message_id: str
    citation: CitationCheckShape


class DoneEventShape(Shape):
    """The event `done`: the whole answer, and what its citations came to by then."""

    message: MessageShape
    checks: ChecksShape


class FeedbackShape(Shape):
    """What the user said of an answer; "" where they said nothing."""

    rating: Literal["", "up", "down"]
    note: str


class ConversationShape(Shape):
    """A session with all of its messages, in order.

    `checks` and `feedback` are by the id of the answer. Documents of the library that it cites are
    in that of `workspace_id`.
    """

    session: SessionShape
    workspace_id: str
    messages: list[MessageShape]
    checks: dict[str, ChecksShape]
    feedback: dict[str, FeedbackShape]
    leaf_id: str | None
