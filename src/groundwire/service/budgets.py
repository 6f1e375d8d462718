"""What a turn may spend, and what models cost, as the settings have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.catalog import TokenPrice
from groundwire.chat import Budgets

if TYPE_CHECKING:
    from groundwire.config.settings.price_table import PriceSettings
    from groundwire.config.settings.schema import ChatSettings


def budgets(settings: ChatSettings) -> Budgets:
    """Return the limits of one turn; 0 in the settings is no limit."""
    return Budgets(
        searches=settings.searches,
        pages=settings.pages,
        rounds=settings.rounds,
        seconds=settings.seconds or None,
        tokens=settings.tokens or None,
        cost_usd=settings.cost_usd or None,
    )


def prices(settings: ChatSettings) -> dict[str, TokenPrice]:
    """Return the prices that the settings name; a cache costs as fresh input unless said."""
    return {name: _price(each) for name, each in settings.prices.items()}


def _price(price: PriceSettings) -> TokenPrice:
    fresh, cached, written = price.input_usd, price.cached_input_usd, price.cache_write_usd
    return TokenPrice(
        input_usd=fresh,
        output_usd=price.output_usd,
        cached_input_usd=fresh if cached is None else cached,
        cache_write_usd=fresh if written is None else written,
    )
