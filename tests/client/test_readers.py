"""Readers that make no request of ours: what they say is kept as it is."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from dataclasses import replace

import pytest

from groundwire import guard
from groundwire.client import Client, HttpReadProvider, HttpSearchProvider
from groundwire.client.providers import within
from groundwire.client.replay import ReplayingClient
from groundwire.config.settings import NetworkSettings
from groundwire.errors import (
    BlockedError,
    ServiceError,
    TimedOutError,
    UnsupportedError,
    UrlRefusedError,
)
from groundwire.guard import DomainPolicy
from groundwire.model import Json, Page, SearchQuery, SearchResult
from groundwire.wire.contract import Access, Endpoint, Provider
from tests.client.internet import PUBLIC, Internet
from tests.loopback import reply, serve
from tests.quiet_time import in_quiet_time

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


class ThroughProxy(Provider):
    """Has a browser that runs already ask its proxy for a URL, and says what the page is."""

    title, base_url, is_local = "Acme", "http://127.0.0.1:9222", True

    def __init__(self, asked: str, page: Page) -> None:
        self.asked = asked
        self.page = page

    async def read_with(self, url: str, access: Access, open_browser: Json) -> Page:
        del url, access
        async with open_browser() as browser:
            user = f"{browser.proxy_user}:{browser.proxy_password.reveal()}"
            port = int(browser.proxy_url.rpartition(":")[2])
            reader, writer = await asyncio.open_connection("127.0.0.1", port)
            secret = b64encode(user.encode()).decode()
            head = f"GET {self.asked} HTTP/1.1\r\nProxy-Authorization: Basic {secret}\r\n\r\n"
            writer.write(head.encode())
            await reader.read()
            writer.close()
        return self.page


class Slow(Provider):
    """Never finishes, whatever it does."""

    title, base_url, is_local = "Acme", "https://acme.example", True

    async def read_url(self, url: str, access: Access) -> Page:
        del url, access
        await asyncio.Event().wait()
        return PAGE

    async def search(self, query: SearchQuery, access: Access) -> list[SearchResult]:
        del query, access
        await asyncio.Event().wait()
        return []


class Remote(Provider):
    """Reads elsewhere, where names are looked up."""

    title, base_url = "Acme", "https://acme.example"

    async def read_url(self, url: str, access: Access) -> Page:
        del access
        return replace(PAGE, url=url)


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


INSIDE = "http://10.0.0.1/"


async def test_a_page_that_ended_up_where_the_proxy_refused_is_refused() -> None:
    with pytest.raises(UrlRefusedError, match=r"10\.0\.0\.1"):
        await _read(ThroughProxy(INSIDE, replace(PAGE, url=INSIDE)))


async def test_a_page_of_which_the_proxy_refused_a_part_says_so() -> None:
    page = replace(PAGE, notes=("its own",))

    found = await _read(ThroughProxy(INSIDE, page))

    assert found.notes == (
        "its own",
        "the page also asked for 1 host that we refused, so that a part may be missing",
    )


async def test_a_page_that_could_not_be_read_is_told_without_what_it_lacks() -> None:
    failed = replace(PAGE, success=False, error="It is gone.")

    assert await _read(ThroughProxy(INSIDE, failed)) == failed


async def test_a_page_of_which_the_proxy_let_only_a_part_through_is_cut() -> None:
    async with serve(reply(b"x" * 5000)) as server:
        internet = Internet(server, {"public.test": [[PUBLIC]]})
        provider = ThroughProxy("http://public.test/", PAGE)
        access = Access(base_url=provider.base_url)
        endpoint = Endpoint(name="acme", provider=provider, access=access)
        network = NetworkSettings(max_reply_bytes=1000)
        client = Client(network, resolve=internet.resolve, make_socket=internet.make_socket)
        async with client:
            found = await HttpReadProvider(endpoint, client).read_url(URL)

    assert found.truncated


@in_quiet_time
async def test_a_provider_without_requests_has_only_so_much_time() -> None:
    endpoint = Endpoint(name="acme", provider=Slow(), access=Access(base_url="https://a.example"))
    async with Client() as client:
        with pytest.raises(TimedOutError, match="acme was not done within 7 s"):
            await HttpReadProvider(endpoint, client, patience_seconds=7).read_url(URL)
        with pytest.raises(TimedOutError, match="acme was not done within 8 s"):
            await HttpSearchProvider(endpoint, client, patience_seconds=8).search("otters")

    assert asyncio.get_running_loop().time() == 1015


async def test_a_name_is_looked_up_before_another_reads_its_page_and_not_where_nobody_does() -> (
    None
):
    looked_up: list[str] = []

    async def resolve(host: str) -> list[str]:
        looked_up.append(host)
        return ["10.0.0.1"]

    async def read(provider: Provider, policy: DomainPolicy = guard.ANYWHERE) -> Page:
        access = Access(base_url="https://a.example")
        endpoint = Endpoint(name="acme", provider=provider, access=access)
        async with Client(resolve=resolve) as client:
            return await HttpReadProvider(endpoint, client, policy).read_url(URL)

    local = await read(BrowserRead(PAGE))
    not_looked_up = [*looked_up]
    with pytest.raises(UrlRefusedError):
        await read(Remote())
    with pytest.raises(BlockedError):
        await read(BrowserRead(PAGE), DomainPolicy(allowed=("a.example",)))

    assert (local, not_looked_up, looked_up) == (PAGE, [], ["wiki.example.net"])


async def test_a_page_that_another_may_open_is_read_there() -> None:
    async def resolve(_host: str) -> list[str]:
        return [PUBLIC]

    endpoint = Endpoint(name="acme", provider=Remote(), access=Access(base_url="https://a.example"))
    async with Client(resolve=resolve) as client:
        found = await HttpReadProvider(endpoint, client).read_url("HTTPS://WIKI.example.net/otter")

    assert found == PAGE


async def test_a_provider_that_does_not_read_says_so() -> None:
    class Nothing(Provider):
        base_url, is_local = "https://acme.example", True

    with pytest.raises(UnsupportedError, match="'acme' cannot read"):
        await _read(Nothing())


async def test_a_provider_that_gives_up_by_itself_has_no_time_to_name() -> None:
    async def gives_up() -> None:
        raise TimeoutError

    with pytest.raises(TimedOutError) as caught:
        await within(None, gives_up(), "acme")

    assert caught.value.seconds == 0
