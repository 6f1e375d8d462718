"""Agents, sessions and messages: who was asked what, what was answered, and how far that got."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING

from groundwire.model import Attachment, Citation, Json, SearchResult, ToolCall, Usage
from groundwire.system.determinism import new_id, now

if TYPE_CHECKING:
    from groundwire.catalog import ThinkingChoice
    from groundwire.citations import Marked


class MessageKind(StrEnum):
    """Who speaks."""

    USER = "USER"
    AI_RESPONSE = "AI_RESPONSE"


class Status(StrEnum):
    """How far an answer got. Everything but COMPLETE is shown as incomplete."""

    COMPLETE = "complete"
    STREAMING = "streaming"
    AWAITING_APPROVAL = "awaiting_approval"
    INTERRUPTED = "interrupted"  # a crash or a lost provider, in the middle
    CANCELLED = "cancelled"  # by the user
    FAILED = "failed"  # an error ended it; what came before is kept


class SearchMode(StrEnum):
    """Who searches for an answer."""

    HOSTED = "hosted"  # the model's provider
    CLIENT = "client"  # we do, by tools
    OFF = "off"


class ChecksState(StrEnum):
    """How far the comparison of an answer's citations with their pages got."""

    NONE = ""  # nothing is cited, or nothing shall be compared
    PENDING = "pending"  # some citations are still to be compared
    AGAIN = "again"  # all are to be compared once more, with the pages as they are now
    DONE = "done"

    @property
    def is_open(self) -> bool:
        """Tell whether something is still to be compared."""
        return self in (ChecksState.PENDING, ChecksState.AGAIN)


class SearchChoice(StrEnum):
    """Who shall search, as the user says for one message."""

    AUTO = "auto"
    HOSTED = "hosted"
    CLIENT = "client"
    OFF = "off"


@dataclass(frozen=True, slots=True, kw_only=True)
class Agent:
    """Somebody to talk to: a prompt, a provider with a model, and whether it may use the web.

    `preferred_provider_id` is None for the provider that is used by default, `preferred_model_id`
    None for the provider's default model. `thinking` is one of `ThinkingChoice`, "" for what the
    provider's settings say.
    """

    id: str = field(default_factory=new_id)
    workspace_id: str
    name: str
    description: str = ""
    system_prompt: str = ""
    preferred_provider_id: str | None = None
    preferred_model_id: str | None = None
    temperature: float | None = None
    is_built_in: bool = False
    web_search_enabled: bool = False
    thinking: str = ""
    created_at: datetime = field(default_factory=now)
    updated_at: datetime = field(default_factory=now)


@dataclass(frozen=True, slots=True, kw_only=True)
class Session:
    """One conversation with an agent."""

    id: str = field(default_factory=new_id)
    workspace_id: str
    agent_id: str
    user_id: str | None = None
    title: str = ""
    created_at: datetime = field(default_factory=now)
    updated_at: datetime = field(default_factory=now)


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolRun:
    """One use of a tool, ours or the provider's, with what became of it.

    `status` is running, done, failed, waiting for an approval, or declined. `url` and `query` are
    what it was about, `results` what a search found. `service` is who did it, `output` what the
    model was given.
    """

    id: str
    name: str
    mode: SearchMode = SearchMode.CLIENT
    status: str = "running"
    arguments: str = "{}"
    query: str = ""
    url: str = ""
    title: str = ""
    service: str = ""
    results: tuple[SearchResult, ...] = ()
    error: str = ""
    output: str = ""
    started_at: datetime = field(default_factory=now)
    seconds: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """One reply of the model within a turn, as it is sent back to the provider that made it.

    `outputs` are by call id; a call without one is still to be run.
    """

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    outputs: tuple[tuple[str, str, bool], ...] = ()
    raw_blocks: Json = field(default=None, repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """What the user chose for one message. `domains` narrow the workspace's for it alone.

    `thinking` is None for the agent's.
    """

    search: SearchChoice = SearchChoice.AUTO
    domains: tuple[str, ...] = ()
    thinking: ThinkingChoice | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnState:
    """What a turn must remember to go on after an approval, to be restored or to be made anew.

    `choices` are None for a turn that was never planned, `reason` is why that mode was planned.
    `citations` are the provider's, with spans in `plain_text`. `known` are the pages that tools
    gave ids to, by id, `pages` all that were found or read.
    """

    choices: Choices | None = None
    reason: str = ""
    citations: tuple[Citation, ...] = ()
    known: Mapping[str, Citation] = field(default_factory=dict)
    pages: tuple[Citation, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ChatMessage:
    """A message of a session, the user's or the answer to it.

    Of an answer, `content` is the text with its markers, `citations` are its sources by number
    (None if it has none), and `marked` is all that is needed to show it: markers, sources of every
    kind, what was removed. It is None while the answer grows: then `state` has what it is made
    from. `suggestions` are HTML that Google wants shown with it, a stranger's. `rounds` replay the
    turn to `raw_provider` alone. `parent_id` is the message that this one answers or follows.
    `client_id` is the sender's own id of a message, of an answer that of the request to make it
    anew: sending it again is the same message, or answer.
    `cost_is_partial` says that a price is missing, so that the answer cost at least `cost_usd`.
    `pages_read` counts the distinct pages that were opened for it and could be read, by us or by
    the provider. `checks_state` says whether its citations were compared with their pages.
    """

    id: str = field(default_factory=new_id)
    session_id: str
    kind: MessageKind
    content: str = ""
    parent_id: str | None = None
    client_id: str | None = None
    status: Status = Status.COMPLETE
    attachments: tuple[Attachment, ...] = ()
    thinking: str = ""
    citations: tuple[Citation, ...] | None = None
    marked: Marked | None = field(default=None, repr=False)
    suggestions: str = field(default="", repr=False)
    state: TurnState | None = field(default=None, repr=False)
    plain_text: str = ""
    rounds: tuple[Round, ...] = field(default=(), repr=False)
    raw_provider: str = ""
    tool_runs: tuple[ToolRun, ...] = ()
    provider: str = ""
    model: str = ""
    mode: SearchMode = SearchMode.OFF
    usage: Usage | None = None
    cost_usd: float | None = None
    cost_is_partial: bool = False
    pages_read: int = 0
    stop_reason: str = ""
    error_code: str = ""
    error: str = ""
    checks_state: ChecksState = ChecksState.NONE
    created_at: datetime = field(default_factory=now)
    updated_at: datetime = field(default_factory=now)


@dataclass(frozen=True, slots=True, kw_only=True)
class Feedback:
    """What the user said of an answer: `rating` is up, down or "", `note` in their words."""

    message_id: str
    rating: str = ""
    note: str = ""
    updated_at: datetime = field(default_factory=now)
