"""`web_search` and `open_page` over services and pages of the sandbox, or pages of a test's own."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass

from groundwire import registry
from groundwire.client import Client
from groundwire.model import Json, Page, Secret
from groundwire.sandbox import SandboxServer
from groundwire.search import Extract, SearchContext
from groundwire.tools import Ledger, ToolOutput, say_nothing, web_tools
from groundwire.wire.contract import Access, Endpoint, HttpReply
from tests.client.internet import PUBLIC, Internet
from tests.loopback import Loopback, Script, reply
from tests.search.services import settings

KEY = "canary_Xq7v-2Lw9.Zr4"
OTTER = "https://wiki.example.net/sea-otter"
VALLEY = "https://news.example.com/2026/05/otters-return"
HOSTS = ("a.example", "b.example", "pages.test")


@dataclass(kw_only=True)
class Browser:
    """The two tools of one conversation."""

    search_context: SearchContext
    ledger: Ledger

    def __post_init__(self) -> None:
        self._tools = {tool.name: tool for tool in web_tools(self.search_context, self.ledger)}

    async def search(self, query: str = "sea otter fur", **more: Json) -> ToolOutput:
        """Call `web_search`."""
        return await self.call("web_search", {"query": query, **more})

    async def open(self, url: str | list[str], **more: Json) -> ToolOutput:
        """Call `open_page`."""
        return await self.call("open_page", {"url": url, **more})

    async def call(self, name: str, arguments: Json) -> ToolOutput:
        """Call a tool with anything."""
        return await self._tools[name].run(arguments, say_nothing)


async def as_sent(page: HttpReply) -> Page:
    """Return a page whose Markdown is what the server sent."""
    return Page(url=page.url, title="Title", content=page.text())


def page(text: str) -> Script:
    """A page that says just this."""
    return reply(text.encode(), content_type="text/html")


@asynccontextmanager
async def browsing(
    pages: Loopback | None = None,
    *,
    sandbox: SandboxServer | None = None,
    fault: str = "",
    extract: Extract | None = as_sent,
    links_per_turn: int = 3,
    **chosen: Json,
) -> AsyncIterator[Browser]:
    """Tools whose public pages are all at one server, and whose services are the sandbox's."""
    usual: Json = {"read": {"respect_robots": False}, "cache": {"kind": "memory"}}
    values = settings(**{**usual, **chosen})
    port = int(sandbox.root.rpartition(":")[2]) if sandbox else 9
    internet = Internet(pages or Loopback(port=port), {host: [[PUBLIC]] for host in HOSTS})

    def find(name: str) -> Endpoint:
        assert sandbox is not None
        url = sandbox.base_url(name, fault=fault)
        # DuckDuckGo's library has a limit of its own, and its thread is waited for.
        options = {"timeout_seconds": values.search.timeout_seconds}
        access = Access(base_url=url, key=Secret(KEY), options=options)
        return Endpoint(name=name, provider=registry.get(name), access=access)

    async with (
        Client(
            values.network, resolve=internet.resolve, make_socket=internet.make_socket
        ) as client,
        SearchContext(values, client, find=find, extract=extract) as search_context,
    ):
        yield Browser(search_context=search_context, ledger=Ledger(links_per_turn=links_per_turn))
