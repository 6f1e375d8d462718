"""The time and chance: what differs from one run to the next, unless a recording fixes it.

Within `fixed` the clock stands still and every id follows from a seed, so that a turn can be run
again with the same result. The seed is secret as long as its turn runs: nobody who writes a page
can know the words that follow from it.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections import Counter
from collections.abc import Awaitable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field
from datetime import UTC, datetime
from hashlib import sha256
from typing import TypeVar
from uuid import uuid4

T = TypeVar("T")


@dataclass(slots=True)
class _Fixed:
    moment: datetime
    seed: str
    counts: Counter[str] = field(default_factory=Counter)

    def word(self, about: str) -> str:
        """Return the next word about something: the same each time the turn is run."""
        key = sha256(about.encode("utf-8", "replace")).hexdigest()
        self.counts[key] += 1
        return sha256(f"{self.seed}:{key}:{self.counts[key]}".encode()).hexdigest()


_FIXED: ContextVar[_Fixed | None] = ContextVar("fixed", default=None)


@contextmanager
def fixed(moment: datetime, seed: str) -> Iterator[None]:
    """Have the clock stand still, and chance follow from a seed, for all that runs in here."""
    token = _FIXED.set(_Fixed(moment, seed))
    try:
        yield
    finally:
        _FIXED.reset(token)


def now() -> datetime:
    """Return the time: UTC, to the microsecond."""
    run = _FIXED.get()
    return datetime.now(UTC) if run is None else run.moment


def new_id() -> str:
    """Return a fresh id."""
    run = _FIXED.get()
    return uuid4().hex if run is None else run.word("id")[:32]


def secret_word(length: int, about: str) -> str:
    """Return hexadecimal digits, two for each of so many bytes, that nobody can guess."""
    run = _FIXED.get()
    return secrets.token_hex(length) if run is None else run.word(about)[: 2 * length]


def finishing(tasks: Sequence[asyncio.Task[T]]) -> Iterable[Awaitable[T]]:
    """Return tasks as they finish; where chance is fixed, in their own order."""
    return tasks if _FIXED.get() else asyncio.as_completed(tasks)


def seconds_since(began: float) -> float:
    """Return how long ago a reading of `time.monotonic` was; where the clock stands still, 0."""
    return 0.0 if _FIXED.get() else round(time.monotonic() - began, 3)
