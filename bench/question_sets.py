"""Questions whose answers are known, or known to be nowhere, and the libraries to ask."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeAlias

from bench import documentation
from groundwire.extractive.certainty import Signs
from groundwire.extractive.features import Features
from groundwire.extractive.weights import LEARNED, Weights
from groundwire.library import Adder, Library, reader
from groundwire.service.documentation import add_documentation

Json: TypeAlias = Any  # Files of questions.
CORPORA = Path(__file__).resolve().parent.parent.parent / "shared" / "corpora"
TESTS = Path("tests/extractive")
HELD_OUT = Path("bench/held_out_weights.json")
FIFTHS = 5
_OF_REMOVED = 4
"""Each so many-th question is asked once more with its article taken away."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion:
    """A question, what counts as a hit, and what was learned without the page it is about.

    A hit has one of `phrases` in it, or is of a page whose URL ends in one of `pages`; without
    either nothing answers.
    """

    text: str
    phrases: tuple[str, ...] = ()
    pages: tuple[str, ...] = ()
    weights: Weights = LEARNED

    def is_hit(self, said: str, url: str) -> bool:
        """Tell of a quote and the URL of its page whether the answer is there."""
        return any(each in said for each in self.phrases) or url.endswith(self.pages)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuestionSet:
    """Questions to one library; `group` is the row of figures that they count in.

    `has_answers` if its pages answer them. Peers are asked only where `has_peers`.
    """

    group: str
    library: Path
    questions: Sequence[AskedQuestion] = field(repr=False)
    has_answers: bool = True
    has_peers: bool = False

    def parts(self, size: int) -> list[QuestionSet]:
        """Return the same in sets of at most so many questions."""
        return [
            replace(self, questions=self.questions[start : start + size])
            for start in range(0, len(self.questions), size)
        ]


async def squad(folder: Path, scratch: Path, *, every: int) -> list[QuestionSet]:
    """Return SQuAD's questions: each article held out, taken away, and questions about nothing."""
    asked = _questions(folder / "questions.json")[::every]
    without = held_out()
    whole = scratch / "squad.sqlite3"
    await _fill(whole, folder / "articles")
    sets = [
        QuestionSet(
            group="SQuAD, article held out",
            library=whole,
            questions=[_about(one, without) for one in asked],
            has_peers=True,
        )
    ]
    for page in sorted({one["page"] for one in asked}):
        path = scratch / f"without-{page}.sqlite3"
        await _fill(path, folder / "articles", without=page)
        about = [one for one in asked[::_OF_REMOVED] if one["page"] == page]
        sets.append(
            QuestionSet(
                group="SQuAD, article removed",
                library=path,
                questions=[_about(one, without) for one in about],
                has_answers=False,
            )
        )
    return [*sets, _unrelated("SQuAD, unrelated questions", whole)]


async def own(file: Path, scratch: Path) -> list[QuestionSet]:
    """Return the questions about our own documentation, as a first start puts it in a library."""
    every = _questions(file)
    if not every:
        return []
    path = scratch / "own.sqlite3"
    await add_documentation({"path": str(path)})
    without = held_out()
    about = _with_phrases([one for one in every if "must_contain" in one], without)
    newcomers = _with_phrases(_questions(TESTS / "newcomers.json"), without)
    beyond = _nowhere([one["question"] for one in every if "must_contain" not in one], without)
    return [
        QuestionSet(group="our documentation", library=path, questions=about, has_peers=True),
        QuestionSet(
            group="our documentation, newcomers", library=path, questions=newcomers, has_peers=True
        ),
        QuestionSet(
            group="our documentation, other questions",
            library=path,
            questions=_with_phrases(_questions(TESTS / "other_questions.json"), {}),
            has_peers=True,
        ),
        QuestionSet(
            group="our documentation, beyond it", library=path, questions=beyond, has_answers=False
        ),
        _unrelated("our documentation, unrelated", path),
    ]


async def debian(root: Path, scratch: Path) -> list[QuestionSet]:
    """Return the questions about Debian's documentation; none if it is not there."""
    folders = documentation.folders(root)
    if len(folders) < len(documentation.PATTERNS):
        return []
    path = scratch / "debian.sqlite3"
    for name, folder in folders.items():
        await _fill(path, folder, name=name)
    files = {
        "Debian's, page": TESTS / "questions.json",
        "Debian's, page, more": TESTS / "more_questions.json",
    }
    asked = {group: _questions(file) for group, file in files.items()}
    without = held_out()
    questions = _of_pages([one for each in asked.values() for one in each["answered"]], without)
    about = []
    for group, each in asked.items():
        count = len(each["answered"])
        part, questions = questions[:count], questions[count:]
        about.append(QuestionSet(group=group, library=path, questions=part, has_peers=True))
    beyond = _nowhere([one for each in asked.values() for one in each["unanswered"]], without)
    return [
        *about,
        QuestionSet(group="Debian's, beyond it", library=path, questions=beyond, has_answers=False),
    ]


def held_out() -> Mapping[str, Weights]:
    """Return by article, and by fifth of documentation, what was learned without its questions."""
    return {
        page: Weights(
            **{
                **each,
                "sentence": Features(**each["sentence"]),
                "answered": Signs(**each["answered"]),
            }
        )
        for page, each in json.loads(HELD_OUT.read_text()).items()
    }


def _nowhere(texts: Sequence[str], without: Mapping[str, Weights]) -> list[AskedQuestion]:
    """Return questions that nothing answers."""
    return [
        AskedQuestion(text=text, weights=without[fold(place)]) for place, text in enumerate(texts)
    ]


def _questions(file: Path) -> Json:
    return json.loads(file.read_text()) if file.is_file() else []


def _unrelated(group: str, library: Path) -> QuestionSet:
    questions = [AskedQuestion(text=one) for one in _questions(TESTS / "unrelated.json")]
    return QuestionSet(group=group, library=library, questions=questions, has_answers=False)


def _about(one: Json, without: Mapping[str, Weights]) -> AskedQuestion:
    return AskedQuestion(
        text=one["question"],
        phrases=tuple(one["answers"]),
        weights=without[one["page"]],
    )


def _with_phrases(every: Sequence[Json], without: Mapping[str, Weights]) -> list[AskedQuestion]:
    return [
        AskedQuestion(
            text=one["question"],
            phrases=tuple(one["must_contain"]),
            weights=without.get(fold(place), LEARNED),
        )
        for place, one in enumerate(every)
    ]


def _of_pages(every: Sequence[Json], without: Mapping[str, Weights]) -> list[AskedQuestion]:
    return [
        AskedQuestion(
            text=one["question"],
            pages=tuple(f"/{page}" for page in one["pages"]),
            weights=without[fold(place)],
        )
        for place, one in enumerate(every)
    ]


def fold(place: int) -> str:
    """Return with which fifth a question about documentation is held out."""
    return f"fold {place % FIFTHS}"


async def _fill(path: Path, folder: Path, *, name: str = "", without: str = "") -> None:
    async with reader() as documents:
        with Library(path, writes=True) as library:
            left_out = frozenset({without} if without else ())
            adder = Adder(library, documents)
            await adder.add_folder(folder, name=name or folder.name, without=left_out)


def texts(path: Path) -> Iterator[tuple[str, str]]:
    """Yield the URL and the Markdown of every document of a library."""
    with Library(path) as library:
        for document in library.documents():
            yield document.url, library.text(document).markdown
