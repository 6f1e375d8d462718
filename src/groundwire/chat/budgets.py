"""What one turn may spend, and what it has spent."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, fields, replace
from typing import TYPE_CHECKING

from groundwire.chat.costs import Billing, Cost
from groundwire.conversation import SearchMode
from groundwire.model import Usage
from groundwire.plural import plural

if TYPE_CHECKING:
    from groundwire.conversation import ChatMessage
    from groundwire.wire.contract import Endpoint


@dataclass(frozen=True, slots=True, kw_only=True)
class Budgets:
    """The limits of one turn; None means none. `rounds` are replies of the model."""

    searches: int = 5
    pages: int = 10
    rounds: int = 12
    seconds: float | None = 600
    tokens: int | None = None
    cost_usd: float | None = None


@dataclass(slots=True, kw_only=True)
class Meter:
    """Counts what a turn spends. A reply's usage is what it last said, a turn's their sum.

    `searches` and `pages` are ours, which are refused beyond the budget; those of the provider
    have happened when we hear of them, and end the turn.
    """

    budgets: Budgets
    billing: Billing
    clock: Callable[[], float] = time.monotonic
    searches: int = 0
    pages: int = 0
    hosted_searches: int = 0
    hosted_pages: int = 0
    total: Usage = field(default_factory=Usage)
    _before: Usage = field(default_factory=Usage)
    _started: float = 0

    def __post_init__(self) -> None:
        self._started = self.clock()

    @property
    def seconds_left(self) -> float | None:
        """Return how long the turn may still take."""
        limit = self.budgets.seconds
        return None if limit is None else max(0.0, limit - (self.clock() - self._started))

    def resume(self, answer: ChatMessage) -> None:
        """Go on counting where an answer stopped; its time begins anew."""
        self.total = answer.usage or Usage()
        for run in answer.tool_runs:
            is_hosted = run.mode is SearchMode.HOSTED
            match run.name:
                case "web_search" if is_hosted:
                    self.hosted_searches += 1
                case "web_search":
                    self.searches += 1
                case "web_fetch":
                    self.hosted_pages += 1
                case "open_page":
                    self.pages += len(run.url.split(", "))

    def begin_reply(self) -> None:
        """Keep what the replies before have cost."""
        self._before = self.total

    def take(self, usage: Usage) -> None:
        """Note what the present reply has cost so far."""
        self.total = _sum(self._before, usage)

    def cost(self) -> Cost:
        """Return what is known of the money."""
        return self.billing.cost(self.total)

    def exhausted(self) -> tuple[str, str] | None:
        """Return the budget that ends the turn, and why, or None."""
        return self._spent() or self._overused()

    @property
    def is_spent(self) -> bool:
        """Tell whether tokens, money or time are used up."""
        return self._spent() is not None

    @property
    def is_overused(self) -> bool:
        """Tell whether the provider searched or read more than it should."""
        limits = self.budgets
        return self.hosted_searches > limits.searches or self.hosted_pages > limits.pages

    def _overused(self) -> tuple[str, str] | None:
        limits = self.budgets
        if self.hosted_searches > limits.searches:
            most = plural(limits.searches, "search", "searches")
            return "searches", f"the limit of {most} for one answer is used up"
        if self.hosted_pages > limits.pages:
            most = plural(limits.pages, "page")
            return "pages", f"the limit of {most} for one answer is used up"
        return None

    def _spent(self) -> tuple[str, str] | None:
        limits = self.budgets
        # Asked at every event, so what has no limit is not worked out.
        if limits.tokens is not None and self.billing.tokens(self.total).total > limits.tokens:
            most = plural(limits.tokens, "token")
            return "tokens", f"the limit of {most} for one answer is used up"
        if limits.cost_usd is not None and (self.cost().usd or 0) > limits.cost_usd:
            return "cost", f"the limit of ${limits.cost_usd:g} for one answer is used up"
        if self.seconds_left == 0:
            return "seconds", f"the limit of {limits.seconds:g} s for one answer is over"
        return None


def limited(endpoint: Endpoint, budgets: Budgets) -> Endpoint:
    """Return an endpoint whose provider, if it can limit its searches and pages, is told how."""
    limits = {"max_searches": max(1, budgets.searches), "max_fetches": max(1, budgets.pages)}
    access = replace(endpoint.access, options={**limits, **endpoint.access.options})
    return replace(endpoint, access=access)


def _sum(one: Usage, other: Usage) -> Usage:
    added = {}
    for each in fields(Usage):
        values = [getattr(one, each.name), getattr(other, each.name)]
        known = [value for value in values if value is not None]
        added[each.name] = sum(known) if known else None
    return Usage(**added)
