"""Who is at the other end of a connection: its address, and what proxies say of it.

A header is a stranger's word. It counts only when the connection comes from a proxy that the
settings name, and of what a chain of proxies says only the last word before our own proxies'.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from ipaddress import IPv6Address, ip_address, ip_network
from typing import TYPE_CHECKING

from starlette.datastructures import Headers

from groundwire.guard import is_loopback
from groundwire.web.host import is_address, parse_host

if TYPE_CHECKING:
    from collections.abc import Iterable
    from ipaddress import IPv4Network, IPv6Network

    from starlette.types import Scope

PEER = "groundwire.peer"
"""Where a request has its `Peer`."""

FORWARDED_HEADERS = frozenset(
    {
        "forwarded",
        "via",
        "x-real-ip",
        "x-client-ip",
        "x-cluster-client-ip",
        "x-original-host",
        "cf-connecting-ip",
        "fastly-client-ip",
        "fly-client-ip",
        "true-client-ip",
        "cdn-loop",
    }
)
"""Headers that only something between a browser and us adds, besides all of `X-Forwarded-`."""

_WITH_PORT = re.compile(r"(?:\[([^\]]+)\]|([0-9.]+))(?::[0-9]{1,5})?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """Who asks: `address` is "" where it is not known.

    `is_direct` says that it came from a loopback address to a loopback name at our own port, with
    no sign that anything handed it on.
    """

    address: str
    is_https: bool
    is_direct: bool


def peer_of(scope: Scope, proxies: Iterable[str]) -> Peer:
    """Return who asks, by the connection and, from a trusted proxy, by what that one says."""
    headers = Headers(scope=scope)
    client = scope.get("client")
    socket_address = _plain(client[0]) if client else ""
    trusted = _networks(tuple(proxies))
    is_proxied = _is_in(socket_address, trusted)
    address, is_https = socket_address, scope.get("scheme") == "https"
    if is_proxied:
        address = _forwarded_for(headers, trusted) or socket_address
        is_https = _last(headers, "x-forwarded-proto").lower() == "https" or is_https
    return Peer(
        address=address,
        is_https=is_https,
        is_direct=not is_proxied and _is_direct(scope, headers, socket_address),
    )


def limit_key(address: str) -> str:
    """Return under what an address is counted: one customer has a whole /64 of IPv6."""
    if is_address(address) and isinstance(parsed := ip_address(address), IPv6Address):
        return str(ip_network((int(parsed) >> 64 << 64, 64)))
    return address


def _is_direct(scope: Scope, headers: Headers, socket_address: str) -> bool:
    # nginx asks in HTTP/1.0 unless told otherwise, and then names itself and nobody else.
    is_old = scope.get("http_version") not in ("1.1", "2")
    if is_old or not is_loopback(socket_address) or any(map(_is_forwarded, headers.keys())):
        return False
    host = parse_host(headers.get("host", ""))
    if host is None or not is_loopback(host.name):
        return False
    server = scope.get("server")
    return host.port is None or (server is not None and host.port == server[1])


def _is_forwarded(header: str) -> bool:
    return header in FORWARDED_HEADERS or header.startswith(("x-forwarded", "x-original-forwarded"))


def _forwarded_for(headers: Headers, trusted: tuple[IPv4Network | IPv6Network, ...]) -> str | None:
    """Return the right-most address that is no proxy of ours; None where nothing usable stands."""
    said = ",".join(headers.getlist("x-forwarded-for")).split(",")
    for entry in reversed(said):
        found = _WITH_PORT.fullmatch(entry.strip())
        address = _plain((found[1] or found[2]) if found else entry.strip())
        if not is_address(address):
            return None
        if not _is_in(address, trusted):
            return address
    return None


def _last(headers: Headers, name: str) -> str:
    return ",".join(headers.getlist(name)).rpartition(",")[2].strip()


def _plain(address: str) -> str:
    """Return an address in its usual form, an IPv4 one without its IPv6 disguise."""
    try:
        parsed = ip_address(address)
    except ValueError:
        return address
    mapped = parsed.ipv4_mapped if isinstance(parsed, IPv6Address) else None
    return str(mapped or parsed)


def _is_in(address: str, networks: tuple[IPv4Network | IPv6Network, ...]) -> bool:
    return is_address(address) and any(ip_address(address) in each for each in networks)


@cache
def _networks(proxies: tuple[str, ...]) -> tuple[IPv4Network | IPv6Network, ...]:
    return tuple(ip_network(each, strict=False) for each in proxies)
