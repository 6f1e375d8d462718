"""Retry policy: which failures are retried, and after which delay. The loop is in `client.py`."""

from __future__ import annotations

import random

from groundwire.errors import (
    ConnectError,
    GroundwireError,
    OverloadedError,
    RateLimitError,
    ServiceError,
    TimedOutError,
)

FIRST_DELAY_SECONDS = 0.5
LONGEST_DELAY_SECONDS = 8.0
LONGEST_WAIT_ASKED_SECONDS = 60.0


def delay_before_retry(
    error: GroundwireError,
    attempt: int,
    *,
    should_retry: bool | None = None,
) -> float | None:
    """Return how many seconds to wait before asking again, None if asking again is wrong.

    `attempt` counts from 0. `should_retry` is the service's own word on it, which wins.
    """
    if should_retry is False or not (should_retry or is_passing(error)):
        return None
    asked = error.retry_after_seconds if isinstance(error, ServiceError) else None
    if asked is not None:
        return asked if asked <= LONGEST_WAIT_ASKED_SECONDS else None
    delay = min(FIRST_DELAY_SECONDS * 2.0**attempt, LONGEST_DELAY_SECONDS)
    jitter = random.random()  # noqa: S311 - it keeps callers apart, and no secret
    return float(delay * (1 - 0.25 * jitter))


def is_passing(error: GroundwireError) -> bool:
    """Tell whether the same request may well succeed a moment later."""
    if isinstance(error, TimedOutError):
        return error.phase == "connect"
    return isinstance(error, ConnectError | OverloadedError | RateLimitError)
