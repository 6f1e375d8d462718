"""What a turn costs: tokens and searches at their prices, and whether that is all of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import TYPE_CHECKING

from groundwire import catalog
from groundwire.catalog import Charging, TokenPrice

if TYPE_CHECKING:
    from groundwire.model import Usage
    from groundwire.wire.contract import Provider

_MILLION = 1_000_000


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
    today: date = field(default_factory=date.today)

    def cost(self, usage: Usage) -> Cost:
        """Return what a usage costs: the provider's own figure, else tokens and searches."""
        if usage.cost_usd is not None:
            return Cost(usd=usage.cost_usd)
        if self.charging.is_subscription:
            return Cost()
        parts = [*self._tokens(usage), *self._searches(usage)]
        known = [part for part in parts if part is not None]
        is_partial = len(known) < len(parts) or self._is_more_than_listed(usage)
        return Cost(usd=round(sum(known), 6) if known else None, is_partial=is_partial)

    def tokens(self, usage: Usage) -> Tokens:
        """Return a provider's counts so that no token is in two of them."""
        read, cached = usage.input_tokens or 0, usage.cached_input_tokens or 0
        written, output = usage.cache_write_tokens or 0, usage.output_tokens or 0
        thought = 0 if self.charging.output_has_thinking else usage.thinking_tokens or 0
        fresh = max(0, read - cached - written) if self.charging.input_has_cache else read
        return Tokens(fresh=fresh, cached=cached, written=written, output=output + thought)

    def _tokens(self, usage: Usage) -> list[float | None]:
        """Return what each kind of token costs that was used, None where that is unknown."""
        tokens, price = self.tokens(usage), self.price
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

    def _searches(self, usage: Usage) -> list[float | None]:
        if not usage.searches:
            return []
        traits = catalog.traits_of(self.model)
        if traits.search_price_usd is None:
            return [None]
        times = 1 if traits.is_priced_per_prompt else usage.searches
        return [times * traits.search_price_usd]

    def _is_more_than_listed(self, usage: Usage) -> bool:
        """Tell whether some of it may have been charged at a higher price than the one we know."""
        price, tokens = self.price, self.tokens(usage)
        if price is None or not tokens.total:
            return False
        read = tokens.fresh + tokens.cached + tokens.written
        is_long = price.long_from is not None and read > price.long_from
        return is_long or (price.until is not None and self.today > price.until)


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
    return Billing(
        model=model,
        price=price_of(prices or {}, model) or catalog.token_price(model),
        charging=provider.charging,
    )


def price_of(prices: Mapping[str, TokenPrice], model: str) -> TokenPrice | None:
    """Return the price of the longest name that a model's id begins with."""
    name = model.rpartition("/")[2]
    fitting = [known for known in prices if name.startswith(known)]
    return prices[max(fitting, key=len)] if fitting else None
