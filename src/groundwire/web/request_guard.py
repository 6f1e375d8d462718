"""Host and Origin checks before any route (DNS rebinding, CSRF), and security headers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import Headers, MutableHeaders

from groundwire.web.error_responses import fault_response
from groundwire.web.host import Host, is_same_origin, parse_host
from groundwire.web.options import LOOPBACK_NAMES, Options
from groundwire.web.peer import PEER, peer_of
from groundwire.web.stream_responses import DIRECT

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

CONTENT_POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; "
    "connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'; "
    "frame-src 'self'; require-trusted-types-for 'script'"
)
STRANGER_POLICY = "sandbox; default-src 'none'; style-src 'unsafe-inline'; img-src data:"
"""For what others wrote: shown in a frame that can do nothing."""
LINKS_POLICY = (
    "sandbox allow-popups allow-popups-to-escape-sandbox; default-src 'none'; "
    "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
)
"""For what others wrote and people may click: its links open in tabs of their own, and that is all
it can do."""

_SAFE_METHODS = frozenset({"GET", "HEAD", "OPTIONS"})
_HEADERS = {
    "content-security-policy": CONTENT_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-opener-policy": "same-origin",
    "cross-origin-resource-policy": "same-origin",
    "permissions-policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
}


class RequestGuard:
    """An app around the app: what does not pass is answered here, before any route and login.

    A browser sends what any page wants sent. So the name in Host must be ours, or a page could
    have its own name point here; Origin must be ours where it is sent, and what changes something
    must not come from another site. Only a request with a bearer token is beyond suspicion of the
    latter: no browser adds one by itself.
    """

    def __init__(self, app: ASGIApp, options: Options) -> None:
        self._app = app
        self._names = {*LOOPBACK_NAMES, *(name.lower() for name in options.allowed_hosts)}
        self._names.add(options.host.lower())
        self._proxies = options.trusted_proxies
        # Whoever knows a number cannot have made it point here; a name could be made to.
        self._takes_addresses = not options.is_local

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request, or hand it on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        peer = scope[PEER] = peer_of(scope, self._proxies)
        scope["scheme"] = "https" if peer.is_https else "http"
        refusal = self._refusal(scope, Headers(scope=scope))

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                given = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    given.setdefault(name, value)
                if scope["path"].startswith(("/api", "/agents")):
                    given.setdefault("cache-control", "no-store")
            await send(message)

        if refusal is not None:
            response = fault_response(refusal[0], refusal[1])
            await response(scope, receive, send_with_headers)
            return
        scope[DIRECT] = send
        await self._app(scope, receive, send_with_headers)

    def _refusal(self, scope: Scope, headers: Headers) -> tuple[int, str] | None:
        given = headers.getlist("host")
        host = parse_host(given[0]) if len(given) == 1 else None
        if host is None or not self._knows(host):
            name = host.name if host else ", ".join(given)
            return 421, (
                f"this server does not answer for the host {name[:100]!r}: use its own address, "
                "or start it with --allow-host"
            )
        if not _is_own(headers, host, scope["method"]):
            return 403, "cross-site request refused: use the page of this server, or a token"
        return None

    def _knows(self, host: Host) -> bool:
        return host.name in self._names or (self._takes_addresses and host.is_address)


def _is_own(headers: Headers, host: Host, method: str) -> bool:
    """Tell whether a request was not made by a page of another site."""
    has_token = headers.get("authorization", "").lower().startswith("bearer ")
    origin = headers.get("origin")
    if origin is not None and not has_token and not is_same_origin(origin, host):
        return False
    if method in _SAFE_METHODS or has_token or origin is not None:
        return True
    return headers.get("sec-fetch-site", "none") in ("same-origin", "none")
