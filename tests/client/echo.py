"""A service of the tests' own, at a loopback server."""

from __future__ import annotations

from groundwire.model import Secret
from groundwire.wire.contract import Access, Endpoint, Provider
from tests.loopback import Loopback


class Echo(Provider):
    """A service with nothing of its own."""

    title = "Echo"
    base_url = ""


def endpoint(server: Loopback, key: str = "") -> Endpoint:
    """Return the service at a server."""
    access = Access(base_url=server.url, key=Secret(key) if key else None)
    return Endpoint(name="echo", provider=Echo(), access=access)
