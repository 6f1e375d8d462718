"""What was counted in each case, and the one table of it all."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

COLUMNS = ("tried", "survived", "lost", "wrong", "leaked", "tasks", "connections")
MOST_PROBLEMS = 20
HEADINGS = {
    "tried": "tried",
    "survived": "survived",
    "lost": "lost messages",
    "wrong": "wrong markers",
    "leaked": "leaked keys",
    "tasks": "tasks left",
    "connections": "connections left",
}


class BrokenPromiseError(Exception):
    """Something is not as it was promised."""


class SkippedError(Exception):
    """A case cannot be run here, and why."""


def expect(is_so: object, otherwise: str) -> None:
    """Go on if a promise is kept.

    Raises:
        BrokenPromiseError: It is not.
    """
    if not is_so:
        raise BrokenPromiseError(otherwise)


@dataclass(slots=True, kw_only=True)
class Tally:
    """The counts of one case. It grows while the case runs."""

    name: str
    tried: int = 0
    survived: int = 0
    lost: int = 0
    wrong: int = 0
    leaked: int = 0
    tasks: int = 0
    connections: int = 0
    seconds: float = 0.0
    skipped: str = ""
    problems: list[str] = field(default_factory=list)
    figures: dict[str, float] = field(default_factory=dict)

    @contextmanager
    def fault(self, label: str) -> Iterator[None]:
        """Count one fault: it is survived if nothing is raised."""
        self.tried += 1
        try:
            yield
        except (KeyboardInterrupt, SkippedError):
            raise
        except Exception as error:  # noqa: BLE001 - whatever breaks here is the finding
            self.problems.append(f"{label}: {_words(error)}")
        else:
            self.survived += 1

    @property
    def is_good(self) -> bool:
        """Return whether every promise was kept."""
        left = self.lost or self.wrong or self.leaked or self.tasks or self.connections
        return not (left or self.problems) and self.tried == self.survived


def _words(error: Exception) -> str:
    if isinstance(error, BrokenPromiseError):
        return str(error)
    return f"{type(error).__name__}: {error}"


def total(tallies: Sequence[Tally]) -> Tally:
    """Return the sum of all cases."""
    whole = Tally(name="all", seconds=sum(each.seconds for each in tallies))
    for column in COLUMNS:
        setattr(whole, column, sum(getattr(each, column) for each in tallies))
    return whole


def table(tallies: Sequence[Tally]) -> str:
    """Return the report for people, in Markdown."""
    heads = ["fault", *HEADINGS.values(), "seconds"]
    rows = [heads, ["---"] + ["---:"] * (len(heads) - 1)]
    rows += [_row(each) for each in (*(t for t in tallies if not t.skipped), total(tallies))]
    lines = [f"| {' | '.join(row)} |" for row in rows]
    for each in tallies:
        if each.skipped:
            lines.append(f"\nskipped: {each.name}: {each.skipped}")
        if each.figures:
            told = ", ".join(f"{name} {value:g}" for name, value in each.figures.items())
            lines.append(f"\n{each.name}: {told}")
        lines += [
            f"\nBROKEN {each.name}: {problem}" + (f" ({times} ×)" if times > 1 else "")
            for problem, times in Counter(each.problems).most_common(MOST_PROBLEMS)
        ]
    return "\n".join(lines)


def _row(tally: Tally) -> list[str]:
    counts = [str(getattr(tally, column)) for column in COLUMNS]
    return [tally.name, *counts, f"{tally.seconds:.0f}"]


def as_json(tallies: Sequence[Tally]) -> dict[str, Any]:
    """Return the report for programs."""
    return {
        "cases": {each.name: _counts(each) for each in tallies},
        "total": _counts(total(tallies)),
        "is_good": all(each.is_good for each in tallies),
    }


def _counts(tally: Tally) -> dict[str, Any]:
    counts = {column: getattr(tally, column) for column in (*COLUMNS, "seconds")}
    more = {"skipped": tally.skipped, "problems": tally.problems, "figures": tally.figures}
    return {**counts, **{name: value for name, value in more.items() if value}}


def progress(words: str) -> None:
    """Say on the error output how far it is."""
    print(words, file=sys.stderr, flush=True)
