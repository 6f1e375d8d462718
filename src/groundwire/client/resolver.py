"""Resolve public hosts: one DNS look-up, every address checked, sockets only to those addresses."""

from __future__ import annotations

import asyncio
import socket
from typing import TYPE_CHECKING

from groundwire import guard
from groundwire.client.failures import translated
from groundwire.errors import ConnectError, TimedOutError, UrlRefusedError

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence
    from typing import Any

    from groundwire.guard import WebUrl

    Resolve = Callable[[str], Awaitable[Sequence[str]]]
    MakeSocket = Callable[[tuple[Any, ...]], socket.socket]
    Streams = tuple[asyncio.StreamReader, asyncio.StreamWriter]


async def resolve_by_system(host: str) -> Sequence[str]:
    """Return every address that the system's resolver knows for a name; none if it knows none."""
    loop = asyncio.get_running_loop()
    try:
        answers = await loop.getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except OSError:
        return ()
    return tuple(dict.fromkeys(str(answer[4][0]) for answer in answers))


def plain_socket(address: tuple[Any, ...]) -> socket.socket:
    """Make an ordinary socket of an address's family."""
    family, kind, protocol, *_ = address
    return socket.socket(family=family, type=kind, proto=protocol)


class Resolver:
    """Resolves hosts and connects to them; every URL of a page goes through here."""

    def __init__(
        self,
        connect_seconds: float,
        *,
        resolve: Resolve = resolve_by_system,
        make_socket: MakeSocket = plain_socket,
    ) -> None:
        self._connect_seconds = connect_seconds
        self._resolve = resolve
        self._make_socket = make_socket

    async def addresses(self, url: WebUrl) -> Sequence[str]:
        """Return the addresses of a host, looked up once and all of them public.

        Raises:
            UrlRefusedError: There is none, or one of them is not public.
        """
        found = await self.known_addresses(url)
        guard.check_answers(url, found)
        return found

    async def known_addresses(self, url: WebUrl) -> Sequence[str]:
        """Return the addresses for an external reader, which may resolve names that we cannot.

        Raises:
            UrlRefusedError: One of them is not public.
        """
        if url.is_address:
            return (url.host,)
        found = await self._resolve(url.host)
        if found:
            guard.check_answers(url, found)
        return found

    def checked_socket(self, address: tuple[Any, ...]) -> socket.socket:
        """Make a socket for one address: the last look at where a connection goes.

        Raises:
            UrlRefusedError: The address is not public.
        """
        host = str(address[4][0])
        if problem := guard.address_problem(host):
            raise UrlRefusedError(host, problem)
        return self._make_socket(address)

    async def connect(self, url: WebUrl) -> Streams:
        """Open a connection to the first address of a host that accepts one.

        Raises:
            UrlRefusedError: The host is not public.
            NetworkError: No address accepts.
        """
        failure: TimedOutError | ConnectError = ConnectError(url.host, "it has no address")
        for address in await self.addresses(url):
            try:
                async with asyncio.timeout(self._connect_seconds):
                    opening = self._connect_to(address, url.port)
                    return await translated(
                        opening, url.host, connect_seconds=self._connect_seconds
                    )
            except TimeoutError:
                failure = TimedOutError(url.host, "connect", self._connect_seconds)
            except ConnectError as error:
                failure = error
        raise failure

    async def _connect_to(self, host: str, port: int) -> Streams:
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        place = (host, port)
        made = self.checked_socket((family, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", place))
        try:
            made.setblocking(False)
            await asyncio.get_running_loop().sock_connect(made, place)
            return await asyncio.open_connection(sock=made)
        except BaseException:
            made.close()
            raise
