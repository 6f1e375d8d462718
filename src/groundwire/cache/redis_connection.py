"""One connection pool to Redis, whose loss is a state and never an error."""

from __future__ import annotations

import asyncio
import logging
import time
from collections.abc import Awaitable, Callable
from typing import Any, TypeAlias, TypeVar
from urllib.parse import urlsplit

from groundwire.errors import NotInstalledError, SettingsError
from groundwire.redaction import Secret, redact
from groundwire.system.closeable import AsyncCloseable

T = TypeVar("T")
Redis: TypeAlias = Any  # The library's types allow every reply to be what it never is.

ANSWER_SECONDS = 4.0
"""How long Redis may take: it is asked for what is small and lives in memory."""

RETRY_SECONDS = 1.0
PREFIX = "groundwire:"
_LOG = logging.getLogger(__name__)


class RedisConnection(AsyncCloseable):
    """Asks Redis, and says whether it answers.

    `problem` is why it does not, "" while it does; the address is not in it.
    """

    def __init__(self, url: str) -> None:
        self.problem = ""
        self._secret = Secret(urlsplit(url).password or "")
        self._address = address_shown(url)
        self._asked_again_at = 0.0
        self._redis = _open(url)

    def __repr__(self) -> str:
        return f"RedisConnection({self._address})"

    @property
    def is_up(self) -> bool:
        """Return whether it answered when it was last asked."""
        return not self.problem

    async def ask(self, work: Callable[[Redis], Awaitable[T]], otherwise: T) -> T:
        """Return what Redis answers, `otherwise` where it does not.

        After a failure it is left alone for a second, so that nobody waits for it in vain.
        """
        if self.problem and time.monotonic() < self._asked_again_at:
            return otherwise
        failures = _failures()
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                answer = await work(self._redis)
        except failures as error:
            self._lost(error)
            return otherwise
        if self.problem:
            _LOG.warning("Redis answers again: what servers share is shared again")
            self.problem = ""
        return answer

    async def ping(self) -> str:
        """Return what is wrong with Redis now, "" if nothing is."""
        self._asked_again_at = 0.0
        await self.ask(lambda redis: redis.ping(), None)
        return self.problem

    async def close(self) -> None:
        """Close every connection."""
        await self._redis.aclose()

    def _lost(self, error: BaseException) -> None:
        said = redact(str(error), [self._secret]) or type(error).__name__
        if not self.problem:
            _LOG.warning("Redis at %s does not answer, nothing is shared: %s", self._address, said)
        self.problem = "Redis does not answer"
        self._asked_again_at = time.monotonic() + RETRY_SECONDS


def redis_connection(url: str) -> RedisConnection | None:
    """Return a connection for a URL, None for "": nothing of Redis is imported then.

    Raises:
        SettingsError: It is no URL of Redis.
        NotInstalledError: The package is missing.
    """
    return RedisConnection(url) if url else None


def address_shown(url: str) -> str:
    """Return host, port and number of a URL, without user and password."""
    try:
        parts = urlsplit(url)
        place = f"{parts.hostname or 'localhost'}:{parts.port or 6379}"
    except ValueError:
        return "an invalid address"
    return place + parts.path


def _open(url: str) -> Redis:
    try:
        from redis.asyncio import Redis as Client  # noqa: PLC0415 - only where a URL is set
        from redis.asyncio.retry import Retry  # noqa: PLC0415
        from redis.backoff import NoBackoff  # noqa: PLC0415
    except ImportError:
        fix = "pip install 'groundwire[redis]', or remove redis.url from the settings"
        raise NotInstalledError("redis.url", "the package redis", fix) from None
    # One more time at once: the server may have closed a connection that waited.
    retry = Retry(NoBackoff(), 1)
    try:
        return Client.from_url(url, socket_connect_timeout=ANSWER_SECONDS, retry=retry)
    except ValueError:
        # The library's words repeat the URL, which may have a password.
        expected = "expected redis://HOST:PORT/NUMBER, or rediss:// with TLS"
        raise SettingsError("redis.url", expected) from None


def _failures() -> tuple[type[Exception], ...]:
    from redis.exceptions import RedisError  # noqa: PLC0415 - as above

    return (RedisError, OSError, TimeoutError)


def key(kind: str, name: str = "") -> str:
    """Return the name of something in Redis, where others may keep things too."""
    return f"{PREFIX}{kind}:{name}" if name else f"{PREFIX}{kind}"
