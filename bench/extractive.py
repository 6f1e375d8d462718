"""The extractive model over real documentation: right pages, quotes to the letter, CPU.

    python -m bench.extractive --folder python=/usr/share/doc/python3.11/html \
        --folder git=/usr/share/doc/git-doc \
        --folder postgresql=/usr/share/doc/postgresql-doc-15/html

The folders become a library, and every question of tests/extracting/questions.json goes through
the whole chat loop: tools, citations, markers. Another file of the same form may be given with
--questions; a page is written NAME/path. `--library` keeps the library for the next run.
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
from groundwire import Keys, Settings
from groundwire.chat.events import TurnEnded
from groundwire.library import HOST, Adder, Library, reader
from groundwire.service.program import Groundwire

Json: TypeAlias = Any  # The file of questions.

QUESTIONS = Path("tests/extracting/questions.json")
_QUOTE = re.compile(r"^- “(.*?)” \[(\d+)\]$", re.DOTALL | re.MULTILINE)
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
    given = parser.parse_args()
    asked = json.loads(given.questions.read_text())
    with tempfile.TemporaryDirectory() as scratch:
        path = given.library or Path(scratch) / "library.sqlite3"
        asyncio.run(_add(path, given.folder))
        answered, unanswered = asyncio.run(_ask_all(path, Path(scratch), asked))
    _report(asked, answered, unanswered)


async def _add(path: Path, folders: Sequence[str]) -> None:
    async with reader() as documents:
        with Library(path, writes=True) as library:
            for folder in folders:
                name, _, place = folder.partition("=")
                report = await Adder(library, documents).add_folder(Path(place), name=name)
                print(f"{name}: {report.added} added, {report.unchanged} unchanged")


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
    ended = await program.answer(question, provider="extractive")
    spent = time.process_time() - began
    return Result(
        question=question,
        cited=tuple(dict.fromkeys(_page(url) for _, url in _quotes(ended))),
        quotes=len(_quotes(ended)),
        wrong=tuple(said for said, url in _quotes(ended) if not _stands_in(library, url, said)),
        length=len(ended.message.plain_text),
        cpu_seconds=spent,
    )


def _quotes(ended: TurnEnded) -> list[tuple[str, str]]:
    """Return the quotes of an answer with the URLs of their sources."""
    text = ended.message.content
    urls = {source.number: source.url for source in ended.marked.sources}
    prose = [(match[1], int(match[2])) for match in _QUOTE.finditer(text)]
    code = [(match[2], int(match[3])) for match in _CODE.finditer(text)]
    return [(said, urls[number]) for said, number in (*prose, *code)]


def _stands_in(library: Library, url: str, said: str) -> bool:
    page = library.read(url)
    return page is not None and said in page.content


def _page(url: str) -> str:
    return url.removeprefix(f"https://{HOST}/")


def _report(asked: Json, answered: Sequence[Result], unanswered: Sequence[Result]) -> None:
    pages = [set(one["pages"]) for one in asked["answered"]]
    right = [bool(wanted & {*one.cited}) for wanted, one in zip(pages, answered, strict=True)]
    for one, is_right in zip(answered, right, strict=True):
        if not is_right:
            print(f"not found: {one.question}\n    cited {', '.join(one.cited) or 'nothing'}")
    for one in unanswered:
        if one.quotes:
            print(f"answered, and should not have been: {one.question}")
    every = [*answered, *unanswered]
    quotes = sum(one.quotes for one in every)
    wrong = sum(len(one.wrong) for one in every)
    cpu = sorted(one.cpu_seconds for one in every)
    lengths = [one.length for one in answered]
    print(f"answering page cited    {sum(right)} of {len(right)} ({sum(right) / len(right):.0%})")
    print(f"quotes to the letter    {quotes - wrong} of {quotes}")
    refused = sum(not one.quotes for one in unanswered)
    print(f"out of scope, said so   {refused} of {len(unanswered)}")
    print(f"CPU per answer          median {statistics.median(cpu):.2f} s, most {cpu[-1]:.2f} s")
    print(f"length of answers       median {statistics.median(lengths):.0f}, most {max(lengths)}")


if __name__ == "__main__":
    main()
