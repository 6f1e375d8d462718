"""Every case by name: a fault or a family of faults, and what is promised about it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from torture.stage import Stage

GROUPS = (
    "provider",
    "network",
    "readers",
    "clients",
    "gateway",
    "evidence",
    "members",
    "storage",
    "kills",
    "load",
    "traffic",
    "cluster",
)

Run = Callable[["Stage"], Awaitable[None]]


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One row of the report."""

    name: str
    promise: str
    run: Run


_CASES: dict[str, Case] = {}


def case(name: str, promise: str) -> Callable[[Run], Run]:
    """Enter a function as a case."""

    def enter(run: Run) -> Run:
        _CASES[name] = Case(name=name, promise=promise, run=run)
        return run

    return enter


def cases(only: Sequence[str] = ()) -> list[Case]:
    """Return the cases in order, all or those that are named.

    Raises:
        SystemExit: There is none of a name.
    """
    for group in GROUPS:
        import_module(f"torture.cases.{group}")
    if unknown := [name for name in only if name not in _CASES]:
        raise SystemExit(f"no case {', '.join(unknown)}; there are: {', '.join(_CASES)}")
    return [each for name, each in _CASES.items() if not only or name in only]
