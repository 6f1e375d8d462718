"""What one turn may spend, and what it has spent: searches, pages, tokens, money and time."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from datetime import date
from typing import TYPE_CHECKING, TypeVar

from groundwire import catalog
from groundwire.catalog import Charging, TokenPrice
from groundwire.config.settings.quota_tables import QuotaSettings
from groundwire.conversation import SearchMode
from groundwire.conversation.quota import Quota, QuotaUse
from groundwire.model import Usage
from groundwire.system.determinism import now
from groundwire.text.plural import plural

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator

    from groundwire.conversation import ChatMessage, Workspace
    from groundwire.wire.contract import Provider

T = TypeVar("T")
_MILLION = 1_000_000
_COUNTS = tuple(each.name for each in fields(Usage))
_NO_QUOTA = Quota()
_UNLIMITED = QuotaSettings()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cost:
    """Money in dollars; None where nothing is known of it.

    `is_partial` says that a price is missing: it cost at least `usd`.
    """

    usd: float | None = None
    is_partial: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Tokens:
    """The tokens of a turn, each counted once, whatever the provider counts where."""

    fresh: int = 0
    cached: int = 0
    written: int = 0
    output: int = 0

    @property
    def total(self) -> int:
        """Return all of them."""
        return self.fresh + self.cached + self.written + self.output


@dataclass(frozen=True, slots=True, kw_only=True)
class Billing:
    """The price of one model, None where nobody knows it, and how its provider counts."""

    model: str
    price: TokenPrice | None = None
    charging: Charging = field(default_factory=Charging)
    today: date = field(default_factory=lambda: now().date())

    def cost(self, usage: Usage) -> Cost:
        """Return what a usage costs: the provider's own figure, else tokens and searches."""
        if usage.cost_usd is not None:
            return Cost(usd=usage.cost_usd)
        if self.charging.is_subscription:
            return Cost()
        tokens = self.tokens(usage)
        parts = self._parts(tokens)
        if usage.searches:
            traits = catalog.traits_of(self.model)
            each = traits.search_price_usd
            times = 1 if traits.is_priced_per_prompt else usage.searches
            parts.append(None if each is None else times * each)
        known = [part for part in parts if part is not None]
        is_partial = len(known) < len(parts) or self._is_more_than_listed(tokens)
        return Cost(usd=round(sum(known), 6) if known else None, is_partial=is_partial)

    def tokens(self, usage: Usage) -> Tokens:
        """Return a provider's counts so that no token is in two of them."""
        read, cached = usage.input_tokens or 0, usage.cached_input_tokens or 0
        written, output = usage.cache_write_tokens or 0, usage.output_tokens or 0
        thought = 0 if self.charging.output_has_thinking else usage.thinking_tokens or 0
        fresh = max(0, read - cached - written) if self.charging.input_has_cache else read
        return Tokens(fresh=fresh, cached=cached, written=written, output=output + thought)

    def _parts(self, tokens: Tokens) -> list[float | None]:
        """Return what each kind of token costs that was used, None where that is unknown."""
        price = self.price
        if price is None:
            return [None] if tokens.total else []
        counted = (
            (tokens.fresh, price.input_usd),
            (tokens.cached, price.cached_input_usd),
            (tokens.written, price.cache_write_usd),
            (tokens.output, price.output_usd),
        )
        return [
            None if dollars is None else count * dollars / _MILLION
            for count, dollars in counted
            if count
        ]

    def _is_more_than_listed(self, tokens: Tokens) -> bool:
        """Tell whether some of it may have been charged at a higher price than the one we know."""
        price = self.price
        if price is None:
            return False
        read = tokens.fresh + tokens.cached + tokens.written
        is_long = price.long_from is not None and read > price.long_from
        is_outdated = price.until is not None and self.today > price.until
        return is_long or (is_outdated and tokens.total > 0)


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
        """Note what the present reply has cost so far; what both do not know stays unknown."""
        total = {}
        for name in _COUNTS:
            values = (getattr(self._before, name), getattr(usage, name))
            known = [value for value in values if value is not None]
            total[name] = sum(known) if known else None
        self.total = Usage(**total)

    def used(self) -> QuotaUse:
        """Return what counts towards quotas: tokens, money and searches, whoever made them."""
        return QuotaUse(
            tokens=self.billing.tokens(self.total).total,
            cost_usd=self.cost().usd or 0.0,
            searches=self.searches + max(self.hosted_searches, self.total.searches or 0),
        )

    def cost(self) -> Cost:
        """Return what is known of the money."""
        return self.billing.cost(self.total)

    def overused(self) -> tuple[str, str] | None:
        """Return the budget that the provider's own searches or pages exceed, and in words."""
        limits = self.budgets
        if self.hosted_searches > limits.searches:
            most = plural(limits.searches, "search", "searches")
            return "searches", f"the limit of {most} for one answer is used up"
        if self.hosted_pages > limits.pages:
            most = plural(limits.pages, "page")
            return "pages", f"the limit of {most} for one answer is used up"
        return None

    def spent(self) -> tuple[str, str] | None:
        """Return which of tokens, money and time is used up, and that in words."""
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


class Deadline:
    """Ends the waiting of a turn, and of nothing else, when its time is over.

    One timer for the turn, where one for each event would cost more.
    """

    def __init__(self, seconds: float | None) -> None:
        self._is_over = False
        self._has_cancelled = False
        self._waiting: asyncio.Task[object] | None = None
        loop = asyncio.get_running_loop()
        self._timer = None if seconds is None else loop.call_later(seconds, self._end)

    async def next(self, stream: AsyncGenerator[T, None]) -> T | None:
        """Return what comes next, None at the end and when the time is over."""
        if self._is_over:
            return None
        task = asyncio.current_task()
        if task is None:
            raise RuntimeError("a turn runs in a task")
        cancelled_before = task.cancelling()
        self._waiting = task
        try:
            return await anext(stream)
        except StopAsyncIteration:
            return None
        except asyncio.CancelledError:
            # As `asyncio.timeout` does: what somebody else cancelled stays cancelled.
            if self._has_cancelled and task.uncancel() <= cancelled_before:
                return None
            raise
        finally:
            self._waiting = None

    def close(self) -> None:
        """Forget the time."""
        if self._timer is not None:
            self._timer.cancel()

    def _end(self) -> None:
        self._is_over = True
        if self._waiting is not None:
            self._has_cancelled = True
            self._waiting.cancel()


def has_quotas(settings: QuotaSettings, workspace: Workspace | None) -> bool:
    """Tell whether a quota may hold in a workspace: asked for every turn, so it is cheap."""
    return settings != _UNLIMITED or (workspace is not None and workspace.quotas != _NO_QUOTA)


def cost_in_words(usd: float | None, *, is_partial: bool) -> str:
    """Return what an answer cost as a person reads it, "" where nothing is known or was paid."""
    if not usd:
        return ""
    money = "under $0.0001" if usd < 0.0001 else f"${usd:.{4 if usd < 0.01 else 2}f}"
    return f"at least {money}" if is_partial else money


def billing_of(
    provider: Provider, model: str, prices: Mapping[str, TokenPrice] | None = None
) -> Billing:
    """Return how a provider charges for a model; prices of the settings go before the table's."""
    own = price_of(prices, model) if prices else None
    return Billing(
        model=model,
        price=own or catalog.token_price(model),
        charging=provider.charging,
    )


def price_of(prices: Mapping[str, TokenPrice], model: str) -> TokenPrice | None:
    """Return the price of the longest name that a model's id begins with."""
    name = model.rpartition("/")[2]
    fitting = [known for known in prices if name.startswith(known)]
    return prices[max(fitting, key=len)] if fitting else None
