"""Icons of sites over real sockets: through the guard, under the policy, once for all."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from groundwire.cache import MemoryCache
from groundwire.client import Client
from groundwire.guard import DomainPolicy
from groundwire.search import SearchContext
from groundwire.search.icons import MAX_BYTES, Icon, site_icon
from tests.client.internet import PUBLIC, Internet, redirect
from tests.loopback import Script, raw, reply, serve
from tests.search.icon_bytes import ICO, PNG, png
from tests.search.services import search_context, settings

URL = "http://a.example/page?q=1"
FOUND = Icon(media_type="image/png", body=PNG)
SCRIPT = b"<script>alert(1)</script>"
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>'


class Asked:
    """A context whose names lead to one server, and all that was asked there."""

    def __init__(self, context: SearchContext, internet: Internet) -> None:
        self.context = context
        self.internet = internet

    @property
    def lines(self) -> list[str]:
        """Return the first lines of all requests."""
        return [request.line for request in self.internet.server.requests]


@asynccontextmanager
async def web(*scripts: Script, address: str = PUBLIC) -> AsyncIterator[Asked]:
    """Serve these replies, one after the other, at a.example and b.example."""
    chosen = settings(search={"blocked_domains": ["blocked.example"]})
    names = {name: [[address]] for name in ("a.example", "b.example", "blocked.example")}
    async with serve(*scripts) as server:
        internet = Internet(server, names)
        client = Client(chosen.network, resolve=internet.resolve, make_socket=internet.make_socket)
        cache = MemoryCache(max_entries=9, max_bytes=1_000_000)
        async with search_context(chosen, {}, client=client, cache=cache) as context:
            yield Asked(context, internet)


def picture(body: bytes, content_type: str = "text/plain") -> Script:
    return reply(body, content_type=content_type)


async def test_an_icon_is_asked_for_at_the_site_of_the_page_and_typed_by_its_bytes() -> None:
    async with web(picture(PNG, "image/svg+xml")) as asked:
        found = await site_icon(asked.context, URL)

    assert found == FOUND
    assert asked.lines == ["GET /favicon.ico HTTP/1.1"]


@pytest.mark.parametrize(
    "sent",
    [
        picture(SVG, "image/svg+xml"),
        picture(SVG, "image/png"),
        picture(SCRIPT, "text/javascript"),
        picture(SCRIPT, "image/x-icon"),
        picture(png(100_000, 100_000), "image/png"),
        picture(ICO + b"\x00" * MAX_BYTES, "image/x-icon"),
        reply(PNG, status="404 No"),
    ],
)
async def test_documents_scripts_and_large_pictures_are_no_icons(sent: Script) -> None:
    async with web(sent) as asked:
        assert await site_icon(asked.context, URL) is None


@pytest.mark.parametrize("address", ["127.0.0.1", "10.0.0.1", "169.254.169.254", "::1"])
async def test_a_private_address_is_never_connected_to(address: str) -> None:
    async with web(picture(PNG), address=address) as asked:
        assert await site_icon(asked.context, URL) is None
        assert await site_icon(asked.context, f"http://{address}/") is None

        assert asked.internet.tried == []


async def test_a_redirect_to_a_private_address_is_not_followed() -> None:
    async with web(redirect("http://169.254.169.254/icon.png"), picture(PNG)) as asked:
        assert await site_icon(asked.context, URL) is None

    assert len(asked.lines) == 1


@pytest.mark.parametrize(
    ("url", "policy"),
    [
        (URL, DomainPolicy(allowed=("b.example",))),
        (URL, DomainPolicy()),
        ("http://blocked.example/", DomainPolicy(allowed=("*",))),
        ("ftp://a.example/", DomainPolicy(allowed=("*",))),
        ("http://user:word@a.example/", DomainPolicy(allowed=("*",))),
        ("nonsense", DomainPolicy(allowed=("*",))),
    ],
)
async def test_a_forbidden_site_is_never_asked(url: str, policy: DomainPolicy) -> None:
    async with web(picture(PNG)) as asked:
        assert await site_icon(asked.context, url, policy) is None

        assert asked.internet.tried == []


async def test_a_redirect_to_a_forbidden_site_is_not_followed() -> None:
    allowed = DomainPolicy(allowed=("a.example",))
    async with web(redirect("http://b.example/icon.png"), picture(PNG)) as asked:
        assert await site_icon(asked.context, URL, allowed) is None
        assert len(asked.lines) == 1

        # Under another policy it is another question, which the cache does not answer.
        assert await site_icon(asked.context, URL) == FOUND


async def test_an_icon_and_that_there_is_none_are_kept() -> None:
    for script, found in ((picture(PNG), FOUND), (reply(b"", status="404 No"), None)):
        async with web(script) as asked:
            assert await site_icon(asked.context, URL) == found
            assert await site_icon(asked.context, "http://a.example/elsewhere") == found

        assert len(asked.lines) == 1


@pytest.mark.parametrize(
    "trouble",
    [
        raw(b"nonsense\r\n\r\n"),
        raw(b"HTTP/1.1 200 OK\r\nContent-Length: 999\r\n\r\n" + PNG),
        reply(b"", status="503 Later"),
    ],
)
async def test_trouble_of_a_site_is_not_kept(trouble: Script) -> None:
    async with web(trouble, picture(PNG)) as asked:
        assert await site_icon(asked.context, URL) is None
        assert await site_icon(asked.context, URL) == FOUND


async def test_many_who_ask_at_once_cause_one_request() -> None:
    async with web(picture(PNG)) as asked:
        found = await asyncio.gather(*(site_icon(asked.context, URL) for _ in range(20)))

    assert found == [FOUND] * 20
    assert len(asked.lines) == 1
