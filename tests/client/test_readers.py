"""Readers that make no request of ours: what they say is kept as it is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from groundwire.client import Client, HttpReadProvider
from groundwire.client.replay import ReplayingClient
from groundwire.errors import BlockedError, ServiceError
from groundwire.guard import DomainPolicy
from groundwire.model import Json, Page
from groundwire.wire.contract import Access, Endpoint, Provider

URL = "https://wiki.example.net/otter"
PAGE = Page(url=URL, title="Otters", content="They sleep.")


class BrowserRead(Provider):
    """Reads with a browser that it never opens."""

    title, base_url, is_local = "Acme", "https://acme.example", True

    def __init__(self, page: Page) -> None:
        self.page = page

    async def read_with(self, url: str, access: Access, open_browser: Json) -> Page:
        del url, access, open_browser
        return self.page


class Refused(Provider):
    """Is refused by whoever it asks."""

    title, base_url, is_local = "Acme", "https://acme.example", True

    async def read_url(self, url: str, access: Access) -> Page:
        del access
        raise ServiceError("acme", f"not {url}", status=403)


async def _read(provider: Provider) -> Page:
    endpoint = Endpoint(name="acme", provider=provider, access=Access(base_url=provider.base_url))
    async with Client() as client:
        return await HttpReadProvider(endpoint, client).read_url(URL)


@pytest.mark.parametrize(
    "page",
    [PAGE, replace(PAGE, truncated=True), replace(PAGE, success=False, error="It is gone.")],
    ids=["whole", "cut", "failed"],
)
async def test_what_a_browser_read_is_the_page(page: Page) -> None:
    assert await _read(BrowserRead(page)) == page


async def test_a_refusal_that_a_reader_tells_is_told_as_it_is() -> None:
    with pytest.raises(ServiceError, match="not https://wiki") as caught:
        await _read(Refused())

    assert type(caught.value) is ServiceError


async def test_a_page_that_was_recorded_is_not_read_again_where_its_domain_is_blocked() -> None:
    async with ReplayingClient([]) as client:
        with pytest.raises(BlockedError):
            await client.fetch_page(URL, DomainPolicy(allowed=("*",), blocked=("example.net",)))
