"""A web of a test's own: names with the answers it gives them, and a page behind every address."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Sequence
from typing import Any

import trustme

from tests.loopback import Loopback, Script, reply

PUBLIC = "93.184.215.14"
PAGE = reply(b"<h1>page</h1>", content_type="text/html")


class Internet:
    """Names with the answers a test gives them, and sockets that all end at a loopback server.

    `tried` has every address that a connection was really asked for, before it was bent.
    """

    def __init__(self, server: Loopback, dns: dict[str, list[list[str]]]) -> None:
        self.server = server
        self.tried: list[str] = []
        self._dns = dns
        self._asked: dict[str, int] = {}

    async def resolve(self, host: str) -> Sequence[str]:
        answers = self._dns.get(host, [])
        number = self._asked[host] = self._asked.get(host, -1) + 1
        return answers[min(number, len(answers) - 1)] if answers else ()

    def make_socket(self, address: tuple[Any, ...]) -> socket.socket:
        return _BentSocket(self, *address[:3])


class _BentSocket(socket.socket):
    def __init__(self, internet: Internet, family: int, kind: int, protocol: int) -> None:
        super().__init__(family, kind, protocol)
        self._internet = internet

    def connect(self, address: Any, /) -> None:
        socket.inet_pton(self.family, address[0])  # Only an address of its own family fits.
        self._internet.tried.append(address[0])
        loopback = "127.0.0.1" if self.family == socket.AF_INET else "::ffff:127.0.0.1"
        super().connect((loopback, self._internet.server.port))


def redirect(location: str, status: int = 302) -> Script:
    """Return a reply that leads elsewhere."""
    return reply(b"", status=f"{status} Away", headers={"Location": location})


def server_tls(authority: trustme.CA, *names: str) -> ssl.SSLContext:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    authority.issue_cert(*names).configure_cert(context)
    return context
