"""Tools that count towards quotas, for models that call them from outside: over MCP."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from groundwire.chat.budgets import billing_of
from groundwire.chat.quotas import QuotaHolder
from groundwire.conversation.quota import QuotaUse, Wish
from groundwire.errors import QuotaExceededError
from groundwire.tools import Ours, search_failure
from groundwire.tools.websearch.results import failed

if TYPE_CHECKING:
    from groundwire.chat.quotas import Quotas
    from groundwire.tools import Progress, Tool, ToolOutput
    from groundwire.tools.tool import Spent

_ANSWER = Wish(answers=1, asks_model=True, searches=1)
WISHES: Mapping[str, Wish | None] = {
    "web_search": Wish(searches=1),
    "open_page": None,
    "check_claim": None,
    "websearch": _ANSWER,
    "websearch_gemini": _ANSWER,
    "websearch_openai_oauth": _ANSWER,
    "websearch_openrouter": _ANSWER,
}
"""What each tool counts as, None for nothing; a test compares them with all that there are."""


def counted_tools(tools: Iterable[Tool], quotas: Quotas) -> tuple[Tool, ...]:
    """Return tools of which each call counts towards the quotas of whoever runs the program."""
    if not quotas.concerns(None):
        return tuple(tools)
    return tuple(_counted(tool, WISHES[tool.name], quotas, QuotaHolder()) for tool in tools)


def _counted(tool: Tool, wish: Wish | None, quotas: Quotas, holder: QuotaHolder) -> Tool:
    if wish is None:
        return tool
    refuse: Callable[[Ours], ToolOutput] = search_failure
    if wish.asks_model:
        refuse = _no_answer

    async def run(arguments: object, progress: Progress) -> ToolOutput:
        try:
            await quotas.admit(holder, wish)
        except QuotaExceededError as error:
            return refuse(Ours(error.ours))
        output = await tool.run(arguments, progress)
        if (spent := output.spent) is not None:
            await quotas.add(holder, _used(spent))
        return output

    return replace(tool, run=run)


def _used(spent: Spent) -> QuotaUse:
    """Return what counts of an answer; its search was counted when it began."""
    billing = billing_of(spent.provider, spent.model)
    return QuotaUse(
        tokens=billing.tokens(spent.usage).total, cost_usd=billing.cost(spent.usage).usd or 0.0
    )


def _no_answer(reason: Ours) -> ToolOutput:
    return failed("QUOTA_EXCEEDED", "A quota is used up.", reason)
