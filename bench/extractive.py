"""The extractive model over real documentation: right pages, quotes to the letter, CPU.

    python -m bench.extractive [--folder NAME=PATH …] [--quick] [--json]

The folders, Debian's documentation where none is named, become a library, and every question of
tests/extractive/questions.json goes through the whole chat loop: tools, citations, markers.
Another file of the same form may be given with --questions; a page is written NAME/path.
`--library` keeps the library for the next run.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import groundwire
from bench import documentation
from groundwire import Answer, Keys, Settings
from groundwire.library import HOST, Adder, Library, reader
from groundwire.service.program import Groundwire

Json: TypeAlias = Any  # The file of questions.

QUESTIONS = Path("tests/extractive/questions.json")
_QUOTE = re.compile(r"^- “(.*?)” \[(\d+)\]$", re.DOTALL | re.MULTILINE)
_ROW = re.compile(r"^\|(?:---\|)+\n(?:\| )+(.*) \|\n\n\[(\d+)\]$", re.MULTILINE)
_CODE = re.compile(r"^(`{3,})\n(.*?)\n\1\n\n\[(\d+)\]$", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """One answer, measured."""

    question: str
    cited: tuple[str, ...]
    quotes: int
    wrong: tuple[str, ...]
    length: int
    cpu_seconds: float


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--folder", action="append", default=[], metavar="NAME=PATH")
    parser.add_argument("--questions", type=Path, default=QUESTIONS)
    parser.add_argument("--library", type=Path, default=None)
    parser.add_argument("--quick", action="store_true", help="few questions, one folder")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    given = parser.parse_args()
    asked = json.loads(given.questions.read_text())
    there = [f"{name}={path}" for name, path in documentation.folders().items()]
    folders = given.folder or there
    if len(folders) < len(documentation.PATTERNS) and not (given.folder or given.library):
        print(json.dumps({"skipped": "the questions are about all of Debian's three packages"}))
        return
    if given.quick:
        folders, asked = folders[:1], _few(asked, folders[0].partition("=")[0])
    with tempfile.TemporaryDirectory() as scratch:
        path = given.library or Path(scratch) / "library.sqlite3"
        asyncio.run(_add(path, folders))
        answered, unanswered = asyncio.run(_ask_all(path, Path(scratch), asked))
    figures = summary(asked, answered, unanswered)
    print(json.dumps(figures)) if given.json else show(figures)


def _few(asked: Json, name: str) -> Json:
    """Return some questions that one folder alone answers."""
    some = [one for one in asked["answered"] if one["pages"][0].startswith(f"{name}/")]
    return {"answered": some[:5], "unanswered": asked.get("unanswered", [])[:2]}


async def _add(path: Path, folders: Sequence[str]) -> None:
    async with reader() as documents:
        with Library(path, writes=True) as library:
            for folder in folders:
                name, _, place = folder.partition("=")
                await Adder(library, documents).add_folder(Path(place), name=name)


async def _ask_all(path: Path, scratch: Path, asked: Json) -> tuple[list[Result], list[Result]]:
    settings = Settings.model_validate(
        {
            "search_provider": "library",
            "read_provider": "library",
            "providers": {"library": {"options": {"path": str(path)}}},
        }
    )
    keys = Keys(environment={}, dotenv=scratch / ".env", file=scratch / "keys.json")
    async with groundwire.open(settings=settings, keys=keys, keep=False) as program:
        with Library(path) as library:
            answered = [await _ask(program, library, one["question"]) for one in asked["answered"]]
            others = [await _ask(program, library, one) for one in asked.get("unanswered", ())]
    return answered, others


async def _ask(program: Groundwire, library: Library, question: str) -> Result:
    began = time.process_time()
    ended = await program.ask(question, provider="extractive")
    spent = time.process_time() - began
    return Result(
        question=question,
        cited=tuple(dict.fromkeys(_page(url) for _, url in quotes_of(ended))),
        quotes=len(quotes_of(ended)),
        wrong=tuple(said for said, url in quotes_of(ended) if not stands_in(library, url, said)),
        length=len(ended.message.plain_text),
        cpu_seconds=spent,
    )


def quotes_of(ended: Answer) -> list[tuple[str, str]]:
    """Return the quotes of an answer in order, with the URLs of their sources."""
    text = ended.message.content
    urls = {source.number: source.url for source in ended.marked.sources}
    prose = [(match.start(), match[1], int(match[2])) for match in _QUOTE.finditer(text)]
    rows = [(match.start(), match[1], int(match[2])) for match in _ROW.finditer(text)]
    code = [(match.start(), match[2], int(match[3])) for match in _CODE.finditer(text)]
    return [(said, urls[number]) for _, said, number in sorted((*prose, *rows, *code))]


def stands_in(library: Library, url: str, said: str) -> bool:
    """Tell whether a quote stands in its page, letter by letter."""
    page = library.read(url)
    return page is not None and said in page.content


def _page(url: str) -> str:
    return url.removeprefix(f"https://{HOST}/")


def summary(asked: Json, answered: Sequence[Result], unanswered: Sequence[Result]) -> Json:
    """Return how many answers are right and true to the letter, and what they cost."""
    pages = [set(one["pages"]) for one in asked["answered"]]
    right = [bool(wanted & {*one.cited}) for wanted, one in zip(pages, answered, strict=True)]
    every = [*answered, *unanswered]
    return {
        "questions": len(answered),
        "right": sum(right),
        "not_found": [
            one.question for one, is_right in zip(answered, right, strict=True) if not is_right
        ],
        "quotes": sum(one.quotes for one in every),
        "wrong_quotes": sum(len(one.wrong) for one in every),
        "out_of_scope": len(unanswered),
        "answered_wrongly": [one.question for one in unanswered if one.quotes],
        "cpu_seconds": {
            "median": statistics.median(one.cpu_seconds for one in every),
            "most": max(one.cpu_seconds for one in every),
        },
        "characters": {
            "median": statistics.median(one.length for one in answered),
            "most": max(one.length for one in answered),
        },
    }


def show(figures: Json) -> None:
    for question in figures["not_found"]:
        print(f"not found: {question}")
    for question in figures["answered_wrongly"]:
        print(f"answered, and should not have been: {question}")
    right, questions, quotes = figures["right"], figures["questions"], figures["quotes"]
    refused = figures["out_of_scope"] - len(figures["answered_wrongly"])
    cpu, characters = figures["cpu_seconds"], figures["characters"]
    print(f"answering page cited    {right} of {questions} ({right / questions:.0%})")
    print(f"quotes to the letter    {quotes - figures['wrong_quotes']} of {quotes}")
    print(f"out of scope, said so   {refused} of {figures['out_of_scope']}")
    print(f"CPU per answer          median {cpu['median']:.2f} s, most {cpu['most']:.2f} s")
    print(f"length of answers       median {characters['median']:.0f}, most {characters['most']}")


if __name__ == "__main__":
    main()
