"""What the upstream model is asked in one round of a client's request."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from groundwire.catalog import ThinkingChoice
from groundwire.chat.history import round_messages
from groundwire.chat.prompt import system_prompt
from groundwire.conversation import EVERYWHERE, SearchMode, now
from groundwire.gateway.history import SEARCH_NAME, upstream_messages
from groundwire.guard import ANYWHERE
from groundwire.wire.contract import ANY_TOOL, OWN_SEARCH, Question
from groundwire.wire.inbound import ToolUse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.conversation import Round
    from groundwire.gateway.history import Recalled
    from groundwire.gateway.turn_plan import TurnPlan
    from groundwire.wire.inbound import InboundRequest


def upstream_question(
    request: InboundRequest,
    recalled: Recalled,
    planned: TurnPlan,
    *,
    rounds: Sequence[Round],
    is_last: bool,
) -> Question:
    """Return what is asked after some rounds; in the last one our tools are not offered."""
    conversation, plan, ours = planned.conversation, planned.plan, planned.ours
    is_hosted = plan.mode is SearchMode.HOSTED
    policy = plan.policy if is_hosted else ANYWHERE
    wish = request.thinking or conversation.agent.thinking
    tools = [each for each in planned.definitions if not is_last or each.name not in ours]
    named = [replace(each, name=ours[each.name].name) for each in tools if each.name in ours]
    dialect = conversation.endpoint.name
    messages = upstream_messages(recalled, names=planned.names, dialect=dialect)
    return Question(
        model=conversation.model,
        messages=(*messages, *round_messages(rounds, dialect)),
        system_prompt=system_prompt(conversation, plan, now().date(), named),
        tools=tuple(tools),
        web_search=is_hosted and plan.searches,
        web_fetch=is_hosted and plan.reads,
        allowed_domains=() if policy.allowed == EVERYWHERE else policy.allowed,
        blocked_domains=policy.blocked,
        temperature=conversation.agent.temperature,
        thinking=ThinkingChoice(wish) if wish else None,
        max_tokens=request.max_tokens,
        reply_schema=request.reply_schema,
        reply_is_strict=request.reply_is_strict,
        # After the first round the model decides, or it never ends.
        tool_choice="" if rounds else _tool_choice(request, planned),
        stop=request.stop,
    )


def _tool_choice(request: InboundRequest, planned: TurnPlan) -> str:
    """Return what the client wants called."""
    wish, tools = request.tool_choice, request.tools
    is_hosted = planned.plan.mode is SearchMode.HOSTED and planned.plan.searches
    if not (tools or is_hosted):
        return ""
    if wish.use is ToolUse.REQUIRED:
        return ANY_TOOL
    if wish.name in {tool.name for tool in tools}:
        return wish.name
    return OWN_SEARCH if is_hosted and wish.name == SEARCH_NAME else ""
