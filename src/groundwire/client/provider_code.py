"""Calls a provider's own code: a mistake in it is that provider's, and ends nobody else's work."""

from __future__ import annotations

from functools import partial
from pathlib import PurePath
from traceback import extract_tb
from typing import TYPE_CHECKING, TypeVar, get_args

from groundwire.errors import GroundwireError, ProviderBugError
from groundwire.events import StreamEvent, TextDelta, ThinkingDelta
from groundwire.redaction import redact
from groundwire.wire.decoder import typed
from groundwire.wire.faults import MAX_REASON_LENGTH
from groundwire.wire.http import understand

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable, Sequence

    from groundwire.errors import ServiceError
    from groundwire.wire.contract import Endpoint, HttpReply

T = TypeVar("T")

_EVENTS = get_args(StreamEvent)


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


def is_opening(endpoint: Endpoint, data: str) -> bool:
    """Tell whether a provider says that an event of a stream says nothing yet.

    Raises:
        ProviderBugError: Its own code fails.
    """
    return called(endpoint, partial(endpoint.provider.is_opening, data))


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
