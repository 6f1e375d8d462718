"""Turns what the HTTP library raises into our errors.

None of its exceptions leaves the client: they show request headers, keys included, and would do
so as `__context__` even behind `raise … from None`. So a caught one is translated first and our
error is raised after the `except` block has ended.
"""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

import aiohttp

from groundwire.errors import ConnectError, NetworkError, TimedOutError, TruncatedError

if TYPE_CHECKING:
    from collections.abc import Awaitable
    from typing import TypeVar

    T = TypeVar("T")

LIBRARY_ERRORS = (aiohttp.ClientError, OSError, asyncio.IncompleteReadError, ValueError)


async def translated(awaitable: Awaitable[T], host: str, *, connect_seconds: float = 0) -> T:
    """Await something of the HTTP library and raise only our errors.

    `connect_seconds` is the time that a connection may take; 0 once the reply has begun.

    Raises:
        NetworkError: The exchange did not work.
    """
    try:
        return await awaitable
    except LIBRARY_ERRORS as error:
        failure = translate(error, host, connect_seconds=connect_seconds)
    raise failure


def translate(error: Exception, host: str, *, connect_seconds: float = 0) -> NetworkError:
    """Return our error for one of the library's, with nothing of the request in it."""
    reason = _reason(error)
    if not connect_seconds:
        return TruncatedError(host, reason)
    if isinstance(error, aiohttp.ServerTimeoutError):
        return TimedOutError(host, "connect", connect_seconds)
    return ConnectError(host, reason)


# The first that fits: the library's classes inherit from one another.
_REASONS: tuple[tuple[type[Exception], str], ...] = (
    (aiohttp.ClientConnectorDNSError, "the name does not resolve"),
    (aiohttp.ClientSSLError, "the TLS handshake failed"),
    (aiohttp.ServerDisconnectedError, "the server closed the connection"),
    (aiohttp.ClientPayloadError, "the connection ended in the middle of the reply"),
    (aiohttp.ClientHttpProxyError, "the proxy refused"),
    (aiohttp.ClientResponseError, "the reply is not valid HTTP"),
    (aiohttp.InvalidURL, "the address is not a valid URL"),
)


def _reason(error: Exception) -> str:
    if isinstance(error, aiohttp.ClientConnectorCertificateError):
        problem = getattr(error.certificate_error, "verify_message", "") or "it does not verify"
        return f"its certificate is not valid: {problem}"
    for kind, reason in _REASONS:
        if isinstance(error, kind):
            return reason
    if isinstance(error, OSError) and error.errno:
        return os.strerror(error.errno).lower()
    return type(error).__name__
