"""A web of pages on loopback under public names, for answers that cite them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field

from aiohttp import web

from groundwire.client import Client
from groundwire.config.settings import Settings
from groundwire.model import Json, Page
from groundwire.search import SearchContext
from groundwire.wire.contract import HttpReply
from tests.client.internet import PUBLIC, Internet
from tests.loopback import Loopback
from tests.search.services import search_context, settings

SITE = "http://a.example"
OTTER = (
    "# Sea otter\n\nSea otters have the densest fur of all animals. A square centimetre holds up "
    "to 150,000 hairs. Resting sea otters wrap themselves in kelp, so that the current does not "
    "carry them away. Some hold paws while they sleep."
)

Answer = Callable[[web.Request], Awaitable[web.StreamResponse]]


@dataclass
class CitedWeb:
    """What is at each path, what was asked for, and what stops those that hang."""

    pages: Mapping[str, str | Answer] = field(default_factory=dict)
    asked: list[str] = field(default_factory=list)
    open_now: int = 0
    most_open: int = 0
    release: asyncio.Event = field(default_factory=asyncio.Event)
    arrivals: asyncio.Queue[str] = field(default_factory=asyncio.Queue)

    async def handle(self, request: web.Request) -> web.StreamResponse:
        if request.path != "/robots.txt":
            self.asked.append(request.path)
            self.arrivals.put_nowait(request.path)
        self.open_now += 1
        self.most_open = max(self.most_open, self.open_now)
        try:
            page = self.pages.get(request.path)
            if page is None:
                return web.Response(status=404)
            if isinstance(page, str):
                return web.Response(text=page)
            return await page(request)
        finally:
            self.open_now -= 1

    async def hang(self, _: web.Request) -> web.StreamResponse:
        """Answer only when the test is over."""
        await self.release.wait()
        return web.Response(text=OTTER)


async def _extract(reply: HttpReply) -> Page:
    return Page(url=reply.url, title="Title", content=reply.text())


@asynccontextmanager
async def serving(
    pages: Mapping[str, str | Answer], **values: Json
) -> AsyncIterator[tuple[SearchContext, CitedWeb]]:
    """Serve pages, and give what reads them: all public names lead there."""
    played = CitedWeb(pages=pages)
    app = web.Application()
    app.router.add_get("/{path:.*}", played.handle)
    runner = web.AppRunner(app, access_log=None, shutdown_timeout=0.1)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    chosen: Settings = settings(**{"cache": {"kind": "off"}, **values})
    internet = Internet(
        Loopback(port=runner.addresses[0][1]), {"a.example": [[PUBLIC]], "b.example": [[PUBLIC]]}
    )
    client = Client(chosen.network, resolve=internet.resolve, make_socket=internet.make_socket)
    try:
        async with search_context(chosen, {}, client=client, extract=_extract) as made:
            yield made, played
    finally:
        played.release.set()
        await runner.cleanup()
