"""What a turn may spend, and what models cost, as the settings have it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.chat import Budgets, Price

if TYPE_CHECKING:
    from groundwire.settings import ChatSettings


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


def prices(settings: ChatSettings) -> dict[str, Price]:
    """Return the prices of models that the settings name."""
    return {
        name: Price(input_usd=price.input_usd, output_usd=price.output_usd)
        for name, price in settings.prices.items()
    }
