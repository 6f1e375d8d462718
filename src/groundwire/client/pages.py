"""Fetch web pages: every redirect is parsed, resolved once, checked and connected as checked."""

from __future__ import annotations

import asyncio
import socket
from contextlib import asynccontextmanager, closing, nullcontext
from functools import partial
from typing import TYPE_CHECKING

import aiohttp
from aiohttp.abc import AbstractResolver, ResolveResult
from yarl import URL

from groundwire import guard
from groundwire.client.bodies import ACCEPT_ENCODING, Unpacker, read_up_to
from groundwire.client.failures import translated
from groundwire.errors import TimedOutError, TruncatedError, UrlRefusedError
from groundwire.text.plural import plural
from groundwire.wire.contract import HttpReply

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager
    from ssl import SSLContext

    from groundwire.client.resolver import Resolver
    from groundwire.config.settings import NetworkSettings
    from groundwire.guard import DomainPolicy, WebUrl

    Enter = Callable[[WebUrl], AbstractAsyncContextManager[None]]
    _Hop = Callable[[WebUrl], AbstractAsyncContextManager[aiohttp.ClientResponse]]

_REDIRECTS = (301, 302, 303, 307, 308)


def freely(_: WebUrl) -> AbstractAsyncContextManager[None]:
    """Open a URL at once; other ways to enter may wait for a turn or refuse."""
    return nullcontext()


class PageFetcher:
    """Opens pages on the public web and nothing else.

    Nothing is shared between two hops: no cookie, no connection, no name server's later answer.
    """

    def __init__(
        self, limits: NetworkSettings, resolver: Resolver, *, tls: SSLContext | None = None
    ) -> None:
        self._limits = limits
        self._resolver = resolver
        self._tls = tls

    async def check(self, url: str, policy: DomainPolicy = guard.ANYWHERE) -> WebUrl:
        """Return a URL that an external reader may be asked to open.

        A name that is unknown here passes: behind a proxy, the other may know it all the same.

        Raises:
            BlockedError: The URL, its domain or an address of it is refused.
        """
        checked = guard.parse(url, ports=frozenset(self._limits.page_ports))
        policy.check(checked)
        try:
            async with asyncio.timeout(self._limits.connect_timeout_seconds):
                await self._resolver.known_addresses(checked)
        except TimeoutError:
            pass
        return checked

    async def fetch(
        self,
        url: str,
        policy: DomainPolicy = guard.ANYWHERE,
        *,
        headers: Mapping[str, str] | None = None,
        enter: Enter = freely,
        max_bytes: int | None = None,
    ) -> HttpReply:
        """Return the page at a URL, wherever its redirects lead on the public web.

        Over the limits of bytes or time, what came so far is returned and marked as truncated;
        `max_bytes` is for callers who want less than the settings allow.
        `enter` surrounds every hop and may wait, which does not count, or refuse.

        Raises:
            BlockedError: The URL, a redirect or an address is refused.
            NetworkError: Nothing arrived.
        """
        seconds = self._limits.page_timeout_seconds
        download = _Download(
            max_bytes or self._limits.max_page_bytes,
            max_bytes or self._limits.max_decoded_page_bytes,
        )
        target = guard.parse(url, ports=frozenset(self._limits.page_ports))
        try:
            async with asyncio.timeout(seconds) as clock:
                hop = partial(self._hop, clock=clock, enter=enter, headers=headers or {})
                await self._follow(target, policy, download, hop)
        except TimeoutError:
            download.is_truncated = True
        except TruncatedError:
            if not download.body:
                raise
            download.is_truncated = True
        if download.is_truncated and not download.body:
            raise TimedOutError(target.host, "total", seconds)
        return download.reply()

    async def _follow(
        self, url: WebUrl, policy: DomainPolicy, download: _Download, hop: _Hop
    ) -> None:
        first = str(url)
        for _ in range(self._limits.max_redirects + 1):
            policy.check(url)
            async with hop(url) as response:
                location = response.headers.get("Location", "")
                if response.status not in _REDIRECTS or not location:
                    return await self._read(url, response, download)
            url = guard.follow(url, location, ports=frozenset(self._limits.page_ports))
        most = plural(self._limits.max_redirects, "time")
        raise UrlRefusedError(first, f"it redirects more than {most}")

    @asynccontextmanager
    async def _hop(
        self, url: WebUrl, *, clock: asyncio.Timeout, enter: Enter, headers: Mapping[str, str]
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """Open one URL when it is its turn; the wait for that is not the page's time."""
        loop = asyncio.get_running_loop()
        remaining = (clock.when() or loop.time()) - loop.time()
        clock.reschedule(None)
        async with enter(url):
            clock.reschedule(loop.time() + remaining)
            async with self._open(url, headers) as response:
                yield response

    @asynccontextmanager
    async def _open(
        self, url: WebUrl, headers: Mapping[str, str]
    ) -> AsyncIterator[aiohttp.ClientResponse]:
        """Open one URL at an address that was checked a moment ago."""
        connector = aiohttp.TCPConnector(
            resolver=_Pinned(await self._resolver.addresses(url)),
            # The library asks the resolver only for names; this sees every address.
            socket_factory=self._resolver.checked_socket,
            force_close=True,
            ssl=self._tls or True,
        )
        timeout = aiohttp.ClientTimeout(
            total=None, sock_connect=self._limits.connect_timeout_seconds
        )
        async with aiohttp.ClientSession(
            connector=connector,
            cookie_jar=aiohttp.DummyCookieJar(),
            timeout=timeout,
            auto_decompress=False,
            trust_env=False,
        ) as session:
            opening = session.get(
                URL(str(url), encoded=True),
                allow_redirects=False,
                headers={**self._headers(), **headers},
            )
            seconds = self._limits.connect_timeout_seconds
            response = await translated(opening, url.host, connect_seconds=seconds)
            with closing(response):
                yield response

    def _headers(self) -> dict[str, str]:
        return {
            "User-Agent": self._limits.user_agent,
            "Accept": "text/html,application/xhtml+xml,text/*;q=0.9,*/*;q=0.5",
            "Accept-Encoding": ACCEPT_ENCODING,
            "Accept-Language": "en,*;q=0.5",
        }

    async def _read(
        self, url: WebUrl, response: aiohttp.ClientResponse, download: _Download
    ) -> None:
        download.status = response.status
        download.headers = {name.lower(): value for name, value in response.headers.items()}
        download.url = str(url)
        download.host = url.host
        encoding = download.headers.get("content-encoding", "")
        unpacker = Unpacker(encoding, download.max_decoded_bytes, url.host)
        read, limit = response.content.readany, download.max_bytes
        is_whole = await translated(read_up_to(read, unpacker, limit, download.body), url.host)
        download.is_truncated = not is_whole


class _Download:
    """What has arrived of a page so far, kept when the clock stops it; its head, once it began."""

    status: int
    headers: dict[str, str]
    url: str
    host: str
    is_truncated: bool

    def __init__(self, max_bytes: int, max_decoded_bytes: int) -> None:
        self.max_bytes = max_bytes
        self.max_decoded_bytes = max_decoded_bytes
        self.body = bytearray()

    def reply(self) -> HttpReply:
        return HttpReply(
            status=self.status,
            headers=self.headers,
            body=bytes(self.body),
            url=self.url,
            service=self.host,
            is_truncated=self.is_truncated,
        )


class _Pinned(AbstractResolver):
    """Answers with the addresses that were checked, and never asks anyone."""

    def __init__(self, addresses: Sequence[str]) -> None:
        self._addresses = addresses

    async def resolve(
        self,
        host: str,
        port: int = 0,
        family: socket.AddressFamily = socket.AF_INET,  # noqa: ARG002 - the library's interface
    ) -> list[ResolveResult]:
        return [
            ResolveResult(
                hostname=host,
                host=address,
                port=port,
                family=socket.AF_INET6 if ":" in address else socket.AF_INET,
                proto=socket.IPPROTO_TCP,
                flags=socket.AI_NUMERICHOST,
            )
            for address in self._addresses
        ]

    async def close(self) -> None:
        pass
