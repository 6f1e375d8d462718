"""What a client of a gateway is told, whatever dialect it speaks: written by a family's modules."""

from __future__ import annotations

import secrets
from abc import ABC, abstractmethod
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

import orjson

from groundwire.events import ThinkingDelta, ToolCallDelta, ToolCallEnd, ToolCallStart
from groundwire.model import Json, Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_GAP = "\0gap\0"

MAX_RESULTS = 10
"""Most pages of one search that a client is told, those that matter first."""


class Stop(StrEnum):
    """Why an answer ended."""

    END = "end"
    LENGTH = "length"
    TOOLS = "tools"
    REFUSAL = "refusal"


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPage:
    """A page that a search found; `state` is for us, should the client send it back."""

    url: str
    title: str = ""
    published: str = ""
    state: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class SentCitation:
    """A marker in the text as it was sent, from `start` to `end` in code points, and its source.

    `quote` is what the source says, "" where nobody knows. `key` is what a check of it is known by.
    """

    number: int
    url: str
    title: str
    start: int
    end: int
    quote: str = ""
    state: str = ""
    key: tuple[int, int] | None = None


@dataclass(frozen=True, slots=True)
class Accepted:
    """The model has begun to answer: a refusal of the whole request is not to be expected."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchBegan:
    """Somebody searches."""

    id: str
    query: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchEnded:
    """A search is over; `error` is one of the Messages API's codes, "" if it worked."""

    id: str
    query: str
    pages: tuple[FoundPage, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRead:
    """A page was opened, or could not be: then `error` is a code of the Messages API.

    `text` is what was read of it, for a client that asked for that; "" where nobody told.
    """

    id: str
    url: str
    title: str = ""
    text: str = ""
    error: str = ""


@dataclass(slots=True)
class Text:
    """The next text of the answer, with the markers in it."""

    text: str
    citations: tuple[SentCitation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Compared:
    """What came of a citation that was told, held against its page. The last of a key holds."""

    key: tuple[int, int]
    check: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Remark:
    """Something that only people who look at the wire want to know."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """The answer is whole. `searches` and `pages` are what the client is to be charged for."""

    stop: Stop
    usage: Usage
    searches: int = 0
    pages: int = 0


OutboundEvent: TypeAlias = (
    Accepted
    | SearchBegan
    | SearchEnded
    | PageRead
    | Text
    | ThinkingDelta
    | ToolCallStart
    | ToolCallDelta
    | ToolCallEnd
    | Compared
    | Remark
    | Ended
)
"""Thoughts and calls of the client's tools are told as the model's events tell them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Refusal:
    """Why there is no answer, or no whole one.

    `status` is the HTTP status before the first byte; `can_retry` says whether the same request
    could work later. `code` is ours.
    """

    status: int
    code: str
    message: str
    param: str = ""
    can_retry: bool = False
    retry_after_seconds: float | None = None


class Writer(ABC):
    """Writes one reply, as a stream or whole; `id` is what the reply is called."""

    id: str

    @abstractmethod
    def start(self) -> bytes:
        """Return what comes first in a stream."""

    def write(self, events: Sequence[OutboundEvent]) -> bytes:
        """Take what happens, and return it as events of a stream."""
        return b"".join([self._written(event) for event in events])

    @abstractmethod
    def _written(self, event: OutboundEvent) -> bytes:
        """Take one thing that happens."""

    @abstractmethod
    def keep_alive(self) -> bytes:
        """Return what shows that the stream lives."""

    @abstractmethod
    def fail(self, refusal: Refusal) -> bytes:
        """Return the end of a stream that failed; a mere end would pass for a whole answer."""

    @abstractmethod
    def body(self) -> Json:
        """Return the whole reply, once `Ended` was taken."""


def new_id(prefix: str) -> str:
    """Return an id that no other reply, item or call has."""
    return f"{prefix}{secrets.token_hex(12)}"


def encoded(value: Json) -> bytes:
    """Return JSON as it is sent."""
    return orjson.dumps(value)


def named_event(data: Json) -> bytes:
    """Return one event under its own type's name, as Messages and Responses send it."""
    return b"event: %s\ndata: %s\n\n" % (data["type"].encode(), orjson.dumps(data))


def plain_event(data: Json) -> bytes:
    """Return one event without a name, as Chat Completions send it."""
    return b"data: %s\n\n" % orjson.dumps(data)


class OwnFields:
    """What we add to the citations of one reply, under `groundwire`.

    A check is added when it is known: in what is sent from then on, and in the whole reply.
    """

    def __init__(self) -> None:
        self._fields: dict[tuple[int, int] | None, list[Json]] = {}

    def of(self, one: SentCitation) -> Json:
        """Return the fields of a citation."""
        fields: Json = {"number": one.number, "quote": one.quote}
        self._fields.setdefault(one.key, []).append(fields)
        return fields

    def take(self, event: Compared) -> None:
        """Add a check to the citations that it is of."""
        for fields in self._fields.get(event.key, ()):
            fields["check"] = event.check

    @property
    def compared(self) -> list[Json]:
        """Return those that have a check."""
        return [one for each in self._fields.values() for one in each if "check" in one]


class Template:
    """An event of which only one text differs: the rest is encoded once.

    A stream has thousands of them, and encoding all of it anew costs four times as much.
    """

    def __init__(self, make: Callable[[str], bytes]) -> None:
        self._head, self._tail = make(_GAP).split(orjson.dumps(_GAP))

    def filled(self, text: str) -> bytes:
        """Return the event with this text."""
        return b"%s%s%s" % (self._head, orjson.dumps(text), self._tail)


class NumberedTemplate:
    """An event of which a number and, after it, a text differ."""

    def __init__(self, make: Callable[[str, str], bytes]) -> None:
        self._head, self._between, self._tail = make(_GAP, _GAP).split(orjson.dumps(_GAP))

    def filled(self, number: int, text: str) -> bytes:
        """Return the event with this number and text."""
        rest = self._between, orjson.dumps(text), self._tail
        return b"%s%d%s%s%s" % (self._head, number, *rest)


def comment(text: str) -> bytes:
    """Return a line that every client skips."""
    return b": %s\n\n" % " ".join(text.split()).encode()


def total_of(usage: Usage) -> tuple[int, int]:
    """Return how many tokens were read and written; what nobody knows counts as none."""
    return usage.input_tokens or 0, usage.output_tokens or 0
