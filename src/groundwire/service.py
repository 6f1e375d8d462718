"""Wiring for the surfaces: a provider's name becomes something that can be asked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire import registry
from groundwire.client.providers import HttpReadProvider, HttpSearchProvider
from groundwire.contract import Access, Answers, Endpoint, Searches, SearchesDirectly, understand
from groundwire.errors import ConfigError, MissingKeyError

if TYPE_CHECKING:
    from groundwire.client import Client
    from groundwire.keys import Keys
    from groundwire.settings import Settings


def endpoint(name: str, settings: Settings, keys: Keys) -> Endpoint:
    """Return a provider with its address, its key and its own settings.

    Raises:
        UnknownProviderError: No provider has this name.
        MissingKeyError: It needs a key and has none.
        ConfigError: It has no address.
    """
    provider = registry.get(name)
    chosen = settings.providers.get(name)
    base_url = (chosen and chosen.base_url) or provider.base_url
    if not base_url:
        raise ConfigError(
            f"{name!r} has no address: set base_url under [providers.{name}] in the settings"
        )
    found = keys.find(provider.key_variable) if provider.key_variable else None
    if found is None and provider.key_variable and not provider.key_is_optional:
        raise MissingKeyError(name, provider.key_variable)
    return Endpoint(
        name=name,
        provider=provider,
        access=Access(
            base_url=base_url.rstrip("/"),
            key=found.key if found else None,
            options=chosen.options if chosen else {},
        ),
    )


async def try_endpoint(endpoint: Endpoint, client: Client) -> str:
    """Make one small request and return what it showed, in a few words.

    Raises:
        ServiceError: The service refuses, most likely the key.
        NetworkError: It cannot be reached.
    """
    match endpoint.provider:
        case Answers() as provider:
            request = provider.models_request(endpoint.access)
            models = understand(provider.models, await client.send(endpoint, request))
            return f"it offers {len(models)} models"
        case Searches() | SearchesDirectly():
            results = await HttpSearchProvider(endpoint, client).search("groundwire", limit=1)
            return f"a search gave {len(results)} results"
        case _:
            page = await HttpReadProvider(endpoint, client).read_url("https://example.com/")
            return f"it read a page of {page.content_length} characters"
