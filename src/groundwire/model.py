"""The nouns: what a question, an answer and a source are made of. No behaviour, no I/O."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from functools import lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias
from urllib.parse import urlsplit

from groundwire.errors import Attempt
from groundwire.redaction import Secret

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = [
    "AssistantMessage",
    "Attachment",
    "Citation",
    "Evidence",
    "Fetched",
    "Json",
    "Message",
    "ModelInfo",
    "Page",
    "PageMetadata",
    "ReadReply",
    "SearchQuery",
    "SearchReply",
    "SearchResult",
    "Secret",
    "ToolCall",
    "ToolDefinition",
    "ToolResultMessage",
    "Usage",
    "UserMessage",
    "domain_of",
]

Json: TypeAlias = Any  # What a service sent, until it becomes one of the nouns below.


class Evidence(StrEnum):
    """How an answer came to rest on a source."""

    CITED = "cited"  # the provider named the passage
    READ = "read"  # the page was opened
    FOUND = "found"  # only a search hit; never shown as if the answer rested on it
    REMOVED = "removed"  # a domain policy forbids it; never a source, its marker is struck


@lru_cache(maxsize=1024)
def domain_of(url: str) -> str:
    """Return the host of a URL as a person reads it, without `www.`; the URL if it has none."""
    try:
        host = urlsplit(url).hostname
    except ValueError:
        host = None
    return host.removeprefix("www.") if host else url


@dataclass(frozen=True, slots=True, kw_only=True)
class Citation:
    """A claim in an answer and the page that supports it.

    `start` and `end` count characters of the answer's text, whatever the provider counts
    (Gemini counts UTF-8 bytes). Both are None when the provider names a page but not a place.
    `domain` follows from the URL unless the provider knows better (a redirect's real target).
    """

    url: str
    title: str = ""
    domain: str = ""
    quote: str = ""
    start: int | None = None
    end: int | None = None
    evidence: Evidence = Evidence.CITED

    def __post_init__(self) -> None:
        if not self.domain:
            object.__setattr__(self, "domain", domain_of(self.url))


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchQuery:
    """What to look for.

    `domains` restricts results to these hosts and their subdomains; empty means anywhere.
    `blocked_domains` are left out all the same. `time_range` is d, w, m, y or all.
    """

    text: str
    limit: int = 5
    domains: tuple[str, ...] = ()
    blocked_domains: tuple[str, ...] = ()
    time_range: str = "all"


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchResult:
    """One hit, in the order of the service. `published` is the service's own wording, or ""."""

    url: str
    title: str
    snippet: str = ""
    published: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchReply:
    """What a search gave, and what became of each filter that was asked for.

    `for result in reply` goes through `results`, best first.
    `filters_applied` are those that the service applied, `filters_enforced` those that only we
    did, `filters_ignored` those that nobody could: time_range where a hit has no known date.
    `removed` counts the hits that a filter of ours left out, those over the limit aside.
    `attempts` are the services asked before this one, in vain. `age_seconds` is how long ago the
    service answered, None if just now. `notes` say what is missing in an answer that is not
    whole, such as an engine that did not reply.
    """

    service: str
    results: tuple[SearchResult, ...]
    filters_applied: tuple[str, ...] = ()
    filters_enforced: tuple[str, ...] = ()
    filters_ignored: tuple[str, ...] = ()
    removed: int = 0
    notes: tuple[str, ...] = ()
    attempts: tuple[Attempt, ...] = ()
    age_seconds: float | None = None

    def __iter__(self) -> Iterator[SearchResult]:
        return iter(self.results)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageMetadata:
    """What a page says about itself; "" where it does not.

    `authors` are names in the page's order. `published` and `modified` are ISO 8601, a date or a
    date with its time. `canonical_url` is where the page says that it belongs. `language` is a
    BCP 47 tag, and `licence` an address where one is given, else the page's words. `pages` is how
    many pages a document such as a PDF has, a rule between each two; None where it has none.
    """

    authors: tuple[str, ...] = ()
    published: str = ""
    modified: str = ""
    site_name: str = ""
    canonical_url: str = ""
    language: str = ""
    licence: str = ""
    pages: int | None = None

    @classmethod
    def from_json(cls, value: Json) -> PageMetadata:
        """Return what `said` or `dataclasses.asdict` made of it; nothing of no value."""
        return cls(**{**value, "authors": tuple(value.get("authors", ()))}) if value else cls()

    def said(self) -> dict[str, object]:
        """Return what the page says, without what it does not."""
        values = ((each.name, getattr(self, each.name)) for each in fields(self))
        return {name: [*it] if isinstance(it, tuple) else it for name, it in values if it}


@dataclass(frozen=True, slots=True, kw_only=True)
class Page:
    """A page as Markdown: seed 003's `ReadResult`.

    `url` is where the content came from after redirects. `original_length` counts the
    characters before truncation and is None when nobody knows. When `success` is false,
    `error` says why and `content` is empty; `notes` say what may be missing in one that was read.
    """

    url: str
    title: str = ""
    content: str = ""
    original_length: int | None = None
    truncated: bool = False
    success: bool = True
    error: str = ""
    notes: tuple[str, ...] = ()
    metadata: PageMetadata = field(default_factory=PageMetadata)

    @property
    def content_length(self) -> int:
        """Return how many characters of content there are."""
        return len(self.content)


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetched:
    """What the server of a page sent: the bytes that the page was made from.

    `packed` is the body, decoded from its encoding and packed by `system.compression`; `size` and
    `body_hash`, a SHA-256, are of the body itself. Of the headers only harmless ones are here.
    """

    status: int
    headers: Mapping[str, str]
    packed: bytes = field(repr=False)
    size: int
    body_hash: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadReply:
    """A page, and who read it; `attempts` and `age_seconds` are as in SearchReply.

    When nobody could read it, `service` is "" and the page has no success. `fetched` is what it was
    made from, None where a service read it or nobody wants to keep it.
    """

    service: str
    page: Page
    attempts: tuple[Attempt, ...] = ()
    age_seconds: float | None = None
    fetched: Fetched | None = field(default=None, repr=False, compare=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Attachment:
    """A file beside a user's message; `type` is image or file, the data is base64."""

    type: str
    mime_type: str
    base64_data: str = field(repr=False)
    file_name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolDefinition:
    """A tool that a model may call; `parameters` is a JSON Schema object."""

    name: str
    description: str
    parameters: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolCall:
    """A model's wish to run a tool; `arguments` is the JSON text that the model wrote."""

    id: str
    name: str
    arguments: str = "{}"


@dataclass(frozen=True, slots=True, kw_only=True)
class UserMessage:
    """What a person says."""

    content: str
    attachments: tuple[Attachment, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AssistantMessage:
    """What a model said.

    `raw_blocks` are the provider's own blocks, replayed only to `raw_provider`, which made them;
    everyone else gets `content`.
    """

    content: str
    tool_calls: tuple[ToolCall, ...] = ()
    raw_blocks: Json = field(default=None, repr=False)
    raw_provider: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResultMessage:
    """What a tool returned, for the call with this id."""

    tool_call_id: str
    content: str
    is_error: bool = False


Message: TypeAlias = UserMessage | AssistantMessage | ToolResultMessage


@dataclass(frozen=True, slots=True, kw_only=True)
class Usage:
    """What a reply has cost so far. A later report replaces an earlier one; nothing is added.

    None means that the provider did not say. Counts are the provider's own: the input of Anthropic
    is without what its cache read or wrote, everyone else's with it, and the output of Gemini is
    without its thinking. `cost_usd` is set only where the provider names the money itself.
    """

    input_tokens: int | None = None
    output_tokens: int | None = None
    cached_input_tokens: int | None = None
    cache_write_tokens: int | None = None
    thinking_tokens: int | None = None
    searches: int | None = None
    fetches: int | None = None
    cost_usd: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelInfo:
    """A model that a provider offers. `shutdown_date` is an ISO date, "" if none is announced."""

    id: str
    title: str = ""
    shutdown_date: str = ""
