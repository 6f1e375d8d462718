"""How the cost grows with the work: each measure at 1, 10 and 100 times its size.

    python -m bench.growth [--only NAME …] [--quick] [--json]

Turns go through the whole program, from the provider's bytes to the answer in the store; chats go
through the server; libraries are of made-up documents in words as frequent as a language's. Of
each only one thing grows. The figure is CPU time, the least of some rounds that take turns; its
exponent is the steepest step between two sizes, and up to 1.1 counts as linear.
"""

from __future__ import annotations

import argparse
import asyncio
import json
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager
from dataclasses import dataclass
from typing import Any, TypeAlias

from bench.growth_library import adding, searching
from bench.growth_turns import Make, turns
from bench.relay import chats, cpu_seconds, process
from bench.slopes import exponent, verdict

ROUNDS = 2
SLOW = 20  # A pause of so many milliseconds after every hundred events.
CHATS_OF_A_ROUND = 500
FACTORS = (1, 10, 100)

Prepare: TypeAlias = Callable[[int], AbstractContextManager[Callable[[], float]]]
"""Makes ready for a size, and gives what returns the CPU seconds of one piece of work."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Axis:
    """One thing that grows; `of` is what the cost is of."""

    title: str
    of: str
    unit: str
    first: int
    prepare: Prepare


def _text(size: int) -> AbstractContextManager[Callable[[], float]]:
    return turns(Make(characters=size, citations=20, sources=5))


def _slow_text(size: int) -> AbstractContextManager[Callable[[], float]]:
    return turns(Make(characters=size, citations=20, sources=5, pause=SLOW))


def _citations(size: int) -> AbstractContextManager[Callable[[], float]]:
    return turns(Make(characters=500_000, citations=size, sources=5))


def _slow_citations(size: int) -> AbstractContextManager[Callable[[], float]]:
    return turns(Make(characters=100 * size, citations=size, sources=5, pause=SLOW))


def _sources(size: int) -> AbstractContextManager[Callable[[], float]]:
    return turns(Make(characters=100_000, citations=1_000, sources=size))


def _session(size: int) -> AbstractContextManager[Callable[[], float]]:
    return turns(Make(characters=2_000, citations=5, sources=5, messages=size))


@contextmanager
def _chats(size: int) -> Iterator[Callable[[], float]]:
    """Give what measures so many chats at once: CPU seconds of the server, for all of them."""
    with process("bench.relay", "--serve", "sandbox", "") as (_, sandbox):
        base_url = f"{sandbox['url']}/anthropic/v1"
        with process("bench.relay", "--serve", "ours", base_url) as (pid, said):
            asyncio.run(chats(said["url"], "ours", ["Hello"], search="off"))
            yield lambda: _cost_of_chats(pid, said["url"], size)


def _cost_of_chats(pid: int, url: str, size: int) -> float:
    # The system tells a process's time in hundredths of a second: few chats are asked often.
    times = max(1, CHATS_OF_A_ROUND // 10 // size)
    before = cpu_seconds(pid)
    for _ in range(times):
        replies = asyncio.run(chats(url, "ours", ["Tell me of otters at length"] * size))
        assert all("event: done" in lines for lines in replies), "not every chat came to its end"
    return (cpu_seconds(pid) - before) / times


AXES = {
    "text": Axis(
        title="Length of an answer", of="a turn", unit="characters", first=10_000, prepare=_text
    ),
    "slow-text": Axis(
        title="Length, saved as it grows",
        of="a turn",
        unit="characters",
        first=10_000,
        prepare=_slow_text,
    ),
    "citations": Axis(
        title="Citations in 500,000 characters",
        of="a turn",
        unit="citations",
        first=50,
        prepare=_citations,
    ),
    "slow-citations": Axis(
        title="Citations and text, saved as it grows",
        of="a turn",
        unit="citations",
        first=50,
        prepare=_slow_citations,
    ),
    "sources": Axis(
        title="Sources of 1,000 citations", of="a turn", unit="sources", first=10, prepare=_sources
    ),
    "session": Axis(
        title="Messages in the session before",
        of="the next turn",
        unit="messages",
        first=20,
        prepare=_session,
    ),
    "library-adding": Axis(
        title="Documents added to a library",
        of="adding all",
        unit="documents",
        first=100,
        prepare=adding,
    ),
    "library-searching": Axis(
        title="Documents in a library, searched",
        of="a query",
        unit="documents",
        first=100,
        prepare=searching,
    ),
    "chats": Axis(
        title="Chats at once on one server", of="all chats", unit="chats", first=5, prepare=_chats
    ),
}


def measure(axis: Axis, factors: tuple[int, ...], rounds: int) -> dict[str, Any]:
    """Return the sizes of an axis, the least CPU seconds of each, and how they grow."""
    sizes = [axis.first * factor for factor in factors]
    with ExitStack() as stack:
        works = [stack.enter_context(axis.prepare(size)) for size in sizes]
        costs = [[work() for work in works] for _ in range(rounds)]
    least = [min(of_size) for of_size in zip(*costs, strict=True)]
    slope = exponent(sizes, least)
    return {
        "title": axis.title,
        "of": axis.of,
        "unit": axis.unit,
        "sizes": sizes,
        "cpu_seconds": least,
        "exponent": slope,
        "verdict": verdict(slope),
    }


def show(figure: dict[str, Any]) -> None:
    costs = "  ".join(
        f"{size:,}: {cost * 1000:,.1f} ms"
        for size, cost in zip(figure["sizes"], figure["cpu_seconds"], strict=True)
    )
    print(f"{figure['title']:48} {costs}  ^{figure['exponent']:.2f}  {figure['verdict']}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--only", nargs="+", choices=AXES, default=list(AXES), metavar="NAME")
    parser.add_argument("--quick", action="store_true", help="1 and 10 times, one round")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    given = parser.parse_args()
    factors, rounds = (FACTORS[:2], 1) if given.quick else (FACTORS, ROUNDS)
    figures = {}
    for name in given.only:
        figures[name] = measure(AXES[name], factors, rounds)
        if not given.json:
            show(figures[name])
    if given.json:
        print(json.dumps(figures))


if __name__ == "__main__":
    main()
