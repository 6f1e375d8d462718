"""A search that gives no results, for one of two very different reasons; a page nobody can read."""

from __future__ import annotations

from dataclasses import dataclass, field

from groundwire.errors.root import GroundwireError, OwnWordsError


class SearchError(GroundwireError):
    """A search that gives no results, for one of two very different reasons."""

    code = "search"


class NothingFoundError(OwnWordsError, SearchError):
    """The search worked, and there is nothing."""

    code = "nothing_found"

    def __init__(self, query: str) -> None:
        super().__init__(f"nothing was found for {query!r}: try other or fewer words")
        self.query = query


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One service that was asked in vain, and why it could not answer.

    `ours` and `quoted` are the reason as a model may be told it: see GroundwireError. Where
    nobody says, all of the reason is quoted.
    """

    service: str
    code: str
    reason: str
    ours: str = field(default="", compare=False, repr=False)
    quoted: str | None = field(default=None, compare=False, repr=False)

    @property
    def strangers(self) -> str:
        """Return what of the reason may be a stranger's, "" if nothing."""
        return self.reason if self.quoted is None else self.quoted

    @property
    def known(self) -> str:
        """Return which service it was, and what we say about it."""
        if self.service in self.ours:
            return self.ours
        return f"{self.service}: {self.ours}" if self.ours else f"{self.service} failed"


class SearchFailedError(SearchError):
    """No service could be searched; each one's reason is in `attempts`."""

    code = "search_failed"

    def __init__(self, query: str, attempts: tuple[Attempt, ...], *, fix: str = "") -> None:
        reasons = "; ".join(attempt.reason for attempt in attempts)
        super().__init__(f"the search for {query!r} failed: {reasons}{fix and f'; {fix}'}")
        self.query = query
        self.attempts = attempts

    @property
    def ours(self) -> str:
        """Return which services failed, and what to do about each."""
        return f"the search for {self.query!r} failed: {_known(self.attempts)}"

    @property
    def quoted(self) -> str:
        """Return the services' own reasons."""
        return _quoted(self.attempts)


class ReadFailedError(GroundwireError):
    """No reader could read a page; each one's reason is in `attempts`."""

    code = "read_failed"

    def __init__(self, url: str, attempts: tuple[Attempt, ...]) -> None:
        reasons = "; ".join(f"{attempt.service}: {attempt.reason}" for attempt in attempts)
        super().__init__(f"{url!r} could not be read: {reasons}")
        self.url = url
        self.attempts = attempts

    @property
    def ours(self) -> str:
        """Return which readers failed, and what to do about each."""
        return f"the page could not be read: {_known(self.attempts)}"

    @property
    def quoted(self) -> str:
        """Return the URL, which may be a stranger's, and the readers' own reasons."""
        return "; ".join(filter(None, [self.url, _quoted(self.attempts)]))


def _known(attempts: tuple[Attempt, ...]) -> str:
    return "; ".join(attempt.known for attempt in attempts)


def _quoted(attempts: tuple[Attempt, ...]) -> str:
    said = ((each.service, each.strangers) for each in attempts)
    return "; ".join(f"{service}: {words}" for service, words in said if words)
