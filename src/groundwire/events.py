"""What happens while a model answers: the ten events of every stream, and a few the wire adds.

Read them with `match`; the union is closed. They are values like every other noun, but a stream
makes thousands of them and freezing a class doubles the price of each.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from groundwire.model import Citation, Json, SearchResult, Usage

__all__ = [
    "Citations",
    "Done",
    "Error",
    "RawBlocks",
    "SearchSuggestions",
    "StreamEvent",
    "TextDelta",
    "ThinkingDelta",
    "ToolCallDelta",
    "ToolCallEnd",
    "ToolCallStart",
    "Usage",
    "Warned",
    "WebFetchResult",
    "WebFetchStart",
    "WebSearchResults",
    "WebSearchStart",
]


@dataclass(slots=True)
class TextDelta:
    """The next piece of the answer."""

    text: str


@dataclass(slots=True)
class ThinkingDelta:
    """The next piece of the model's reasoning, where the provider shows it."""

    text: str


@dataclass(slots=True)
class ToolCallStart:
    """The model begins to call one of our tools. A provider's own tools never appear here."""

    tool_call_id: str
    tool_name: str


@dataclass(slots=True)
class ToolCallDelta:
    """The next piece of a call's arguments, JSON text."""

    tool_call_id: str
    arguments_delta: str


@dataclass(slots=True)
class ToolCallEnd:
    """The call's arguments are complete."""

    tool_call_id: str


@dataclass(slots=True)
class Error:
    """The reply failed; what came before stays valid. `code` is one of `errors`' codes."""

    message: str
    code: str
    retry_after_seconds: float | None = None


@dataclass(slots=True)
class Done:
    """The provider said that the reply is complete, and why it stopped, in its own word."""

    stop_reason: str = ""


@dataclass(slots=True)
class WebSearchStart:
    """The provider searches; None where it does not tell for what."""

    query: str | None


@dataclass(slots=True)
class Citations:
    """Sources of the answer; each says how strong its evidence is."""

    citations: tuple[Citation, ...]


@dataclass(slots=True)
class WebSearchResults:
    """What the provider's search found. Found is not cited."""

    results: tuple[SearchResult, ...]


@dataclass(slots=True)
class WebFetchStart:
    """The provider opens a page."""

    url: str


@dataclass(slots=True)
class WebFetchResult:
    """The provider has read a page, or could not: then `error` is its code."""

    url: str
    title: str = ""
    error: str = ""


@dataclass(slots=True)
class SearchSuggestions:
    """HTML that Google wants shown with a grounded answer. A stranger's: sandbox it."""

    html: str


@dataclass(slots=True)
class RawBlocks:
    """The provider's own blocks of this answer, to be sent back to it on the next turn."""

    blocks: Json


@dataclass(slots=True)
class Warned:
    """Something was skipped or done differently; the answer goes on."""

    message: str
    code: str


StreamEvent: TypeAlias = (
    TextDelta
    | ThinkingDelta
    | ToolCallStart
    | ToolCallDelta
    | ToolCallEnd
    | Usage
    | Error
    | Done
    | WebSearchStart
    | Citations
    | WebSearchResults
    | WebFetchStart
    | WebFetchResult
    | SearchSuggestions
    | RawBlocks
    | Warned
)
