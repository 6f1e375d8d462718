"""What a failure means to a client: its status before the first byte, and whether to try again.

Clients repeat what they think can work later, some of them thirty times. So a permanent fault is
400, or 403 for a key, whatever the upstream service called it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire import errors
from groundwire.redaction import redact
from groundwire.wire.outbound import Refusal

if TYPE_CHECKING:
    from groundwire.chat.events import TurnFailed
    from groundwire.errors import GroundwireError
    from groundwire.wire.inbound import InboundError

_RETRIED = frozenset(
    {
        errors.OverloadedError.code,
        errors.RateLimitError.code,
        errors.ConnectError.code,
        errors.TimedOutError.code,
        errors.TruncatedError.code,
        errors.BadReplyError.code,
        errors.StoreUnavailableError.code,
        errors.StoreBusyError.code,
    }
)
_STATUSES = {
    errors.RateLimitError.code: 429,
    errors.QuotaExceededError.code: 429,
    errors.AuthError.code: 403,
    errors.MissingKeyError.code: 403,
    errors.SessionExpiredError.code: 403,
    errors.ForbiddenError.code: 403,
}
OVERLOADED = 529


class RefusedTurnError(Exception):
    """A turn that ends without a whole answer."""

    def __init__(self, refusal: Refusal) -> None:
        super().__init__(refusal.message)
        self.refusal = refusal


def refusal_of(error: GroundwireError) -> Refusal:
    """Return what an error of ours means to a client."""
    wait = getattr(error, "retry_after_seconds", None)
    return _refusal(error.code, str(error), wait)


def refusal_of_request(error: InboundError) -> Refusal:
    """Return what a request that cannot be read means to its client."""
    return Refusal(status=400, code="invalid_request", message=str(error), param=error.param)


def refusal_of_turn(failure: TurnFailed) -> Refusal:
    """Return what a failed turn means to a client."""
    return _refusal(failure.code, failure.message, failure.retry_after_seconds)


def invalid(message: str, *, status: int = 400, code: str = "invalid_request") -> Refusal:
    """Return the refusal of what cannot work however often it is tried."""
    return Refusal(status=status, code=code, message=message)


def busy(message: str, seconds: float) -> Refusal:
    """Return the refusal of what can work a little later."""
    return Refusal(
        status=OVERLOADED,
        code=errors.OverloadedError.code,
        message=message,
        can_retry=True,
        retry_after_seconds=seconds,
    )


def _refusal(code: str, message: str, wait: float | None) -> Refusal:
    can_retry = code in _RETRIED
    return Refusal(
        status=_STATUSES.get(code, OVERLOADED if can_retry else 400),
        code=code,
        message=redact(message),
        can_retry=can_retry,
        retry_after_seconds=wait,
    )
