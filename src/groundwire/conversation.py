"""The nouns of a conversation that is kept: workspaces, agents, sessions, messages. No I/O.

Chat makes them and the store keeps them; neither knows the other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from enum import StrEnum
from typing import TYPE_CHECKING

from groundwire.model import Attachment, Citation, Json, SearchResult, ToolCall, Usage
from groundwire.quota import Quota
from groundwire.system.determinism import new_id as new_id  # noqa: PLC0414 - for all that is kept
from groundwire.system.determinism import now as now  # noqa: PLC0414 - as above

if TYPE_CHECKING:
    from groundwire.catalog import ThinkingChoice
    from groundwire.citations import Marked

DEFAULT_DOMAINS = ("help.sap.com",)
"""What a new workspace may visit, until its admin says otherwise."""

EVERYWHERE = ("*",)
"""The whole web, as somebody has to type it."""


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


class SearchChoice(StrEnum):
    """Who shall search, as the user says for one message."""

    AUTO = "auto"
    HOSTED = "hosted"
    CLIENT = "client"
    OFF = "off"


class Role(StrEnum):
    """What a user may do in a workspace."""

    ADMIN = "admin"
    MEMBER = "member"


@dataclass(frozen=True, slots=True, kw_only=True)
class Workspace:
    """A place for agents and sessions, and where its agents may go on the web.

    Without a toggle or without a domain the web tool is not offered. `web_instructions` is the
    workspace's own text in the web section of the system prompt. `citation_checks` is which cited
    pages answers are compared with (off, opened, all), `citation_judge` the provider whose model
    gives its opinion on them (off for none); both "" for what the settings say. `quotas` are the
    most of a day of all its users together. `has_first_library` is the one workspace whose library
    is that of the settings.
    """

    id: str = field(default_factory=new_id)
    name: str
    web_search_enabled: bool = True
    web_fetch_enabled: bool = True
    web_allowed_domains: tuple[str, ...] = DEFAULT_DOMAINS
    web_instructions: str = ""
    citation_checks: str = ""
    citation_judge: str = ""
    has_first_library: bool = False
    quotas: Quota = field(default_factory=Quota)
    created_at: datetime = field(default_factory=now)
    updated_at: datetime = field(default_factory=now)

    @property
    def library(self) -> str:
        """Return which library its agents search: "" is the one of the settings."""
        return "" if self.has_first_library else self.id


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderRecord:
    """A configured provider. `type` is a provider's name in the registry, such as `anthropic`.

    `base_url` is "" for the provider's own. Its key is kept elsewhere, under `key_name`, "" for
    this record's id: with another address it has another name, so that no key follows it there.
    `is_default` is the one that answers wherever neither the agent nor the question names another.
    """

    id: str = field(default_factory=new_id)
    name: str
    type: str
    base_url: str = ""
    key_name: str = ""
    default_model: str = ""
    is_default: bool = False
    created_at: datetime = field(default_factory=now)
    updated_at: datetime = field(default_factory=now)


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelRecord:
    """A model that a configured provider offers, as it was last fetched."""

    provider_id: str
    model: str
    title: str = ""
    shutdown_date: str = ""
    fetched_at: datetime = field(default_factory=now)


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
    `client_id` is the sender's own id of a message: sending it again is the same message.
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


@dataclass(frozen=True, slots=True, kw_only=True)
class User:
    """A person who signs in. The password is kept as an argon2 hash, "" if there is none."""

    id: str = field(default_factory=new_id)
    name: str
    password_hash: str = field(default="", repr=False)
    is_owner: bool = False
    created_at: datetime = field(default_factory=now)


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiToken:
    """A program's way in: only the hash is kept. It is good for one workspace and one role.

    `user_id` is who made it, None if that was before there were users. Tokens made by earlier
    versions may have no `expires_at`: they end all the same, see `ends_at`.
    """

    id: str = field(default_factory=new_id)
    user_id: str | None = None
    workspace_id: str
    role: Role = Role.MEMBER
    name: str = ""
    token_hash: str = field(repr=False)
    created_at: datetime = field(default_factory=now)
    last_used_at: datetime | None = None
    expires_at: datetime | None = None

    def ends_at(self, longest: timedelta) -> datetime:
        """Return when it stops working, where no token lives longer than `longest`."""
        latest = self.created_at + longest
        return latest if self.expires_at is None else min(self.expires_at, latest)


@dataclass(frozen=True, slots=True, kw_only=True)
class Membership:
    """What a user may do in one workspace.

    `from_groups` says that their groups at the single sign-on gave it, and not somebody here.
    """

    user_id: str
    workspace_id: str
    role: Role = Role.MEMBER
    from_groups: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class WebSession:
    """A browser that is signed in: only the hash of its id is kept."""

    id_hash: str = field(repr=False)
    user_id: str
    created_at: datetime = field(default_factory=now)
    last_seen_at: datetime = field(default_factory=now)
    expires_at: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """A change of settings: who made it, to what, and how it was before and after.

    `actor` is a user's name, or how a program came in. None before means made, None after means
    removed. Secrets are left out of both when it is kept.
    """

    id: str = field(default_factory=new_id)
    at: datetime = field(default_factory=now)
    actor: str
    action: str
    subject: str
    workspace_id: str | None = None
    before: Json = None
    after: Json = None


@dataclass(frozen=True, slots=True, kw_only=True)
class UsageLine:
    """What the answers of one day, provider and model used, in sum.

    `searches` are the provider's own; those that we ran are `client_searches`. `pages_read` is the
    sum of the answers'. `cost_usd` is None where no answer's cost is known, and `cost_is_partial`
    says that some answer cost more than is known.
    """

    day: date
    provider: str
    model: str
    answers: int
    input_tokens: int
    output_tokens: int
    searches: int
    client_searches: int
    pages_read: int
    cost_usd: float | None
    cost_is_partial: bool = False
