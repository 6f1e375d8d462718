"""What tests of chains are made of: services on loopback under the names of real ones."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager

from groundwire import registry
from groundwire.cache import Cache
from groundwire.client import Client
from groundwire.config.settings import NetworkSettings, Settings
from groundwire.errors import MissingKeyError
from groundwire.model import Json
from groundwire.search import Extract, SearchContext
from groundwire.wire.contract import Access, Endpoint
from tests.loopback import Loopback, Script, reply


def hits(*urls: str) -> Script:
    """A reply that both SearXNG and Tavily could have given."""
    results = [{"url": url, "title": "Otter", "content": "Hands."} for url in urls]
    return reply(json.dumps({"results": results}).encode())


def failure(status: str, **headers: str) -> Script:
    return reply(b'{"detail": {"error": "It says no."}}', status=status, headers=headers)


def settings(**values: Json) -> Settings:
    network = NetworkSettings(retries=0, **values.pop("network", {}))
    return Settings.model_validate({**values, "network": network})


@asynccontextmanager
async def search_context(
    chosen: Settings,
    services: Mapping[str, Loopback | None],
    *,
    cache: Cache | None = None,
    client: Client | None = None,
    extract: Extract | None = None,
) -> AsyncIterator[SearchContext]:
    """Chains whose services are the given servers; None is one that has no key."""

    def find(name: str) -> Endpoint:
        provider, server = registry.get(name), services[name]
        if server is None:
            raise MissingKeyError(name, "ITS_KEY")
        return Endpoint(name=name, provider=provider, access=Access(base_url=server.url))

    async with (
        client or Client(chosen.network) as door,
        SearchContext(chosen, door, find=find, cache=cache, extract=extract) as made,
    ):
        yield made
