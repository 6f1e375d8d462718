"""Who searches in a turn: the model's provider, we, or nobody, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from groundwire import catalog, guard
from groundwire.client.failures import called
from groundwire.conversation import (
    EVERYWHERE,
    Agent,
    ChatMessage,
    Choices,
    MessageKind,
    SearchChoice,
    SearchMode,
    Session,
    Workspace,
)
from groundwire.errors import AlwaysSearchesError, SettingsError, WebSearchUnsupportedError
from groundwire.tools import Services

if TYPE_CHECKING:
    from groundwire.guard import DomainPolicy
    from groundwire.model import Attachment
    from groundwire.tools import Tool
    from groundwire.wire.contract import Endpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class Conversation:
    """Everything a turn rests on, read afresh for every message.

    `history` are the messages before this one, oldest first, on the branch that goes on.
    `tools` are those beside the web's. `provider_id` and `provider_name` are of the configured
    provider, "" where there is none and the endpoint stands for itself. `services` search and
    read in client search, where not those of the settings do. `ordinary_model` may be asked
    instead of a `model` that always searches, "" if nobody may; `replaced_model` was so replaced.
    `names_addresses` is for the owner: anybody else is not told where a provider is.
    """

    workspace: Workspace
    agent: Agent
    session: Session
    endpoint: Endpoint
    model: str
    ordinary_model: str = ""
    replaced_model: str = ""
    history: tuple[ChatMessage, ...] = ()
    tools: tuple[Tool, ...] = ()
    provider_id: str = ""
    provider_name: str = ""
    names_addresses: bool = False
    services: Services = field(default_factory=Services)

    @property
    def maker(self) -> str:
        """Return who gets blocks of its own back: another account could not read them."""
        return self.provider_id or self.endpoint.name

    def question(
        self, text: str, attachments: Sequence[Attachment] = (), client_id: str | None = None
    ) -> ChatMessage:
        """Return what the user says next."""
        return ChatMessage(
            session_id=self.session.id,
            kind=MessageKind.USER,
            content=text,
            attachments=tuple(attachments),
            client_id=client_id,
            parent_id=self.history[-1].id if self.history else None,
        )


def choices_of(answer: ChatMessage) -> Choices:
    """Return the choices that an answer was made under."""
    return (answer.state and answer.state.choices) or Choices()


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Who searches, why, and what is offered: searching, reading, both or neither."""

    mode: SearchMode
    reason: str
    policy: DomainPolicy = guard.ANYWHERE
    searches: bool = False
    reads: bool = False


def plan(
    conversation: Conversation, choices: Choices, domains: DomainPolicy = guard.ANYWHERE
) -> Plan:
    """Decide who searches; without a switch, a toggle and a domain, nobody does.

    `domains` are those of the settings, which the workspace and the message narrow.

    Raises:
        WebSearchUnsupportedError: Hosted search is asked for and the model has none.
        AlwaysSearchesError: The model searches unasked, and may not.
        SettingsError: A domain of the message is none.
    """
    policy = policy_of(conversation, choices, domains)
    if reason := _reason_against_own_search(conversation, choices, policy):
        raise AlwaysSearchesError(conversation.model, reason, _remedy(conversation))
    objection, workspace = _objection(conversation, choices, policy), conversation.workspace
    mode, reason = (
        (SearchMode.OFF, objection) if objection else _mode(conversation, choices, policy)
    )
    if replaced := conversation.replaced_model:
        reason = f"{reason}; {conversation.model} answers, because {replaced} always searches"
    return Plan(
        mode=mode,
        reason=reason,
        policy=policy,
        searches=not objection and workspace.web_search_enabled,
        reads=not objection and workspace.web_fetch_enabled,
    )


def policy_of(conversation: Conversation, choices: Choices, domains: DomainPolicy) -> DomainPolicy:
    """Return what the settings, the workspace and the message allow together.

    Raises:
        SettingsError: A domain of the message is none.
    """
    for allowed in (conversation.workspace.web_allowed_domains, choices.domains or EVERYWHERE):
        if not (domains.is_open and allowed == EVERYWHERE):
            domains = domains.narrowed(guard.DomainPolicy(allowed=allowed))
    return domains


def with_usable_model(
    conversation: Conversation, choices: Choices, domains: DomainPolicy = guard.ANYWHERE
) -> Conversation:
    """Return the conversation with another model if its own searches unasked and may not.

    Hosted search that is asked for outright is not silently left out: then the plan refuses.
    """
    if not conversation.ordinary_model or choices.search is SearchChoice.HOSTED:
        return conversation
    try:
        policy = policy_of(conversation, choices, domains)
    except SettingsError:
        return conversation  # The plan fails for it, when the question is kept.
    if not _reason_against_own_search(conversation, choices, policy):
        return conversation
    return replace(
        conversation,
        model=conversation.ordinary_model,
        ordinary_model="",
        replaced_model=conversation.model,
    )


def searches_always(endpoint: Endpoint, model: str) -> bool:
    """Tell whether a model searches the web unasked."""
    return called(endpoint, partial(endpoint.provider.searches_always, model, endpoint.access))


def _reason_against_own_search(
    conversation: Conversation, choices: Choices, policy: DomainPolicy
) -> str:
    """Return why a model that always searches may not be used, "" if it may or does not."""
    workspace = conversation.workspace
    if not searches_always(conversation.endpoint, conversation.model):
        return ""
    if objection := _objection(conversation, choices, policy):
        return objection
    if not workspace.web_search_enabled:
        return f"web search is off in the workspace {workspace.name!r}"
    if choices.search is SearchChoice.CLIENT:
        return "client search is chosen for this message"
    return "" if policy.is_open else f"it cannot be kept to the allowed domains ({policy.words})"


def _remedy(conversation: Conversation) -> str:
    usual = catalog.DEFAULT_MODELS.get(conversation.endpoint.name, "")
    other = f"another model, such as {usual}" if usual else "another model"
    return f"choose {other}, or allow the web search and the whole web"


def _objection(conversation: Conversation, choices: Choices, policy: DomainPolicy) -> str:
    """Return why nobody may use the web, "" if somebody may."""
    workspace = conversation.workspace
    if choices.search is SearchChoice.OFF:
        return "search is turned off for this message"
    if not conversation.agent.web_search_enabled:
        return f"web search is off for the agent {conversation.agent.name!r}"
    if not (workspace.web_search_enabled or workspace.web_fetch_enabled):
        return f"web access is off in the workspace {workspace.name!r}"
    return "" if policy.allowed else _why_nothing_is_allowed(conversation, choices)


def _why_nothing_is_allowed(conversation: Conversation, choices: Choices) -> str:
    workspace = conversation.workspace
    if not workspace.web_allowed_domains:
        return f"the workspace {workspace.name!r} allows no domain"
    if choices.domains:
        return (
            f"none of {', '.join(choices.domains)} is allowed in the workspace {workspace.name!r}"
        )
    return f"the settings' search domains allow nothing of the workspace {workspace.name!r}"


def _mode(
    conversation: Conversation, choices: Choices, policy: DomainPolicy
) -> tuple[SearchMode, str]:
    provider, model = conversation.endpoint.provider, conversation.model
    if choices.search is SearchChoice.CLIENT:
        return SearchMode.CLIENT, "client search is chosen for this message"
    missing = _missing_ability(conversation)
    if choices.search is SearchChoice.HOSTED:
        if missing:
            raise WebSearchUnsupportedError(conversation.endpoint.name, missing)
        return SearchMode.HOSTED, "hosted search is chosen for this message"
    if missing:
        return SearchMode.CLIENT, missing
    if not policy.is_open and not provider.filters_own_search:
        return (
            SearchMode.CLIENT,
            f"{provider.title} cannot keep its own search to the allowed domains",
        )
    return SearchMode.HOSTED, f"{model} searches on the provider's side"


def _missing_ability(conversation: Conversation) -> str:
    """Return why the provider cannot do it for us, "" if it can."""
    endpoint, model = conversation.endpoint, conversation.model
    provider, access = endpoint.provider, endpoint.access
    if not called(endpoint, partial(provider.searches_itself, model, access)):
        return f"{model} has no web search of its own"
    combines = partial(provider.searches_beside_tools, model, access)
    if conversation.tools and not called(endpoint, combines):
        return f"{model} cannot search beside functions"
    if not conversation.workspace.web_search_enabled and not provider.reads_itself:
        return f"{provider.title} cannot open pages without searching"
    return ""


def offered(tools: Sequence[Tool], plan: Plan) -> tuple[Tool, ...]:
    """Return the web tools that a plan lets a model call."""
    if plan.mode is not SearchMode.CLIENT:
        return ()
    wanted = {"web_search": plan.searches, "open_page": plan.reads}
    return tuple(tool for tool in tools if wanted.get(tool.name, False))
