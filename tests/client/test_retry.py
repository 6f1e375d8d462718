"""Which failures are worth another try, and when."""

from __future__ import annotations

import pytest

from groundwire.client.retry import delay_before_retry, is_passing
from groundwire.errors import (
    AuthError,
    ConnectError,
    GroundwireError,
    OverloadedError,
    RateLimitError,
    TimedOutError,
    TruncatedError,
)

FULL = OverloadedError("acme", "it is full", status=503)


@pytest.mark.parametrize(
    ("error", "passes"),
    [
        (TimedOutError("acme", "connect", 5), True),
        (TimedOutError("acme", "reply", 5), False),
        (TimedOutError("acme", "total", 5), False),
        (ConnectError("acme", "refused"), True),
        (FULL, True),
        (RateLimitError("acme", "slow", status=429), True),
        (AuthError("acme", "no", status=401), False),
        (TruncatedError("acme", "cut"), False),
    ],
)
def test_a_request_that_may_have_been_answered_is_not_made_twice(
    error: GroundwireError, *, passes: bool
) -> None:
    assert is_passing(error) is passes
    assert (delay_before_retry(error, 0) is not None) is passes


@pytest.mark.parametrize(("attempt", "longest"), [(0, 0.5), (1, 1), (2, 2), (4, 8), (5, 8)])
def test_pauses_grow_up_to_eight_seconds(attempt: int, longest: float) -> None:
    delays = [delay_before_retry(FULL, attempt) or 0 for _ in range(200)]

    assert 0.75 * longest <= min(delays) < max(delays) <= longest


@pytest.mark.parametrize(
    ("asked", "delay"), [(0.0, 0.0), (7.0, 7.0), (60.0, 60.0), (60.5, None), (3600.0, None)]
)
def test_a_service_is_waited_for_as_it_asks_up_to_a_minute(
    asked: float, delay: float | None
) -> None:
    error = RateLimitError("acme", "slow", status=429, retry_after_seconds=asked)

    assert delay_before_retry(error, 3) == delay


def test_the_services_own_word_on_another_try_wins() -> None:
    assert delay_before_retry(FULL, 0, should_retry=False) is None
    assert delay_before_retry(AuthError("acme", "no", status=401), 0, should_retry=True) is not None
