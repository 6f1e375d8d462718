"""What it costs to place markers: ten times the text and citations, how many times the CPU.

    python -m bench.citations [--quick] [--json]

Texts of 100 kB with 1,000 citations and of 1 MB with 10,000, of several kinds: prose, prose
without one ASCII letter, the links that OpenAI writes, and what is worst for a scanner. Each is
placed as a whole and as a stream of four characters at a time. The figure is CPU time, the
least of several rounds that take turns; what is worse than linear (see `bench.slopes`) fails. The
small text is placed ten times in a round, so that both figures are from stretches of the same
length and a busy machine disturbs them alike.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections.abc import Callable
from itertools import product

from bench.slopes import MOST, exponent
from groundwire.citations import Marked, MarkerStream, place
from groundwire.model import Citation

SMALL = 100_000
FACTOR = 10
CHARACTERS_PER_CITATION = 100
ROUNDS = {"whole": 4, "stream": 2}

TEXTS: dict[str, str] = {
    "prose": "The otter holds hands while it sleeps, `so` they say. It eats urchins.\n\n",
    "not ASCII": "海獺在睡覺時手牽手，這樣牠們就不會漂走。牠們吃海膽和貝類👩‍🔬。",
    "links": "A claim. ([example.org](https://example.org/a?utm_source=openai)) More words.\n",
    "brackets": "[ [[ ]( [1 [2] ",
    "backticks": "` `` ``` a",
    "marks": "e\u0301\u0302\u0303",
}


def answer(kind: str, length: int) -> tuple[str, list[Citation]]:
    """Return a text of this length and its citations."""
    sample = TEXTS[kind]
    text = (sample * (length // len(sample) + 1))[:length]
    ends = range(CHARACTERS_PER_CITATION, length + 1, CHARACTERS_PER_CITATION)
    return text, [
        Citation(url=f"https://example.org/{end % 7919}", start=end - 60, end=end) for end in ends
    ]


def streamed(text: str, citations: list[Citation]) -> Marked:
    """Place markers as a provider that cites each passage after its words makes us."""
    stream = MarkerStream()
    waiting = iter(citations)
    following = next(waiting, None)
    for at in range(0, len(text), 4):
        stream.feed(text[at : at + 4])
        while following is not None and (following.end or 0) <= at + 4:
            stream.cite([following])
            following = next(waiting, None)
    return stream.finish().marked


WAYS: dict[str, Callable[[str, list[Citation]], Marked]] = {"whole": place, "stream": streamed}


def seconds(way: str, kind: str, length: int, times: int) -> float:
    """Return the CPU time of placing one text, the mean of so many times."""
    text, citations = answer(kind, length)
    started = time.process_time()
    for _ in range(times):
        marked = WAYS[way](text, citations)
        assert marked.unmark() == text
    return (time.process_time() - started) / times


def costs(way: str, kind: str, *, small: int, rounds: int) -> tuple[float, float]:
    """Return the least cost of the small and the large text, in rounds that take turns."""
    large = small * FACTOR
    figures = [
        (seconds(way, kind, small, FACTOR), seconds(way, kind, large, 1)) for _ in range(rounds)
    ]
    return min(cost for cost, _ in figures), min(cost for _, cost in figures)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="a tenth of the text, one round")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    options = parser.parse_args()
    figures = {}
    is_linear = True
    for way, kind in product(WAYS, TEXTS):
        if options.quick:
            small, large = costs(way, kind, small=SMALL // 10, rounds=1)
        else:
            small, large = costs(way, kind, small=SMALL, rounds=ROUNDS[way])
        is_linear &= exponent((1, FACTOR), (small, large)) <= MOST
        figures[f"{way}, {kind}"] = {"small": small, "large": large, "ratio": large / small}
        if not options.json:
            print(f"{way:7} {kind:10} {large:7.3f} s  {large / small:6.2f} ×", flush=True)
    if options.json:
        print(json.dumps(figures))
    if not is_linear:
        sys.exit(f"{FACTOR} times the work costs more than {FACTOR**MOST:.1f} times the CPU")


if __name__ == "__main__":
    main()
