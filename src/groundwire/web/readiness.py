"""Whether a server should get requests now, and if not, why."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from groundwire.errors import StoreBusyError, StoreError
from groundwire.web.error_responses import WebError

if TYPE_CHECKING:
    from groundwire.cache.redis_connection import RedisConnection
    from groundwire.store import Store
    from groundwire.web.live_turns import LiveTurns


class Readiness:
    """Asks the database within a short limit, and never twice at once.

    What it says anybody may read, so it names no address.
    """

    def __init__(
        self,
        store: Store,
        live_turns: LiveTurns,
        *,
        limit_seconds: float,
        redis: RedisConnection | None = None,
    ) -> None:
        self._redis = redis
        self._store = store
        self._live_turns = live_turns
        self._limit_seconds = limit_seconds
        self._probe: asyncio.Task[WebError | None] | None = None

    async def check(self) -> None:
        """Return where all is well.

        Raises:
            WebError: The server is stopping, takes no more turns, or its database does not answer.
        """
        problem = self._live_turns.refusal() or await self._of_database()
        if problem is not None:
            raise problem

    @property
    def shared(self) -> str:
        """Return whether servers share what lives: "ok", "alone" without Redis, or what is wrong.

        A server whose Redis is gone is ready all the same: it answers, and keeps what it answers.
        """
        if self._redis is None:
            return "alone"
        return self._redis.problem or "ok"

    async def close(self) -> None:
        """Wait for nothing any more."""
        if self._probe is not None:
            self._probe.cancel()
            await asyncio.wait([self._probe])

    async def _of_database(self) -> WebError | None:
        # One that waits for its answer is waited for again: probes shall not crowd the database.
        probe = self._probe
        if probe is None or probe.done():
            probe = self._probe = asyncio.create_task(self._ping())
        # Not by the field: who comes right after its end begins the next one.
        done, _ = await asyncio.wait([probe], timeout=self._limit_seconds)
        if done:
            return probe.result()
        seconds = f"{self._limit_seconds:g}"
        return _unavailable(f"the database did not answer within {seconds} s: see the log")

    async def _ping(self) -> WebError | None:
        try:
            await self._store.ping()
        except StoreBusyError as error:
            return WebError(503, str(error), retry_after_seconds=error.retry_after_seconds)
        except StoreError as error:
            return _unavailable("the database does not answer: see the log", code=error.code)
        return None


def _unavailable(message: str, *, code: str = "store_unavailable") -> WebError:
    return WebError(503, message, code=code, retry_after_seconds=1)
