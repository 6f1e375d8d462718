"""A search that gives no results, for one of two very different reasons."""

from __future__ import annotations

from dataclasses import dataclass

from groundwire.errors.root import GroundwireError


class SearchError(GroundwireError):
    """A search that gives no results, for one of two very different reasons."""

    code = "search"


class NothingFoundError(SearchError):
    """The search worked, and there is nothing."""

    code = "nothing_found"

    def __init__(self, query: str) -> None:
        super().__init__(f"nothing was found for {query!r}: try other or fewer words")
        self.query = query


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One service that was asked in vain, and why it could not answer."""

    service: str
    code: str
    reason: str


class SearchFailedError(SearchError):
    """No service could be searched; each one's reason is in `attempts`."""

    code = "search_failed"

    def __init__(self, query: str, attempts: tuple[Attempt, ...]) -> None:
        reasons = "; ".join(attempt.reason for attempt in attempts)
        super().__init__(f"the search for {query!r} failed: {reasons}")
        self.query = query
        self.attempts = attempts
