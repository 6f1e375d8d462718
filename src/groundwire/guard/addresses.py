"""Which IP addresses are public.

The tables are our own because `ipaddress.is_global` says yes to NAT64, 6to4, multicast and two
clouds' metadata addresses, and its answers have changed between releases of Python.
"""

from __future__ import annotations

from ipaddress import (
    IPv4Address,
    IPv4Network,
    IPv6Address,
    IPv6Network,
    ip_address,
    ip_network,
)

_REFUSED_IPV4 = tuple(
    (IPv4Network(network), name)
    for network, name in (
        ("0.0.0.0/8", "unspecified (this machine)"),
        ("10.0.0.0/8", "private"),
        ("100.64.0.0/10", "inside a carrier's network"),
        ("127.0.0.0/8", "loopback"),
        ("168.63.129.16/32", "Azure's own (cloud metadata)"),
        ("169.254.0.0/16", "link-local (cloud metadata)"),
        ("172.16.0.0/12", "private"),
        ("192.0.0.0/24", "reserved for protocols (cloud metadata)"),
        ("192.0.2.0/24", "for documentation only"),
        ("192.88.99.0/24", "a 6to4 relay"),
        ("192.168.0.0/16", "private"),
        ("198.18.0.0/15", "for benchmarks only"),
        ("198.51.100.0/24", "for documentation only"),
        ("203.0.113.0/24", "for documentation only"),
        ("224.0.0.0/4", "multicast"),
        ("255.255.255.255/32", "broadcast"),
        ("240.0.0.0/4", "reserved"),
    )
)

# Prefixes that carry an IPv4 address inside are refused whole: what they lead to is decided by
# the network we are in. Those outside 2000::/3 are listed only to be called by their names.
_REFUSED_IPV6 = tuple(
    (IPv6Network(network), name)
    for network, name in (
        ("::/128", "unspecified (this machine)"),
        ("::1/128", "loopback"),
        ("::ffff:0:0/96", "an IPv4 address in disguise"),
        ("::ffff:0:0:0/96", "an IPv4 address in disguise"),
        ("::/96", "an IPv4 address in disguise"),
        ("64:ff9b::/96", "an IPv4 address behind NAT64"),
        ("64:ff9b:1::/48", "an IPv4 address behind NAT64"),
        ("2001::/32", "an IPv4 address behind Teredo"),
        ("2001::/23", "reserved for protocols"),
        ("2001:db8::/32", "for documentation only"),
        ("2002::/16", "an IPv4 address behind 6to4"),
        ("3fff::/20", "for documentation only"),
        ("fc00::/7", "private"),
        ("fe80::/10", "link-local"),
        ("fec0::/10", "site-local"),
        ("ff00::/8", "multicast"),
    )
)
_PUBLIC_IPV6 = IPv6Network("2000::/3")
_ISATAP_MARKS = frozenset({0x0000_5EFE, 0x0200_5EFE})


def is_loopback(host: str) -> bool:
    """Tell whether a host is this machine and nobody else's."""
    if host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def check_network(text: str) -> str:
    """Return an address or a network as it is written.

    Raises:
        ValueError: It is neither.
    """
    try:
        ip_network(text, strict=False)
    except ValueError:
        raise ValueError("expected an address or a network like 10.0.0.0/8") from None
    return text


def address_problem(address: str) -> str | None:
    """Return why an IP address is not on the public web, or None if it is."""
    if "%" in address:
        return f"the address {address} has a zone, so it is local"
    try:
        parsed = ip_address(address)
    except ValueError:
        return f"{address!r} is not an IP address"
    name = _refused_ipv4(parsed) if isinstance(parsed, IPv4Address) else _refused_ipv6(parsed)
    return f"the address {parsed.compressed} is {name}" if name else None


def _refused_ipv4(address: IPv4Address) -> str | None:
    return next((name for network, name in _REFUSED_IPV4 if address in network), None)


def _refused_ipv6(address: IPv6Address) -> str | None:
    for network, name in _REFUSED_IPV6:
        if address in network:
            return name
    if address not in _PUBLIC_IPV6:
        return "outside the public part of IPv6"
    # ISATAP marks its addresses in the interface half, so any prefix can carry one.
    if (int(address) >> 32) & 0xFFFF_FFFF in _ISATAP_MARKS:
        return "an IPv4 address behind ISATAP"
    return None
