"""How often somebody may try to sign in."""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundwire.web.attempt_counts import NoAttemptCounts

if TYPE_CHECKING:
    from groundwire.web.attempt_counts import AttemptCount, AttemptCounts

MOST_KNOWN = 10_000
SLOWEST_SECONDS = 5.0
_FORGOTTEN_SECONDS = 900.0


@dataclass(frozen=True, slots=True)
class _Failures:
    """How many there were, and until when one has to wait."""

    count: int
    until: float


class Attempts:
    """Counts failures by key; after some, each further one has to wait longer.

    Kept in memory: what a process forgets at a restart was a few guesses.
    """

    def __init__(
        self,
        *,
        free: int = 5,
        first_wait_seconds: float = 1.0,
        longest_wait_seconds: float = 900.0,
        forgotten_seconds: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._free = free
        self._first_wait = first_wait_seconds
        self._longest_wait = longest_wait_seconds
        self._forgotten = forgotten_seconds or longest_wait_seconds
        self._clock = clock
        self._failures: OrderedDict[str, _Failures] = OrderedDict()

    def wait_seconds(self, key: str) -> float:
        """Return how long somebody has to wait before they may try again, 0 for not at all."""
        known = self._failures.get(key)
        return max(0.0, known.until - self._clock()) if known else 0.0

    def failed(self, key: str) -> None:
        """Note that an attempt was in vain."""
        self._set(key, self._count(key) + 1)
        while len(self._failures) > MOST_KNOWN:
            self._failures.popitem(last=False)

    def learn(self, key: str, known: AttemptCount) -> None:
        """Take over what all servers counted, where that is more than this one knows."""
        if known.count > self._count(key):
            self._set(key, known.count, known.ago_seconds)

    def _set(self, key: str, count: int, ago_seconds: float = 0.0) -> None:
        # So that it stays a number however long somebody goes on.
        over = min(64, count - self._free)
        wait = min(self._longest_wait, self._first_wait * 2 ** (over - 1)) if over > 0 else 0.0
        self._failures[key] = _Failures(count, self._clock() + wait - ago_seconds)
        self._failures.move_to_end(key)

    def succeeded(self, key: str) -> None:
        """Forget the failures."""
        self._failures.pop(key, None)

    def _count(self, key: str) -> int:
        known = self._failures.get(key)
        # Whoever stays away for long begins anew.
        if known is None or self._clock() - known.until > self._forgotten:
            return 0
        return known.count


@dataclass(frozen=True, slots=True, kw_only=True)
class LoginAttempt:
    """An attempt to sign in.

    `browser` is what is kept of a browser that the user signed in with before, "" for any other.
    """

    name: str
    address: str
    browser: str = ""


class LoginLimits:
    """Whom an attempt to sign in has to wait for.

    A pair of name and address is refused for longer and longer. An address alone, or a name alone,
    is only slowed down, and that late and by little: else one attacker would lock out everybody
    behind his address, and many could lock out one user. A browser that its user signed in with
    before has a budget of its own, which nobody elsewhere can use up.
    """

    def __init__(
        self, clock: Callable[[], float] = time.monotonic, shared: AttemptCounts | None = None
    ) -> None:
        self._shared = shared or NoAttemptCounts()
        self._pairs = Attempts(clock=clock)
        self._browsers = Attempts(clock=clock)
        self._addresses = _slowing(free=50, clock=clock)
        self._names = _slowing(free=100, clock=clock)

    async def hear(self, login: LoginAttempt) -> None:
        """Take over what other servers counted for an attempt."""
        counted = self._counted(login)
        names = [f"{kind} {key}" for kind, _, key in counted]
        known = await self._shared.read(names)
        for (_, attempts, key), each in zip(counted, known, strict=False):
            attempts.learn(key, each)

    async def tell(self, login: LoginAttempt) -> None:
        """Let other servers count an attempt that was begun here."""
        await self._shared.add([f"{kind} {key}" for kind, _, key in self._counted(login)])

    async def tell_success(self, login: LoginAttempt) -> None:
        """Let other servers forget the failures that `succeeded` forgets."""
        kind, _, key = self._counted(login)[0]
        await self._shared.forget([f"{kind} {key}"])

    def _counted(self, login: LoginAttempt) -> list[tuple[str, Attempts, str]]:
        """Return by what an attempt is counted; the first is what a success clears."""
        if login.browser:
            return [("browser", self._browsers, login.browser)]
        return [
            ("pair", self._pairs, _pair(login)),
            ("address", self._addresses, login.address),
            ("name", self._names, login.name),
        ]

    def refused_seconds(self, login: LoginAttempt) -> float:
        """Return for how long an attempt is refused, 0 for not at all."""
        if login.browser:
            return self._browsers.wait_seconds(login.browser)
        return self._pairs.wait_seconds(_pair(login))

    def slowed_seconds(self, login: LoginAttempt) -> float:
        """Return how long an attempt is held up before it is looked at."""
        if login.browser:
            return 0.0
        return max(
            self._addresses.wait_seconds(login.address), self._names.wait_seconds(login.name)
        )

    def begun(self, login: LoginAttempt) -> None:
        """Count an attempt before its end is known, so that many at once are no way around."""
        if login.browser:
            self._browsers.failed(login.browser)
            return
        self._pairs.failed(_pair(login))
        self._addresses.failed(login.address)
        self._names.failed(login.name)

    def succeeded(self, login: LoginAttempt) -> None:
        """Forget the failures of the pair or the browser.

        Not those of the address or the name: an attacker may have a password of his own.
        """
        if login.browser:
            self._browsers.succeeded(login.browser)
        else:
            self._pairs.succeeded(_pair(login))


def _slowing(*, free: int, clock: Callable[[], float]) -> Attempts:
    return Attempts(
        free=free,
        first_wait_seconds=0.25,
        longest_wait_seconds=SLOWEST_SECONDS,
        forgotten_seconds=_FORGOTTEN_SECONDS,
        clock=clock,
    )


def _pair(login: LoginAttempt) -> str:
    return f"{login.address} {login.name}"
