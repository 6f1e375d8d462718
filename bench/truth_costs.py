"""What a page and a claim cost, at four sizes, and what hostile pages do to that."""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from pathlib import Path

from bench.truth_data import Json, lines
from groundwire.checks import PageIndex, check_claim

SIZES = (1_000, 10_000, 100_000, 1_000_000)
HOSTILE_CHARACTERS = 200_000
# What blew patterns up, or was slow though linear: TRUTH.md's pitfalls and their like.
HOSTILE = {
    "link ends": "]()", "link beginnings": "[](", "digits": "1", "digit groups": "12,345,",
    "points": "1.", "fractions": "1/2 ", "half signs": "\u00bd", "number words": "hundred and ",
    "capitals": "A ", "names": "Capital ", "dashes": "\u2014", "Roman": "X ", "tags": "<a",
    "entities": "&amp;", "sentences": ". A", "lines": "\n", "headings": "# a\n",
    "one letter": "a", "quotation marks": "\u201c", "Han": "\u4e00",
}  # fmt: skip
_ROUNDS = 3


def measure(folder: Path, *, is_quick: bool) -> Json:
    """Return milliseconds of CPU."""
    rows = lines(folder, "wice-claims-dev.jsonl")
    claims = [row["claim"] for row in rows[: 20 if is_quick else 200]]
    text = "\n".join(row["text"] for row in rows)
    while len(text) < SIZES[-1]:
        text = f"{text}\n{text}"
    sizes = SIZES[:2] if is_quick else SIZES
    return {
        "sizes": {str(size): _cost(text[:size], claims) for size in sizes},
        "hostile": {name: _hostile(piece) for name, piece in HOSTILE.items()},
    }


def _cost(text: str, claims: Sequence[str]) -> Json:
    index = min(_indexed(text)[0] for _ in range(_ROUNDS))
    page = _indexed(text)[1]
    costs = sorted(_milliseconds(claim, page) for claim in claims)
    return {
        "index": round(index, 2),
        "claim_median": round(statistics.median(costs), 3),
        "claim_95": round(costs[int(0.95 * (len(costs) - 1))], 3),
    }


def _indexed(text: str) -> tuple[float, PageIndex]:
    begun = time.process_time()
    # All of it, also beyond what a page of the web is compared as far as.
    page = PageIndex(text, max_characters=len(text))
    page.prepare()
    return 1_000 * (time.process_time() - begun), page


def _milliseconds(claim: str, page: PageIndex) -> float:
    begun = time.process_time()
    check_claim(claim, page)
    return 1_000 * (time.process_time() - begun)


def _hostile(piece: str) -> Json:
    index, page = _indexed((piece * HOSTILE_CHARACTERS)[:HOSTILE_CHARACTERS])
    claim = f'In 1997 one hundred A A the May 1 I X "{piece * 50}"'
    return {"index": round(index, 1), "claim": round(_milliseconds(claim, page), 2)}
