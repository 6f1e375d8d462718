"""Does an offline answer answer? Every figure of the extractive model, with its peers beside it.

    python -m bench.questions [--squad FOLDER] [--own FILE] [--documentation ROOT]
                              [--every N] [--processes N] [--quick] [--json] [--show]

Every question goes through the whole chat loop of a library that has nothing but the pages it is
about. SQuAD's are about Wikipedia's articles, by people who knew nothing of us: a hit is an answer
that they marked and that stands in a quote. The weights with which questions about an article
are asked were learned without that article. Then the same with the article taken out of the
library, and questions about anything else: those ought to be refused, or answered with a word of
doubt. `--own` are questions about this documentation with a phrase that an answer must have,
Debian's are of tests/extractive, with the page that answers; `--documentation` is where its
packages are unpacked. Beside us plain BM25, of a sentence and its paragraph added, and tantivy's
best passages. `--every N` asks each N-th question of SQuAD, `--processes` so many at once (one
for each core); `--show` prints the answers to read, each with what was wanted.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import sys
import tempfile
import time
from multiprocessing import Pool
from pathlib import Path
from typing import Any, TypeAlias
from unittest.mock import patch

import groundwire
from bench import question_sets
from bench.extractive import quotes_of, stands_in
from bench.question_peers import PEERS, tally
from bench.question_sets import CORPORA, AskedQuestion, QuestionSet
from bench.question_tally import Tally
from groundwire import Keys, Settings
from groundwire.extractive import NOT_ANSWERED, selection
from groundwire.extractive.answer import LEAD_DOUBTFUL
from groundwire.library import Library
from groundwire.service.program import Groundwire

Json: TypeAlias = Any  # Figures.

_AT_ONCE = 40
"""So many questions are one process's task: a program is opened for each."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--squad", type=Path, default=CORPORA / "squad")
    parser.add_argument("--own", type=Path, default=CORPORA / "docs-questions.json")
    parser.add_argument("--documentation", type=Path, default=Path("/"), metavar="ROOT")
    parser.add_argument("--every", type=int, default=1, help="ask each N-th question of SQuAD")
    parser.add_argument("--processes", type=int, default=os.cpu_count(), help="how many ask")
    parser.add_argument("--quick", action="store_true", help="few questions")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    parser.add_argument("--show", action="store_true", help="print the answers")
    given = parser.parse_args()
    if not given.squad.is_dir():
        print(json.dumps({"skipped": f"there is no {given.squad.name} among the shared corpora"}))
        return
    with tempfile.TemporaryDirectory() as scratch:
        figures = _measure(given, Path(scratch))
    print(json.dumps(figures)) if given.json else _print(figures)


def _measure(given: argparse.Namespace, scratch: Path) -> Json:
    sets = asyncio.run(_sets(given, scratch))
    found: dict[str, Tally] = {}
    tasks = [(part, scratch, given.show) for each in sets for part in each.parts(_AT_ONCE)]
    with Pool(given.processes) as pool:
        for group, count, shown in pool.imap(_ask_all, tasks):
            found.setdefault(group, Tally(has_answers=count.has_answers)).add(count)
            print(shown, end="")
            print(f"asked: {group}, {found[group].questions}", file=sys.stderr)
        peers = [(each, peer) for each in sets if each.has_peers for peer in PEERS]
        found |= dict(pool.imap(_ask_peer, peers))
    return {name: count.figures() for name, count in found.items()}


async def _sets(given: argparse.Namespace, scratch: Path) -> list[QuestionSet]:
    every = 200 if given.quick else given.every
    return [
        *await question_sets.squad(given.squad, scratch, every=every),
        *await question_sets.own(given.own, scratch),
        *(await question_sets.debian(given.documentation, scratch) if not given.quick else ()),
    ]


def _ask_peer(task: tuple[QuestionSet, str]) -> tuple[str, Tally]:
    asked, name = task
    return f"{name}: {asked.group}", tally(asked, PEERS[name](asked.library).ask)


def _ask_all(task: tuple[QuestionSet, Path, bool]) -> tuple[str, Tally, str]:
    """Ask some questions in a process of their own; return the figures and what is to be shown."""
    asked, scratch, show = task
    count = Tally(has_answers=asked.has_answers)
    shown = asyncio.run(_answers(asked, scratch, count))
    return asked.group, count, "".join(shown) if show else ""


async def _answers(asked: QuestionSet, scratch: Path, count: Tally) -> list[str]:
    settings = Settings.model_validate(
        {
            "search_provider": "library",
            "read_provider": "library",
            "providers": {"library": {"options": {"path": str(asked.library)}}},
        }
    )
    keys = Keys(environment={}, dotenv=scratch / ".env", file=scratch / "keys.json")
    async with groundwire.open(settings=settings, keys=keys, keep=False) as program:
        with Library(asked.library) as library:
            shown = []
            for one in asked.questions:
                # The same program with other numbers: those that never saw this article.
                with patch.object(selection, "LEARNED", one.weights):
                    shown.append(await _ask(program, library, one, count))
    return shown


async def _ask(program: Groundwire, library: Library, one: AskedQuestion, count: Tally) -> str:
    began = time.process_time()
    answer = await program.ask(one.text, provider="extractive")
    spent = time.process_time() - began
    quotes = quotes_of(answer)
    hits = [one.is_hit(said, url) for said, url in quotes]
    count.note(hits=hits, lengths=[len(said) for said, _ in quotes], cpu_seconds=spent)
    count.refused += answer.text.startswith(NOT_ANSWERED) or not quotes
    count.hedged += answer.text.startswith(LEAD_DOUBTFUL)
    count.wrong_quotes += sum(not stands_in(library, url, said) for said, url in quotes)
    wanted = " / ".join((*one.phrases, *one.pages)) or "nothing answers"
    verdict = "first" if hits[:1] == [True] else "later" if any(hits) else "missed"
    return f"## {one.text}\n\n({verdict}: {wanted})\n\n{answer.text}\n\n"


def _print(figures: Json) -> None:
    heads = ("n", "first", "any", "refused", "hedged", "characters", "ms")
    print(f"{'':44} {heads[0]:>5} {heads[1]:>14} {heads[2]:>14} ", end="")
    print(f"{heads[3]:>8} {heads[4]:>7} {heads[5]:>11} {heads[6]:>6}")
    for name, row in figures.items():
        count = row["questions"]
        hits = [f"{row[key]} ({row[key] / max(1, count):.1%})" for key in ("first", "any")]
        first, most = hits if row["has_answers"] else ("", "")
        refused, hedged = (f"{row[key] / max(1, count):.1%}" for key in ("refused", "hedged"))
        length = f"{row['first_characters']:.0f}, {row['characters']:.0f}"
        print(f"{name:44} {count:5} {first:>14} {most:>14} ", end="")
        print(f"{refused:>8} {hedged:>7} {length:>11} {1000 * row['cpu_seconds']:6.0f}")
    ours = [row for name, row in figures.items() if ": " not in name]
    quotes, wrong = (sum(row[key] for row in ours) for key in ("quotes", "wrong_quotes"))
    print(f"quotes to the letter: {quotes - wrong} of {quotes}")


if __name__ == "__main__":
    main()
