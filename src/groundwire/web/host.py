"""The host and port of a Host or Origin header, parsed strictly: the only such parser here."""

from __future__ import annotations

import re
from dataclasses import dataclass
from ipaddress import ip_address

_LABEL = r"[A-Za-z0-9_](?:[A-Za-z0-9_-]{0,61}[A-Za-z0-9_])?"
_HOST = re.compile(
    rf"(?:(?P<name>{_LABEL}(?:\.{_LABEL})*)\.?|\[(?P<v6>[0-9A-Fa-f:.]{{2,45}})\])"
    r"(?::(?P<port>[0-9]{1,5}))?"
)
_LONGEST = 270
_USUAL_PORTS = {"http": 80, "https": 443}


@dataclass(frozen=True, slots=True, kw_only=True)
class Host:
    """A name in lower case, or an address without brackets. `port` is None where none is given."""

    name: str
    port: int | None = None

    @property
    def is_address(self) -> bool:
        """Return whether the name is an IP address."""
        return is_address(self.name)


def parse_host(text: str) -> Host | None:
    """Return `host[:port]`, None for anything else: no user, path, space or other character."""
    found = _HOST.fullmatch(text) if len(text) <= _LONGEST else None
    if found is None:
        return None
    name = (found["v6"] or found["name"]).lower()
    if found["v6"] and not (":" in name and is_address(name)):
        return None
    port = int(found["port"]) if found["port"] else None
    return Host(name=name, port=port) if port is None or port <= 65_535 else None


def is_same_origin(origin: str, host: Host) -> bool:
    """Tell whether an origin is the host that was asked; behind a proxy its scheme may differ."""
    scheme, _, rest = origin.partition("://")
    usual, own = _USUAL_PORTS.get(scheme), parse_host(rest)
    if usual is None or own is None:
        return False
    return own.name == host.name and (own.port or usual) == (host.port or usual)


def is_address(name: str) -> bool:
    """Tell whether a name is an IP address."""
    try:
        ip_address(name)
    except ValueError:
        return False
    return True
