"""What is known of a model at one provider: the same for the command line, the API and the page."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from groundwire import catalog, registry
from groundwire.client.failures import called
from groundwire.wire.contract import Access, Endpoint

if TYPE_CHECKING:
    from groundwire.catalog import TokenPrice
    from groundwire.config.settings import Settings
    from groundwire.wire.contract import Provider


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelFacts:
    """What a model can do and costs. Prices are None where they are unknown."""

    searches_itself: bool
    search_price_usd: float | None
    thinking: tuple[str, ...]
    takes_temperature: bool
    price: TokenPrice | None


def facts_of(model: str, provider: Provider, access: Access) -> ModelFacts:
    """Return what is known of a model at a provider, with the settings that it has there.

    Raises:
        ProviderBugError: The provider's own code fails.
    """
    traits = catalog.traits_of(model)
    endpoint = Endpoint(name=provider.title, provider=provider, access=access)
    searches = called(endpoint, partial(provider.searches_itself, model, access))
    choices = called(endpoint, partial(provider.thinking_choices, model, access))
    return ModelFacts(
        searches_itself=searches,
        search_price_usd=traits.search_price_usd if searches else None,
        thinking=tuple(choice.value for choice in choices),
        takes_temperature=traits.takes_temperature,
        price=catalog.token_price(model),
    )


def access_of(name: str, settings: Settings, base_url: str = "") -> tuple[Provider, Access]:
    """Return a provider with its address and options as the settings have them, without a key."""
    provider, chosen = registry.get(name), settings.providers.get(name)
    address = base_url or (chosen and chosen.base_url) or provider.base_url
    options = chosen.options if chosen else {}
    return provider, Access(base_url=address, options=options)
