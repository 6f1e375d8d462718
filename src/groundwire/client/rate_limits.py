"""Rate limits and circuit breaker: concurrency, delays, and waits that a service asks for."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from math import inf, nan
from typing import TYPE_CHECKING

from groundwire.client.gate_states import GateState, NoGateStates
from groundwire.config.settings import RateLimitSettings
from groundwire.errors import (
    BadReplyError,
    GroundwireError,
    NetworkError,
    OverloadedError,
    RateLimitError,
    ServiceError,
    SettingsError,
)
from groundwire.text.plural import plural

if TYPE_CHECKING:
    from groundwire.client.gate_states import GateStates
    from groundwire.guard import WebUrl
    from groundwire.wire.contract import Endpoint

LONGEST_WAIT_SECONDS = 86_400
MAX_GATES = 1000
_FORGOTTEN_SECONDS = 1.0  # more than two clocks differ over one request


@dataclass(frozen=True, slots=True, kw_only=True)
class Time:
    """Where time comes from: `clock` never jumps, `now` is only shown to people."""

    clock: Callable[[], float] = time.monotonic
    now: Callable[[], datetime] = lambda: datetime.now(UTC)
    pause: Callable[[float], Awaitable[None]] = asyncio.sleep


class ServiceGate:
    """Limits the requests to one service or host.

    After `failures` failures in a row it closes for `cooldown_seconds`; then one request may try,
    and the others wait for what becomes of it. A wait that a service asks for closes it too.
    """

    def __init__(
        self,
        name: str,
        limits: RateLimitSettings,
        *,
        concurrency: int,
        delay_seconds: float,
        time: Time,
        shared: GateStates,
        key: str,
    ) -> None:
        self.name = name
        self._shared = shared
        self._key = key
        self._told = GateState()
        self._limits = limits
        self._delay_seconds = delay_seconds
        self._time = time
        self._places = asyncio.Semaphore(concurrency)
        self._inside = 0
        self._next_at = -inf
        self._failures = 0
        self._reason = ""
        self._closed_until = -inf
        self._wait_until = -inf
        self._is_probing = False

    @property
    def is_idle(self) -> bool:
        """Tell whether forgetting this gate would change nothing."""
        latest = max(self._next_at, self._wait_until)
        return not self._inside and not self._failures and latest <= self._time.clock()

    @asynccontextmanager
    async def turn(self, patience_seconds: float | None = None) -> AsyncIterator[None]:
        """Wait for a turn and learn from what happens in it.

        Raises:
            RateLimitError: The service asked us to wait, or too many wait for their turn.
            OverloadedError: It failed too often to be asked now.
        """
        await self._ask_others()
        self._refuse_if_closed()
        self._inside += 1
        try:
            async with self._places:
                await self._space_out(patience_seconds)
                self._refuse_if_closed()
                async with self._learning():
                    yield
        finally:
            self._inside -= 1
            await self._tell_others()

    async def _ask_others(self) -> None:
        """Take over what other servers learnt of this service."""
        if known := await self._shared.read(self._key):
            now = self._time.clock()
            self._failures, self._reason = known.failures, known.reason or self._reason
            self._closed_until = now + known.closed_seconds
            is_forgotten = self._wait_until > now + known.wait_seconds + _FORGOTTEN_SECONDS
            # A wait that a service asked for ends by time alone, also where Redis began anew.
            self._wait_until = max(self._wait_until, now + known.wait_seconds)
            self._told = self._state()
            if is_forgotten:
                await self._shared.write(self._key, self._told)

    async def _tell_others(self) -> None:
        """Tell other servers what was learnt here, where something was."""
        state = self._state()
        if (state.failures, state.reason) != (self._told.failures, self._told.reason) or (
            state.wait_seconds > self._told.wait_seconds
        ):
            self._told = state
            await self._shared.write(self._key, state)

    def _state(self) -> GateState:
        now = self._time.clock()
        return GateState(
            failures=self._failures,
            reason=self._reason,
            closed_seconds=max(0.0, self._closed_until - now),
            wait_seconds=max(0.0, self._wait_until - now),
        )

    @asynccontextmanager
    async def _learning(self) -> AsyncIterator[None]:
        is_probe = self._failures >= self._limits.failures
        self._is_probing = self._is_probing or is_probe
        try:
            yield
        except GroundwireError as error:
            self.learn(error)
            raise
        else:
            self._failures = 0
        finally:
            if is_probe:
                self._is_probing = False

    def learn(self, error: GroundwireError) -> None:
        """Count a failure of the service; what it refuses because of us shows that it works."""
        now = self._time.clock()
        if isinstance(error, ServiceError) and error.retry_after_seconds:
            wait = min(error.retry_after_seconds, LONGEST_WAIT_SECONDS)
            self._wait_until = max(self._wait_until, now + wait)
            self._reason = error.reason
        if not isinstance(error, BadReplyError | NetworkError | OverloadedError | RateLimitError):
            self._failures = 0
            return
        self._failures += 1
        self._reason = error.reason if isinstance(error, ServiceError) else str(error)
        if self._failures >= self._limits.failures:
            self._closed_until = now + self._limits.cooldown_seconds

    async def _space_out(self, patience_seconds: float | None) -> None:
        if not self._delay_seconds:
            return
        now = self._time.clock()
        slot = await self._shared.reserve(self._key, self._delay_seconds, patience_seconds)
        wait = slot.wait_seconds if slot else max(0.0, self._next_at - now)
        if patience_seconds is not None and wait > patience_seconds:
            raise RateLimitError(
                self.name,
                f"too many requests wait for it, one every {self._delay_seconds:g} s",
                retry_after_seconds=wait,
            )
        self._next_at = now + wait + self._delay_seconds
        if wait:
            await self._time.pause(wait)

    def _refuse_if_closed(self) -> None:
        now = self._time.clock()
        if (wait := self._wait_until - now) > 0:
            raise RateLimitError(
                self.name,
                f"it asked us to wait ({self._reason}); it is asked again {self._when(wait)}",
                retry_after_seconds=wait,
            )
        if self._failures < self._limits.failures:
            return
        failed = f"it failed {plural(self._failures, 'time')} in a row ({self._reason})"
        if (wait := self._closed_until - now) > 0:
            raise OverloadedError(
                self.name,
                f"{failed}; it is asked again {self._when(wait)}",
                retry_after_seconds=wait,
            )
        if self._is_probing:
            raise OverloadedError(self.name, f"{failed}; one request is trying it now")

    def _when(self, wait: float) -> str:
        until = self._time.now() + timedelta(seconds=wait)
        return f"in {wait:.0f} s, at {until:%H:%M:%S} UTC"


class RateLimits:
    """All gates: one for each service and each host."""

    def __init__(
        self,
        limits: RateLimitSettings | None = None,
        *,
        time: Time | None = None,
        shared: GateStates | None = None,
    ) -> None:
        self._shared = shared or NoGateStates()
        self._limits = limits or RateLimitSettings()
        self._time = time or Time()
        self._gates: dict[tuple[str, str], ServiceGate] = {}

    def service(self, endpoint: Endpoint) -> ServiceGate:
        """Return the gate of a search or read service."""
        access = endpoint.access
        written = access.options.get("delay_seconds", endpoint.provider.delay_seconds)
        return self._gate(
            (endpoint.name, access.base_url),
            concurrency=self._limits.service_concurrency,
            delay_seconds=_seconds(endpoint.name, written),
        )

    def host(self, host: str) -> ServiceGate:
        """Return the gate of a host whose pages are opened."""
        return self._gate(
            (host, ""),
            concurrency=self._limits.host_concurrency,
            delay_seconds=self._limits.host_delay_seconds,
        )

    def page(self, url: WebUrl) -> AbstractAsyncContextManager[None]:
        """Wait for a turn at a page's host: a way to enter for `Client.fetch_page`."""
        return self.host(url.host).turn()

    def _gate(self, key: tuple[str, str], *, concurrency: int, delay_seconds: float) -> ServiceGate:
        if key not in self._gates:
            if len(self._gates) >= MAX_GATES:
                self._gates = {key: gate for key, gate in self._gates.items() if not gate.is_idle}
            self._gates[key] = ServiceGate(
                key[0],
                self._limits,
                concurrency=concurrency,
                delay_seconds=delay_seconds,
                time=self._time,
                shared=self._shared,
                key=" ".join(key).strip(),
            )
        return self._gates[key]


def _seconds(name: str, written: object) -> float:
    # A variable of the environment is always text.
    try:
        seconds = float(str(written))
    except ValueError:
        seconds = nan
    if not 0 <= seconds <= LONGEST_WAIT_SECONDS:
        where = f"providers.{name}.options.delay_seconds"
        raise SettingsError(where, "expected seconds, such as 1.5")
    return seconds
