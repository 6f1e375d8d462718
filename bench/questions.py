"""Does an offline answer answer? Questions that nobody here wrote, with plain BM25 beside us.

    python -m bench.questions [--squad FOLDER] [--own FILE] [--every 7] [--json] [--show]

SQuAD's questions about Wikipedia's articles go through the whole chat loop of a library that has
nothing but the articles; a hit is an answer that people marked and that stands in a quote. Then
the same questions with their article taken out of the library: those ought to be refused, or
answered with a word of doubt. `--own` are questions about this documentation with a phrase that
an answer must have. The baseline ranks the sentences of all articles by BM25, their own and their
paragraph's added. `--every N` asks each N-th question; `--show` prints answers to read.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import math
import re
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import groundwire
from bench.extractive import quotes_of
from groundwire import Keys, Settings
from groundwire.extractive import NOT_ANSWERED
from groundwire.extractive.answer import LEAD_DOUBTFUL
from groundwire.library import Adder, Library, reader
from groundwire.service.program import Groundwire
from groundwire.text.markdown import BlockKind, blocks
from groundwire.text.sentences import sentences

Json: TypeAlias = Any  # Files of questions.

CORPORA = Path(__file__).resolve().parent.parent.parent / "shared" / "corpora"
_WORD = re.compile(r"[a-z0-9]+")


@dataclass(slots=True)
class Tally:
    """What became of some questions."""

    questions: int = 0
    first: int = 0
    any: int = 0
    refused: int = 0
    hedged: int = 0
    characters: int = 0
    cpu_seconds: float = 0.0

    def figures(self) -> dict[str, float]:
        """Return shares of the questions, and means."""
        count = max(1, self.questions)
        return {
            "questions": self.questions,
            "first": self.first / count,
            "any": self.any / count,
            "refused": self.refused / count,
            "hedged": self.hedged / count,
            "characters": self.characters / count,
            "cpu_seconds": self.cpu_seconds / count,
        }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--squad", type=Path, default=CORPORA / "squad")
    parser.add_argument("--own", type=Path, default=CORPORA / "docs-questions.json")
    parser.add_argument("--every", type=int, default=7, help="ask each N-th question (7)")
    parser.add_argument("--quick", action="store_true", help="few questions")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    parser.add_argument("--show", action="store_true", help="print the answers")
    given = parser.parse_args()
    if not given.squad.is_dir():
        print(json.dumps({"skipped": f"there is no {given.squad.name} among the shared corpora"}))
        return
    asked = json.loads((given.squad / "questions.json").read_text())
    asked = asked[:: 200 if given.quick else given.every]
    with tempfile.TemporaryDirectory() as scratch:
        figures = asyncio.run(_measure(given, asked, Path(scratch)))
    print(json.dumps(figures)) if given.json else _print(figures)


async def _measure(given: argparse.Namespace, asked: Sequence[Json], scratch: Path) -> Json:
    whole = scratch / "whole.sqlite3"
    await _add(whole, given.squad / "articles")
    found = {"SQuAD": await _ask_all(whole, scratch, asked, show=given.show)}
    found["SQuAD, article removed"] = await _without(given, asked, scratch)
    if given.own.is_file():
        own = json.loads(given.own.read_text())
        ours = scratch / "own.sqlite3"
        await _add(ours, Path("docs"), extra=[Path("README.md"), Path("SECURITY.md")])
        about = [{**one, "answers": one["must_contain"]} for one in own if "must_contain" in one]
        beyond = [{**one, "answers": []} for one in own if "must_contain" not in one]
        found["our documentation"] = await _ask_all(ours, scratch, about, show=given.show)
        found["our documentation, beyond it"] = await _ask_all(
            ours, scratch, beyond, show=given.show
        )
    shown = {name: tally.figures() for name, tally in found.items()}
    return {**shown, "plain BM25 on SQuAD": _baseline(given.squad / "articles", asked).figures()}


async def _without(given: argparse.Namespace, asked: Sequence[Json], scratch: Path) -> Tally:
    """Ask about each article while it is not there."""
    tally = Tally()
    for page in sorted({one["page"] for one in asked}):
        path = scratch / f"without-{page}.sqlite3"
        await _add(path, given.squad / "articles", without=page)
        about = [{**one, "answers": []} for one in asked if one["page"] == page]
        await _ask_all(path, scratch, about, show=given.show, tally=tally)
    return tally


async def _add(path: Path, folder: Path, *, without: str = "", extra: Sequence[Path] = ()) -> None:
    async with reader() as documents:
        with Library(path, writes=True) as library:
            await Adder(library, documents).add_folder(folder)
            for file in extra:
                await Adder(library, documents).add_file(file)
            for document in library.documents():
                if without and document.url.endswith(f"/{without}"):
                    library.remove([document])


async def _ask_all(
    path: Path, scratch: Path, asked: Sequence[Json], *, show: bool, tally: Tally | None = None
) -> Tally:
    tally = tally or Tally()
    options = {"path": str(path)}
    settings = Settings.model_validate(
        {
            "search_provider": "library",
            "read_provider": "library",
            "providers": {"library": {"options": options}},
        }
    )
    keys = Keys(environment={}, dotenv=scratch / ".env", file=scratch / "keys.json")
    async with groundwire.open(settings=settings, keys=keys, keep=False) as program:
        for one in asked:
            await _ask(program, one, tally, show=show)
    return tally


async def _ask(program: Groundwire, one: Json, tally: Tally, *, show: bool) -> None:
    began = time.process_time()
    answer = await program.ask(one["question"], provider="extractive")
    tally.cpu_seconds += time.process_time() - began
    if show:
        print(f"## {one['question']}\n\n{answer.text}\n")
    hits = [any(each in said for each in one["answers"]) for said, _ in quotes_of(answer)]
    tally.questions += 1
    tally.first += hits[:1] == [True]
    tally.any += any(hits)
    tally.refused += answer.text.startswith(NOT_ANSWERED) or not hits
    tally.hedged += answer.text.startswith(LEAD_DOUBTFUL)
    tally.characters += len(answer.text)


@dataclass(slots=True)
class _Sentence:
    text: str
    words: Counter[str]
    paragraph: int


def _baseline(folder: Path, asked: Sequence[Json]) -> Tally:
    """Rank all sentences by BM25 of their words and of their paragraph's: ten lines of code."""
    every = [*_sentences(folder)]
    paragraphs: dict[int, Counter[str]] = {}
    for one in every:
        paragraphs.setdefault(one.paragraph, Counter()).update(one.words)
    spread = Counter(word for words in paragraphs.values() for word in words)
    mean = sum(words.total() for words in paragraphs.values()) / len(paragraphs)
    tally = Tally()
    for question in asked:
        began = time.process_time()
        terms = {*_WORD.findall(question["question"].lower())}
        rare = {
            term: math.log(1 + (len(paragraphs) - spread[term] + 0.5) / (spread[term] + 0.5))
            for term in terms
        }
        around = {
            number: _bm25(words, rare, mean)
            for number, words in paragraphs.items()
            if terms & words.keys()
        }
        best = sorted(
            (one for one in every if one.paragraph in around),
            key=lambda one: -(_bm25(one.words, rare, 25) + around[one.paragraph]),
        )
        hits = [any(each in one.text for each in question["answers"]) for one in best[:3]]
        tally.cpu_seconds += time.process_time() - began
        tally.questions += 1
        tally.first += hits[:1] == [True]
        tally.any += any(hits)
        tally.characters += sum(len(one.text) for one in best[:3])
    return tally


def _sentences(folder: Path) -> Iterator[_Sentence]:
    number = 0
    for file in sorted(folder.glob("*.md")):
        text = file.read_text(encoding="utf-8")
        for block in blocks(text):
            if block.kind is BlockKind.HEADING:
                continue
            number += 1
            for span in sentences(text, block.said.start, block.said.end):
                said = text[span.start : span.end]
                yield _Sentence(said, Counter(_WORD.findall(said.lower())), number)


def _bm25(words: Counter[str], rare: dict[str, float], mean: float) -> float:
    length = 1.2 * (0.25 + 0.75 * words.total() / mean)
    return sum(
        weight * words[term] * 2.2 / (words[term] + length)
        for term, weight in rare.items()
        if term in words
    )


def _print(figures: Json) -> None:
    print(f"{'':32} {'n':>5} {'first':>7} {'any':>7} {'refused':>8} {'hedged':>7} {'ms':>6}")
    for name, row in figures.items():
        shares = f"{row['first']:7.1%} {row['any']:7.1%} {row['refused']:8.1%} {row['hedged']:7.1%}"
        print(f"{name:32} {row['questions']:5} {shares} {1000 * row['cpu_seconds']:6.0f}")


if __name__ == "__main__":
    main()
