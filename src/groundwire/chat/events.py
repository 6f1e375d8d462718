"""What happens while a turn runs: what a page shows, a terminal prints and a program reads.

Positions count characters of the text shown so far, without markers. `encode` gives every event
as JSON; its `type` is the class's word.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar, TypeAlias

from groundwire.chat.answer import Answer
from groundwire.citations import MarkerShown, PassageFolded, TextShown
from groundwire.conversation import SearchMode

if TYPE_CHECKING:
    from groundwire.checks import CitationCheck
    from groundwire.citations import Source
    from groundwire.conversation import ChatMessage, ToolRun
    from groundwire.model import Usage

__all__ = [
    "ApprovalRequested",
    "BudgetReached",
    "ChatEvent",
    "CitationChecked",
    "MarkerShown",
    "Noticed",
    "PassageFolded",
    "SourceNumbered",
    "SourcesRemoved",
    "SuggestionsShown",
    "TextShown",
    "ThinkingShown",
    "ToolUpdate",
    "TurnEnded",
    "TurnFailed",
    "TurnStarted",
    "UsageReported",
    "WebSearchStarted",
]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnStarted:
    """The user's message is kept, and somebody is about to be asked.

    `mode` says who will search; `reason` why it is this and not another. `is_restricted` says that
    the provider searches and not every domain is allowed: passages may be folded later.
    """

    type: ClassVar[str] = "turn_started"

    session_id: str
    question_id: str
    message_id: str
    provider: str
    model: str
    mode: SearchMode
    search_service: str = ""
    reason: str = ""
    is_restricted: bool = False


@dataclass(slots=True)
class ThinkingShown:
    """The next piece of the model's reasoning."""

    type: ClassVar[str] = "thinking"

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SourceNumbered:
    """A source is used for the first time: this is its number for the whole answer."""

    type: ClassVar[str] = "source"

    source: Source


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationChecked:
    """What one source of a marker was compared with; it follows the marker, at any later time.

    The same position and number again replace: the claim was another one at the end.
    """

    type: ClassVar[str] = "citation_checked"

    message_id: str
    citation: CitationCheck


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSearchStarted:
    """Somebody searches; None where the provider does not tell for what."""

    type: ClassVar[str] = "web_search_started"

    query: str | None
    mode: SearchMode
    service: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolUpdate:
    """A tool began, ended or failed: a search with its results, a page that was opened."""

    type: ClassVar[str] = "tool_update"

    run: ToolRun


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcesRemoved:
    """The workspace's policy took sources away. `where` is results, citations or pages.

    `domains` are those of the URLs, one for each: Google's URLs are redirects of its own.
    """

    type: ClassVar[str] = "policy"

    urls: tuple[str, ...]
    where: str
    reason: str
    domains: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageReported:
    """What the turn has cost so far; None where nobody knows, at least that where partial."""

    type: ClassVar[str] = "usage"

    usage: Usage
    cost_usd: float | None = None
    cost_is_partial: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Noticed:
    """Something was skipped or done differently; the answer goes on."""

    type: ClassVar[str] = "warning"

    message: str
    code: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SuggestionsShown:
    """HTML that Google wants shown with its answer: a stranger's."""

    type: ClassVar[str] = "search_suggestions"

    html: str


@dataclass(frozen=True, slots=True, kw_only=True)
class BudgetReached:
    """A limit of the turn: searches, pages, tokens, seconds or cost."""

    type: ClassVar[str] = "budget"

    budget: str
    message: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ApprovalRequested:
    """The model wants to change something; the turn waits for the user, also over a restart."""

    type: ClassVar[str] = "approval_requested"

    message_id: str
    runs: tuple[ToolRun, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnFailed:
    """The answer ended with an error; what came before stays. The message names the fix."""

    type: ClassVar[str] = "error"

    message: str
    code: str
    retry_after_seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnEnded:
    """The end of the answer, as it is kept; only checks of its citations may follow.

    `checks` are the citations that were compared with their pages so far.
    """

    type: ClassVar[str] = "done"

    message: ChatMessage
    checks: tuple[CitationCheck, ...] = ()

    @property
    def answer(self) -> Answer:
        """Return what the question became, however the turn ended."""
        return Answer(message=self.message, checks=self.checks)


ChatEvent: TypeAlias = (
    TurnStarted
    | TextShown
    | ThinkingShown
    | SourceNumbered
    | MarkerShown
    | CitationChecked
    | PassageFolded
    | WebSearchStarted
    | ToolUpdate
    | SourcesRemoved
    | UsageReported
    | Noticed
    | SuggestionsShown
    | BudgetReached
    | ApprovalRequested
    | TurnFailed
    | TurnEnded
)
