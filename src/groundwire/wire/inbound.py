"""What a client asks of a gateway, whatever dialect it speaks: read by a family's modules."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, TypeAlias

from groundwire.model import AssistantMessage, Json, ToolResultMessage, UserMessage

if TYPE_CHECKING:
    from groundwire.catalog import ThinkingChoice

# What agents put between the user's words: Claude Code's reminders, Codex's surroundings.
_ASIDE = re.compile(r"<(/?)([a-z_-]{0,40}(?:reminder|context|instructions))>")
OWN_SEARCH_NAMES = frozenset({"websearch", "web_search", "google_web_search"})
"""What clients call a search tool of their own, in lower case."""


class InboundError(ValueError):
    """A client's request cannot be carried out as it is; `param` names the field that is wrong."""

    def __init__(self, message: str, *, param: str = "") -> None:
        super().__init__(message)
        self.param = param


@dataclass(frozen=True, slots=True, kw_only=True)
class ClientTool:
    """A tool that the client runs. With `is_custom` its arguments are one free text."""

    name: str
    description: str = ""
    parameters: Json = None
    is_custom: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class HostedTools:
    """The search, and reading, that a client asks of its provider. None is no limit.

    `location` is any of city, region, country and timezone, `context_size` low, medium or high.
    """

    searches: bool = True
    reads: bool = False
    max_searches: int | None = None
    max_pages: int | None = None
    allowed_domains: tuple[str, ...] = ()
    blocked_domains: tuple[str, ...] = ()
    location: Mapping[str, str] = field(default_factory=dict)
    context_size: str = ""


class ToolUse(StrEnum):
    """Whether the model may, must or may not call a tool."""

    AUTO = "auto"
    NONE = "none"
    REQUIRED = "required"
    NAMED = "named"


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolChoice:
    """How a client wants tools used; `name` is of the one that must be called."""

    use: ToolUse = ToolUse.AUTO
    name: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedPage:
    """A page of an earlier search; `state` is what we had put into the client's hands."""

    url: str
    title: str = ""
    state: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedSearch:
    """A search of ours that the client sends back. `error` is its code, "" if it worked."""

    id: str
    query: str = ""
    pages: tuple[ReplayedPage, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedRead:
    """A page that we read, with the text that the client sends back; "" if it has none."""

    id: str
    url: str
    title: str = ""
    text: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedItem:
    """Something of ours that the client names by its id alone."""

    id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayedCitation:
    """A source of an earlier answer; `state` is what we had put into the client's hands."""

    url: str
    title: str = ""
    state: str = ""


Said: TypeAlias = (
    UserMessage
    | AssistantMessage
    | ToolResultMessage
    | ReplayedSearch
    | ReplayedRead
    | ReplayedItem
)
"""One thing in a conversation, oldest first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class InboundRequest:
    """A question with all that goes with it.

    `hosted` is None unless the client declared its provider's search. `wants_thinking` says that
    the client can take the model's thoughts, `wants_status` that it shows what is searched for, in
    Open WebUI's form. `previous_id` names a reply that this goes on from.
    """

    model: str
    said: tuple[Said, ...]
    system: str = ""
    tools: tuple[ClientTool, ...] = ()
    tool_choice: ToolChoice = field(default_factory=ToolChoice)
    hosted: HostedTools | None = None
    streams: bool = False
    max_tokens: int | None = None
    temperature: float | None = None
    stop: tuple[str, ...] = ()
    thinking: ThinkingChoice | None = None
    wants_thinking: bool = False
    wants_status: bool = False
    reply_schema: Json = None
    reply_is_strict: bool = True
    includes_usage: bool = True
    includes_sources: bool = False
    previous_id: str = ""
    citations: tuple[ReplayedCitation, ...] = ()

    @property
    def last_question(self) -> str:
        """Return the newest words of the user, "" if there are none."""
        users = [each.content for each in self.said if isinstance(each, UserMessage)]
        spoken = [_without_asides(text) for text in users]
        return next((text for text in reversed([*users, *spoken]) if text.strip()), "")

    @property
    def has_own_search(self) -> bool:
        """Tell whether the client brings a search tool of its own."""
        return any(tool.name.lower() in OWN_SEARCH_NAMES for tool in self.tools)


def reminder(text: str) -> UserMessage:
    """Return what is no user's, but stands between their words, as Claude Code marks it.

    Services take instructions only at the beginning; without the mark they would be the user's.
    """
    return UserMessage(content=f"<system-reminder>\n{text}\n</system-reminder>")


def _without_asides(text: str) -> str:
    """Return a user's words alone; in one pass, because a stranger may have written them."""
    kept: list[str] = []
    at, inside = 0, ""
    for tag in _ASIDE.finditer(text):
        is_end, name = bool(tag[1]), tag[2]
        if not inside and not is_end:
            kept.append(text[at : tag.start()])
            at, inside = tag.start(), name
        elif is_end and name == inside:
            at, inside = tag.end(), ""
    return "".join([*kept, text[at:]]).strip()


def body_of(value: Json) -> Mapping[str, Json]:
    """Return a body that is an object.

    Raises:
        InboundError: It is something else.
    """
    if not isinstance(value, dict):
        raise InboundError("the body is no JSON object")
    return value


def _given(body: Mapping[str, Json], name: str, kinds: tuple[type, ...], what: str) -> Json:
    value = body.get(name)
    if value is not None and type(value) not in kinds:
        raise InboundError(f"{name} must be {what}", param=name)
    return value


def text_in(body: Mapping[str, Json], name: str) -> str:
    """Return a text, "" where it is missing or null.

    Raises:
        InboundError: It is no text.
    """
    return _given(body, name, (str,), "a text") or ""


def list_in(body: Mapping[str, Json], name: str) -> list[Json]:
    """Return a list, an empty one where it is missing or null.

    Raises:
        InboundError: It is no list.
    """
    return _given(body, name, (list,), "a list") or []


def objects_in(body: Mapping[str, Json], name: str) -> list[Mapping[str, Json]]:
    """Return a list of objects, an empty one where it is missing or null.

    Raises:
        InboundError: It is no list, or something else is in it.
    """
    found = list_in(body, name)
    if not all(isinstance(each, dict) for each in found):
        raise InboundError(f"each of {name} must be an object", param=name)
    return found


def object_in(body: Mapping[str, Json], name: str) -> Mapping[str, Json]:
    """Return an object, an empty one where it is missing or null.

    Raises:
        InboundError: It is no object.
    """
    return _given(body, name, (dict,), "an object") or {}


def count_in(body: Mapping[str, Json], *names: str) -> int | None:
    """Return the first of some numbers that is given, None if none is.

    Raises:
        InboundError: It is no whole number above 0.
    """
    for name in names:
        value = body.get(name)
        if value is None:
            continue
        if type(value) is not int or value < 1:
            raise InboundError(f"{name} must be a whole number above 0", param=name)
        return value
    return None


def number_in(body: Mapping[str, Json], name: str) -> float | None:
    """Return a number, None where it is missing or null.

    Raises:
        InboundError: It is no number.
    """
    value = _given(body, name, (int, float), "a number")
    return None if value is None else float(value)


def flag_in(body: Mapping[str, Json], name: str) -> bool:
    """Return whether something is wanted, False where that is missing or null.

    Raises:
        InboundError: It is neither true nor false.
    """
    return _given(body, name, (bool,), "true or false") is True


def texts_in(body: Mapping[str, Json], name: str) -> tuple[str, ...]:
    """Return a text or a list of them, nothing where it is missing or null.

    Raises:
        InboundError: Something in it is no text.
    """
    value = body.get(name)
    found = [] if value is None else [value] if isinstance(value, str) else value
    if not isinstance(found, list) or not all(isinstance(each, str) for each in found):
        raise InboundError(f"{name} must be a text or a list of texts", param=name)
    return tuple(found)


def location_of(value: Json) -> dict[str, str]:
    """Return where a user is, of what a client says about it."""
    place = value if isinstance(value, dict) else {}
    inner = place.get("approximate")
    place = inner if isinstance(inner, dict) else place
    names = ("city", "region", "country", "timezone")
    return {name: place[name] for name in names if isinstance(place.get(name), str)}


def joined(said: list[Said]) -> tuple[Said, ...]:
    """Return a conversation in which what one side says at once is one message."""
    found: list[Said] = []
    for each in said:
        before = found[-1] if found else None
        match before, each:
            case AssistantMessage(raw_blocks=None), AssistantMessage(raw_blocks=None):
                parts = [part for part in (before.content, each.content) if part]
                found[-1] = AssistantMessage(
                    content="\n\n".join(parts), tool_calls=(*before.tool_calls, *each.tool_calls)
                )
            case UserMessage(), UserMessage():
                parts = [part for part in (before.content, each.content) if part]
                found[-1] = UserMessage(
                    content="\n\n".join(parts),
                    attachments=(*before.attachments, *each.attachments),
                )
            case _:
                found.append(each)
    return tuple(found)
