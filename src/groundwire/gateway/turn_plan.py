"""What a request becomes before anybody is asked: who searches, where, and with which tools."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import orjson

from groundwire.chat import Conversation, SearchChoice
from groundwire.chat.plan import Plan, offered, plan, searches_always
from groundwire.chat.prompt import definitions
from groundwire.conversation import Agent, Choices, SearchMode, Session
from groundwire.gateway.history import READ_NAME, SEARCH_NAME
from groundwire.guard import DomainPolicy
from groundwire.model import ToolDefinition
from groundwire.tools import Tool, ToolOutput, web_tools
from groundwire.wire.inbound import ToolUse

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groundwire.chat.budgets import Budgets
    from groundwire.gateway.guest import Guest
    from groundwire.gateway.model_names import Target
    from groundwire.gateway.reply_checks import ReplyChecks
    from groundwire.search import SearchContext
    from groundwire.tools import Ledger, Progress, Services
    from groundwire.wire.contract import Endpoint
    from groundwire.wire.inbound import ClientTool, HostedTools, InboundRequest

OUR_PREFIX = "groundwire_"
_FORM = "Answer with JSON that follows this JSON Schema, and with nothing else:\n{}"
# Programs whose requests without tools are chores: a title, a summary, a page to sum up.
_AGENT_CLIENTS = ("opencode", "claude-cli", "claude-code", "codex")


@dataclass(frozen=True, slots=True, kw_only=True)
class TurnPlan:
    """Everything that is decided before the first request upstream.

    `ours` lead from the names that the model knows our tools by to the tools; `definitions` are
    of all tools that the model is offered. `must_search` says that a search comes first.
    """

    conversation: Conversation
    plan: Plan
    ours: Mapping[str, Tool]
    definitions: tuple[ToolDefinition, ...]
    must_search: bool = False

    @property
    def cites_last(self) -> bool:
        """Tell whether searches and sources come when the answer is over."""
        is_hosted = self.plan.mode is SearchMode.HOSTED
        return is_hosted and self.conversation.endpoint.provider.cites_last

    @property
    def names(self) -> Mapping[str, str]:
        """Return what the model calls those of our tools that it has."""
        return {tool.name: name for name, tool in self.ours.items()}


def is_agent_client(user_agent: str) -> bool:
    """Tell whether a program asks that has chores done without tools."""
    return any(word in user_agent.lower() for word in _AGENT_CLIENTS)


def may_search(request: InboundRequest, *, is_always_on: bool, user_agent: str) -> bool:
    """Tell whether somebody shall be able to search for a request."""
    if request.tool_choice.use is ToolUse.NONE:
        return False
    if request.hosted is not None:
        return True
    if not is_always_on or request.has_own_search:
        return False
    return bool(request.tools) or not is_agent_client(user_agent)


def conversation_of(
    request: InboundRequest, guest: Guest, target: Target, services: Services
) -> Conversation:
    """Return what a turn rests on, with the client's tools among those that are offered."""
    known = target.agent or Agent(
        workspace_id=guest.workspace.id, name="Gateway", web_search_enabled=True
    )
    prompts = [known.system_prompt.strip(), request.system]
    if not target.choice.endpoint.provider.takes_reply_schema:
        prompts.append(_form_prompt(request.reply_schema))
    agent = replace(known, system_prompt="\n\n".join(part for part in prompts if part))
    if request.temperature is not None:
        agent = replace(agent, temperature=request.temperature)
    record = target.choice.record
    return Conversation(
        workspace=guest.workspace,
        agent=agent,
        session=Session(workspace_id=guest.workspace.id, agent_id=agent.id),
        endpoint=_located(target.choice.endpoint, request.hosted),
        model=target.model,
        tools=tuple(map(_as_tool, request.tools)),
        provider_id=record.id if record else "",
        provider_name=record.name if record else target.choice.endpoint.name,
        names_addresses=guest.actor.is_owner,
        services=services,
    )


def planned(
    request: InboundRequest,
    conversation: Conversation,
    *,
    searches: bool,
    ledger: Ledger,
    context: SearchContext,
    checks: ReplyChecks,
) -> TurnPlan:
    """Decide who searches and what the model is offered.

    Raises:
        ConfigError: The request cannot be carried out so.
    """
    hosted = request.hosted
    always = searches_always(conversation.endpoint, conversation.model)
    choices = Choices(
        search=SearchChoice.AUTO if searches or always else SearchChoice.OFF,
        domains=hosted.allowed_domains if hosted else (),
        thinking=request.thinking,
    )
    domains = context.settings.domains
    if hosted and hosted.blocked_domains:
        domains = domains.narrowed(DomainPolicy(allowed=("*",), blocked=hosted.blocked_domains))
    chosen = plan(conversation, choices, domains)
    if chosen.mode is SearchMode.HOSTED and hosted is not None:
        # What the client did not ask its provider for would be paid by whoever runs this.
        chosen = replace(chosen, reads=chosen.reads and hosted.reads)
    web = web_tools(context, ledger, chosen.policy, conversation.services, on_page=checks.open)
    ours = {_free_name(tool.name, request.tools): tool for tool in offered(web, chosen)}
    theirs = [_definition(tool) for tool in request.tools]
    if request.tool_choice.use is ToolUse.NONE:
        theirs = []
    is_forced = hosted is not None and not request.tools
    is_named = request.tool_choice.name in (SEARCH_NAME, READ_NAME) and not request.has_own_search
    return TurnPlan(
        conversation=conversation,
        plan=chosen,
        ours=ours,
        definitions=(*_renamed(ours), *theirs),
        must_search=chosen.mode is SearchMode.CLIENT
        and chosen.searches
        and bool(request.last_question)
        and hosted is not None
        and (is_forced or is_named),
    )


def narrowed(budgets: Budgets, request: InboundRequest) -> Budgets:
    """Return the budgets of a turn, which a client's own limits can only narrow."""
    hosted = request.hosted
    if hosted is None:
        return budgets
    searches = min(budgets.searches, hosted.max_searches or budgets.searches)
    pages = min(budgets.pages, hosted.max_pages or budgets.pages)
    return replace(budgets, searches=searches, pages=pages)


def _form_prompt(schema: object) -> str:
    """Return how a model is told the form of its reply where its service has no place for it."""
    return _FORM.format(orjson.dumps(schema).decode()) if schema else ""


def _located(endpoint: Endpoint, hosted: HostedTools | None) -> Endpoint:
    """Return an endpoint that searches where the client's user is, as far as it can."""
    wishes: dict[str, object] = {}
    if hosted is not None and hosted.location:
        wishes["user_location"] = dict(hosted.location)
    if hosted is not None and hosted.context_size:
        wishes["search_context_size"] = hosted.context_size
    if not wishes:
        return endpoint
    access = replace(endpoint.access, options={**endpoint.access.options, **wishes})
    return replace(endpoint, access=access)


def _free_name(name: str, tools: Sequence[ClientTool]) -> str:
    """Return a name for a tool of ours that no tool of the client has."""
    taken = {tool.name for tool in tools}
    while name in taken:
        name = f"{OUR_PREFIX}{name}"
    return name


def _renamed(ours: Mapping[str, Tool]) -> list[ToolDefinition]:
    names = {tool.name: name for name, tool in ours.items()}
    found = []
    for each in definitions(tuple(ours.values())):
        description = each.description
        for plain, name in names.items():
            description = description.replace(plain, name)
        found.append(replace(each, name=names[each.name], description=description))
    return found


def _definition(tool: ClientTool) -> ToolDefinition:
    parameters = tool.parameters or {"type": "object", "properties": {}}
    return ToolDefinition(name=tool.name, description=tool.description, parameters=parameters)


def _as_tool(tool: ClientTool) -> Tool:
    """Return a client's tool as a plan counts it: it is never run here."""
    return Tool(
        name=tool.name,
        title=tool.name,
        description=tool.description,
        input_schema=tool.parameters or {},
        output_schema={},
        run=_never,
    )


async def _never(arguments: object, progress: Progress) -> ToolOutput:  # noqa: ARG001 - a tool's
    raise RuntimeError("a client's tool is run by the client")
