"""What fails outside becomes one of our errors: the HTTP library's, and a provider's own code.

None of their exceptions leaves the client: the library's show request headers, keys included, and
would do so as `__context__` even behind `raise … from None`. So a caught one is translated first,
and our error is raised after the `except` block has ended. A mistake in a provider's code is that
provider's, and ends nobody else's work.
"""

from __future__ import annotations

import asyncio
import os
from functools import partial
from pathlib import PurePath
from traceback import extract_tb
from typing import TYPE_CHECKING, TypeVar, get_args

import aiohttp

from groundwire.errors import (
    ConnectError,
    GroundwireError,
    NetworkError,
    ProviderBugError,
    TimedOutError,
    TruncatedError,
)
from groundwire.events import StreamEvent, TextDelta, ThinkingDelta
from groundwire.redaction import redact
from groundwire.wire.decoder import typed
from groundwire.wire.errors import MAX_REASON_LENGTH
from groundwire.wire.http import understand

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from groundwire.errors import ServiceError
    from groundwire.wire.contract import Endpoint, HttpReply

T = TypeVar("T")

LIBRARY_ERRORS = (aiohttp.ClientError, OSError, asyncio.IncompleteReadError, ValueError)
_EVENTS = get_args(StreamEvent)


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


def called(
    endpoint: Endpoint,
    half: Callable[[], T],
    gives: type | None = None,
    *,
    has_secrets: bool = False,
) -> T:
    """Return what a half of a provider gives, which must be of the type that is named.

    Where it was handed secrets that the endpoint does not know, its words are not repeated.

    Raises:
        ProviderBugError: It raised what is no error of ours, or gave something else.
    """
    try:
        found = half()
    except GroundwireError:
        raise
    except Exception as error:  # noqa: BLE001 - another package may raise anything
        bug = bug_of(endpoint, error, has_secrets=has_secrets)
    else:
        if gives is None or isinstance(found, gives):
            return found
        bug = wrong_type(endpoint, found, gives)
    # Raised here, so that the provider's own exception, with what it may hold, is not its context.
    raise bug


async def awaited(endpoint: Endpoint, work: Callable[[], Awaitable[T]], gives: type) -> T:
    """Return what a provider's own asynchronous code gives, as `called` does.

    Raises:
        ProviderBugError: It raised what is no error of ours, or gave something else.
    """
    try:
        found = await work()
    except (GroundwireError, TimeoutError):
        raise
    except Exception as error:  # noqa: BLE001 - as above
        bug = bug_of(endpoint, error)
    else:
        if isinstance(found, gives):
            return found
        bug = wrong_type(endpoint, found, gives)
    raise bug


def checked_events(endpoint: Endpoint, events: Sequence[StreamEvent]) -> Sequence[StreamEvent]:
    """Return events that are some; whatever else a decoder gives would break later, elsewhere.

    Raises:
        ProviderBugError: They are not.
    """
    if not isinstance(events, list | tuple):
        raise wrong_type(endpoint, events, list)
    for event in events:
        if not isinstance(event, _EVENTS):
            raise wrong_type(endpoint, event, TextDelta)
        if isinstance(event, TextDelta | ThinkingDelta) and not isinstance(event.text, str):
            raise wrong_type(endpoint, event.text, str)
    return typed(events)


def told_fault(endpoint: Endpoint, reply: HttpReply) -> ServiceError | None:
    """Return what a provider says that a failure means, None if it has nothing to say.

    Raises:
        BadReplyError: It cannot read the reply.
        ProviderBugError: Its own code fails.
    """
    return called(endpoint, partial(understand, endpoint.provider.error_from, reply))


def bug_of(
    endpoint: Endpoint, error: BaseException, *, has_secrets: bool = False
) -> ProviderBugError:
    """Return the error for what a provider's own code raised; it names the place in that code."""
    places = extract_tb(error.__traceback__)
    where = f" in {PurePath(places[-1].filename).name}, line {places[-1].lineno}" if places else ""
    words = type(error).__name__ if has_secrets else f"{type(error).__name__}: {error}"
    return _bug(endpoint, f"its own code failed{where} ({words})")


def wrong_type(endpoint: Endpoint, found: object, wanted: type) -> ProviderBugError:
    """Return the error for what a provider's own code gave instead of what the contract asks."""
    return _bug(endpoint, f"its own code gave {type(found).__name__}, not {wanted.__name__}")


def _bug(endpoint: Endpoint, reason: str) -> ProviderBugError:
    said = redact(reason, [endpoint.access.key])[:MAX_REASON_LENGTH]
    return ProviderBugError(endpoint.name, said)
