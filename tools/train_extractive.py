"""Learns how the extractive model weighs sentences, and says how well it does on what it never saw.

    python -m tools.train_extractive --squad FOLDER --documentation FOLDER --own FILE [--write]

Needs numpy, which the package itself does not. `--squad` has `articles` and `questions.json`,
`--documentation` is the root below which Debian's documentation is unpacked, `--own` a file of
questions about this repository's documentation. Figures are of articles held out, one at a time;
of documentation a fifth at a time. `--write` trains on everything and stores
`src/groundwire/extractive/weights.py`, and what is learned without each article and each fifth
`bench/held_out_weights.json`, with which `bench.questions` asks about that article or fifth.

Two models are learned. Which sentence: a conditional logit, in which one of the sentences with
the answer (of documentation: of the answering page) is to be preferred to all others. Whether
any: a logistic regression on questions whose pages are there and on such whose pages are not.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import re
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field, replace
from multiprocessing import Pool
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np
from tools.regressions import Numbers, conditional_logit, logistic

from groundwire.extractive import selection
from groundwire.extractive.certainty import Signs, signs
from groundwire.extractive.features import Features, PageText, candidates
from groundwire.extractive.questions import understand
from groundwire.extractive.results import ResultPage
from groundwire.extractive.selection import SourceText
from groundwire.extractive.steps import MAX_RESULTS, best_hits
from groundwire.extractive.weights import LEARNED, Weights
from groundwire.library import Adder, Library, reader
from groundwire.service.documentation import add_documentation

Json: TypeAlias = Any  # Files of questions.

WEIGHTS = Path("src/groundwire/extractive/weights.py")
HELD_OUT = Path("bench/held_out_weights.json")
QUESTIONS = (Path("tests/extractive/questions.json"), Path("tests/extractive/more_questions.json"))
NEWCOMERS = Path("tests/extractive/newcomers.json")
PATTERNS = {
    "python": "usr/share/doc/python3.*/html",
    "git": "usr/share/doc/git-doc",
    "postgresql": "usr/share/doc/postgresql-doc-*/html",
}
_KEPT = 80
"""So many sentences of a question are learned from: the best by the weights there are."""

_COUNTS = {"squad": 1.0, "documentation": 6.0, "own": 6.0, "newcomers": 3.0}
"""How much a question counts for which sentence answers: there are few of documentation."""

_LEAST_WEIGHT = -3.0

_SHARES = {
    "squad": 1.0,
    "documentation": 4.0,
    "own": 4.0,
    "newcomers": 2.0,
    "removed": 1.0,
    "unrelated": 3.0,
}
"""How much a question counts for whether any sentence answers, by where it is from."""

_REFUSED, _DOUBTED = 0.024, 0.092
"""Which part of the answerable questions is below each border: less than the 3 and 11 of 100 that
are allowed, since other articles differ."""


@dataclass(frozen=True, slots=True)
class Task:
    """A question to look through: where it is from, what it is held out with, and its pages."""

    origin: str
    fold: str
    question: str
    asked: Json
    pages: list[tuple[str, str, str]] = field(repr=False)


@dataclass(slots=True)
class Sample:
    """A question with its best candidate sentences: features, and which of them are right."""

    origin: str
    fold: str
    features: Numbers
    right: Numbers
    question: Any = field(repr=False)
    pages: list[PageText] = field(repr=False)
    candidates: list[Any] = field(default_factory=list, repr=False)


Right: TypeAlias = Callable[[str, str], bool]
"""Tells of a page's URL and a sentence of it whether it answers."""


def main() -> None:
    """Measure, and with `--write` store what was learned."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--squad", type=Path, required=True)
    parser.add_argument("--documentation", type=Path, required=True)
    parser.add_argument("--own", type=Path, required=True)
    parser.add_argument("--write", action="store_true", help="train on everything and store it")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as scratch:
        tasks = asyncio.run(_tasks(given, Path(scratch)))
    with Pool() as pool:
        samples = [one for one in pool.imap(_sample, tasks, chunksize=20) if one]
    useful = [one for one in samples if one.origin in _COUNTS and one.right.any()]
    folds = sorted({one.fold for one in samples})
    held = {fold: sentence_weights([one for one in useful if one.fold != fold]) for fold in folds}
    _show_sentences([one for one in samples if one.origin in _COUNTS], held)
    rows = np.array([_signs(one, held[one.fold]) for one in samples])
    learned, likely = _by_fold(samples, rows, folds, held)
    _show_certainty(samples, likely)
    if given.write:
        whole = _weights(sentence_weights(useful, rounds=120), samples, rows, likely)
        WEIGHTS.write_text(_module(whole), encoding="utf-8")
        by_fold = {fold: _plain(each) for fold, each in learned.items()}
        HELD_OUT.write_text(json.dumps(by_fold, indent=1) + "\n", encoding="utf-8")


async def _tasks(given: argparse.Namespace, scratch: Path) -> list[Task]:
    squad = json.loads((given.squad / "questions.json").read_text())
    *debian, newcomers = [json.loads(path.read_text()) for path in (*QUESTIONS, NEWCOMERS)]
    own = json.loads(given.own.read_text())
    documentation = {
        name: next(iter(sorted(given.documentation.glob(pattern))))
        for name, pattern in PATTERNS.items()
    }
    articles = await _library(scratch / "squad", {"squad": given.squad / "articles"})
    pages = await _library(scratch / "debian", documentation)
    await add_documentation({"path": str(scratch / "own")})
    ours = Library(scratch / "own")
    about_ours = [one for one in own if "must_contain" in one]
    about_debian = [one for each in debian for one in each["answered"]]
    nowhere = [{"question": one} for each in debian for one in each["unanswered"]]
    beyond = [one for one in own if "must_contain" not in one]
    return [
        *_of("squad", articles, squad),
        *_of("documentation", pages, about_debian),
        *_of("own", ours, about_ours),
        *_of("newcomers", ours, newcomers),
        *_of("removed", articles, squad[::2]),
        *_of("unrelated", pages, [*nowhere, *_bare(squad[::40])]),
        *_of("unrelated", articles, [*_bare(about_debian[:60]), *_bare(own), *nowhere[:8]]),
        *_of("unrelated", ours, [*beyond, *_bare(squad[3::40])]),
    ]


def _bare(questions: Sequence[Json]) -> list[Json]:
    return [{"question": one["question"]} for one in questions]


async def _library(path: Path, folders: dict[str, Path]) -> Library:
    async with reader() as documents:
        with Library(path, writes=True) as library:
            for name, folder in folders.items():
                await Adder(library, documents).add_folder(folder, name=name)
    return Library(path)


def _of(origin: str, library: Library, questions: Sequence[Json]) -> Iterator[Task]:
    for number, asked in enumerate(questions):
        fold = asked["page"] if "page" in asked else f"fold {number % 5}"
        without = asked["page"] if origin == "removed" else ""
        pages = [*_opened(library, asked["question"], without)]
        yield Task(origin, fold, asked["question"], {} if without else asked, pages)


def _opened(library: Library, question: str, without: str) -> Iterator[tuple[str, str, str]]:
    """Yield what would be opened for a question: URL, title and text as the model gets it."""
    asked = understand(question)
    hits = [
        hit
        for hit in library.search(asked.core, limit=MAX_RESULTS + bool(without))
        if not without or not hit.document.url.endswith(without)
    ]
    found = [
        ResultPage(
            id=str(number), url=hit.document.url, title=hit.document.title, snippet=hit.snippet
        )
        for number, hit in enumerate(hits[:MAX_RESULTS], start=1)
    ]
    for hit in best_hits(asked, found):
        if page := library.read(hit.url):
            yield hit.url, page.title, f"{page.title}\n\n{page.content}".lstrip()


def _right(asked: Json) -> Right:
    if "answers" in asked:
        return lambda _url, said: any(answer in said for answer in asked["answers"])
    if "must_contain" in asked:
        return lambda _url, said: any(phrase in said for phrase in asked["must_contain"])
    if "pages" in asked:
        return lambda url, _said: url.endswith(tuple(f"/{page}" for page in asked["pages"]))
    return lambda _url, _said: False


def _sample(task: Task) -> Sample | None:
    asked = understand(task.question)
    sources = [SourceText(id="1", title=title, text=text) for _, title, text in task.pages]
    if not asked.terms or not sources:
        return None
    pages = [selection.page_of(source, asked) for source in sources]
    weighed = selection.weigh(asked, pages)
    every = [*candidates(weighed, pages)]
    if not every:
        return None
    features = np.array([one.features for one in every], dtype=np.float32)
    scores = features @ np.array(LEARNED.sentence, dtype=np.float32)
    kept = np.sort(np.argsort(-scores, kind="stable")[:_KEPT])
    right = _right(task.asked)
    best = [every[number] for number in kept]
    spans = [pages[one.page].blocks[one.block].sentences[one.sentence] for one in best]
    return Sample(
        origin=task.origin,
        fold=task.fold,
        features=features[kept],
        right=np.array(
            [
                right(task.pages[one.page][0], pages[one.page].text[span.start : span.end])
                for one, span in zip(best, spans, strict=True)
            ]
        ),
        question=weighed,
        # Where the terms stand is all that is needed of them, and less to hand over.
        pages=[replace(page, text="", blocks=()) for page in pages],
        candidates=best,
    )


def sentence_weights(samples: Sequence[Sample], *, rounds: int = 80) -> Numbers:
    """Return the weights that prefer right sentences most."""
    found = conditional_logit(
        [(one.features, one.right, _COUNTS[one.origin]) for one in samples],
        rounds=rounds,
    )
    # No question here is answered by a list of changes; other people's may be.
    return np.maximum(found, _LEAST_WEIGHT)


def _signs(one: Sample, weights: Numbers) -> Signs:
    scores = one.features @ weights
    best = [one.candidates[n] for n in np.argsort(-scores, kind="stable")[: selection.LOOKED_AT]]
    return signs(one.question, one.pages, best, float(scores.max()))


def _fit(samples: Sequence[Sample], rows: Numbers) -> tuple[Numbers, float]:
    labels = np.array([one.origin in _COUNTS for one in samples], float)
    return logistic(rows, labels, np.array([_SHARES[one.origin] for one in samples]))


def _likely(rows: Numbers, weights: Numbers, at_zero: float) -> Numbers:
    return 1 / (1 + np.exp(-(rows @ weights + at_zero)))


def _by_fold(
    samples: Sequence[Sample], rows: Numbers, folds: Sequence[str], held: dict[str, Numbers]
) -> tuple[dict[str, Weights], Numbers]:
    """Return what is learned without each fold, and how likely it finds that fold's questions."""
    likely = np.zeros(len(samples))
    inside = {fold: np.array([one.fold == fold for one in samples]) for fold in folds}
    fitted = {}
    for fold in folds:
        others = [one for one in samples if one.fold != fold]
        fitted[fold] = _fit(others, rows[~inside[fold]])
        likely[inside[fold]] = _likely(rows[inside[fold]], *fitted[fold])
    learned = {}
    for fold in folds:
        others = [one for one in samples if one.fold != fold]
        borders = _borders(others, likely[~inside[fold]])
        learned[fold] = _as_weights(held[fold], *fitted[fold], borders)
    return learned, likely


def _borders(samples: Sequence[Sample], likely: Numbers) -> tuple[float, float]:
    answered = likely[[one.origin == "squad" for one in samples]]
    return float(np.quantile(answered, _REFUSED)), float(np.quantile(answered, _DOUBTED))


def _weights(
    sentence: Numbers, samples: Sequence[Sample], rows: Numbers, likely: Numbers
) -> Weights:
    """Return what is shipped; its borders are those of questions that were held out."""
    return _as_weights(sentence, *_fit(samples, rows), _borders(samples, likely))


def _as_weights(
    sentence: Numbers, answered: Numbers, at_zero: float, borders: tuple[float, float]
) -> Weights:
    return Weights(
        sentence=Features(*(round(float(each), 3) for each in sentence)),
        answered=Signs(*(round(float(each), 3) for each in answered)),
        at_zero=round(at_zero, 3),
        refused_below=round(borders[0], 3),
        doubted_below=round(borders[1], 3),
    )


def _plain(weights: Weights) -> Json:
    return asdict(weights) | {
        "sentence": weights.sentence._asdict(),
        "answered": weights.answered._asdict(),
    }


def _show_sentences(samples: Sequence[Sample], held: dict[str, Numbers]) -> None:
    for origin in _COUNTS:
        some = [one for one in samples if one.origin == origin]
        hits = np.zeros(3)
        for one in some:
            order = np.argsort(-(one.features @ held[one.fold]), kind="stable")
            hits += [one.right[order[:count]].any() for count in (1, 3, 5)]
        shares = ", ".join(f"{share:.1%}" for share in hits / len(some))
        sys.stdout.write(f"{origin}, {len(some)}: right in the first 1, 3, 5 sentences {shares}\n")


def _show_certainty(samples: Sequence[Sample], likely: Numbers) -> None:
    origins = np.array([one.origin for one in samples])
    for border in _borders(samples, likely):
        below = {name: f"{(likely[origins == name] < border).mean():.1%}" for name in _SHARES}
        sys.stdout.write(f"below {border:.2f}: {below}\n")


def _module(weights: Weights) -> str:
    """Return the module of the weights with new figures in it."""
    parts = ["LEARNED = Weights(\n"]
    for name, noun in (("sentence", weights.sentence), ("answered", weights.answered)):
        fields = "".join(f"        {key}={value:.3f},\n" for key, value in noun._asdict().items())
        parts.append(f"    {name}={type(noun).__name__}(\n{fields}    ),\n")
    rest = ("at_zero", "refused_below", "doubted_below")
    parts += [f"    {name}={getattr(weights, name):.3f},\n" for name in rest]
    text = WEIGHTS.read_text(encoding="utf-8")
    return re.sub(r"(?m)^LEARNED = Weights\(\n(?:    .*\n)*\)", f"{''.join(parts)})", text)


if __name__ == "__main__":
    main()
