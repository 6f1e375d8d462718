"""Learns how the extractive model weighs sentences, and says how well it does on what it never saw.

    python -m tools.train_extractive --squad FOLDER --documentation FOLDER --own FILE [--write]

Needs numpy, which the package itself does not. `--squad` has `articles` and `questions.json`,
`--documentation` is the root below which Debian's documentation is unpacked, `--own` a file of
questions about this repository's documentation. Figures are of articles held out, one at a time;
of documentation a fifth at a time. `--write` trains on everything and stores
`src/groundwire/extractive/weights.py`.

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
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from groundwire.extractive import selection
from groundwire.extractive.certainty import Signs, signs
from groundwire.extractive.features import Features, candidates
from groundwire.extractive.questions import understand
from groundwire.extractive.results import FoundPage
from groundwire.extractive.selection import SourceText
from groundwire.extractive.steps import MAX_RESULTS, best_hits
from groundwire.library import Adder, Library, reader

Json: TypeAlias = Any  # Files of questions.
Numbers: TypeAlias = Any  # numpy's arrays.

WEIGHTS = Path("src/groundwire/extractive/weights.py")
QUESTIONS = (Path("tests/extractive/questions.json"), Path("tests/extractive/more_questions.json"))
PATTERNS = {
    "python": "usr/share/doc/python3.*/html",
    "git": "usr/share/doc/git-doc",
    "postgresql": "usr/share/doc/postgresql-doc-*/html",
}
_OF_DOCUMENTATION = 6
"""Of documentation there are few questions: each counts as so many."""

_SHARES = {"squad": 1.0, "documentation": 4.0, "own": 4.0, "removed": 2.0, "unrelated": 3.0}
"""How much a question counts for whether any sentence answers, by where it is from."""

_REFUSED, _DOUBTED = 0.025, 0.105
"""Which part of the answerable questions may be below each border: 3 and 11 of 100, and a bit."""


@dataclass(slots=True)
class Sample:
    """A question with every candidate sentence: features, and which of them are right."""

    origin: str
    fold: str
    features: Numbers
    right: Numbers
    question: Any = field(repr=False)
    absent: list[int] = field(default_factory=list)
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
        samples = asyncio.run(_samples(given, Path(scratch)))
    answered = [one for one in samples if one.origin in ("squad", "documentation", "own")]
    useful = [one for one in answered if one.right.any()]
    folds = sorted({one.fold for one in samples})
    held = {fold: sentence_weights([one for one in useful if one.fold != fold]) for fold in folds}
    _show_sentences(answered, held)
    rows = np.array([_signs(one, held[one.fold]) for one in samples])
    _show_certainty(samples, rows, folds)
    if given.write:
        sentence = sentence_weights(useful, rounds=250)
        rows = np.array([_signs(one, sentence) for one in samples])
        WEIGHTS.write_text(_module(sentence, *_certainty(samples, rows)), encoding="utf-8")


async def _samples(given: argparse.Namespace, scratch: Path) -> list[Sample]:
    squad = json.loads((given.squad / "questions.json").read_text())
    debian = [json.loads(path.read_text()) for path in QUESTIONS]
    own = json.loads(given.own.read_text())
    documentation = {
        name: next(iter(sorted(given.documentation.glob(pattern))))
        for name, pattern in PATTERNS.items()
    }
    articles = await _library(scratch / "squad", {"squad": given.squad / "articles"})
    pages = await _library(scratch / "debian", documentation)
    ours = await _library(scratch / "own", {"docs": Path("docs")}, extra=[Path("README.md")])
    about_ours = [one for one in own if "must_contain" in one]
    about_debian = [one for each in debian for one in each["answered"]]
    nowhere = [{"question": one} for each in debian for one in each["unanswered"]]
    beyond = [one for one in own if "must_contain" not in one]
    return [
        *_of("squad", articles, squad),
        *_of("documentation", pages, about_debian),
        *_of("own", ours, about_ours),
        *_of("removed", articles, squad[::4]),
        *_of("unrelated", pages, [*nowhere, *_bare(squad[::40])]),
        *_of("unrelated", articles, [*_bare(about_debian[:60]), *_bare(own), *nowhere[:8]]),
        *_of("unrelated", ours, [*beyond, *_bare(squad[3::40])]),
    ]


def _bare(questions: Sequence[Json]) -> list[Json]:
    return [{"question": one["question"]} for one in questions]


async def _library(path: Path, folders: dict[str, Path], extra: Sequence[Path] = ()) -> Library:
    async with reader() as documents:
        with Library(path, writes=True) as library:
            adder = Adder(library, documents)
            for name, folder in folders.items():
                await adder.add_folder(folder, name=name)
            for file in extra:
                await adder.add_file(file)
    return Library(path)


def _of(origin: str, library: Library, questions: Sequence[Json]) -> Iterator[Sample]:
    for number, asked in enumerate(questions):
        fold = asked["page"] if "page" in asked else f"fold {number % 5}"
        without = asked["page"] if origin == "removed" else ""
        right = _right(asked) if origin != "removed" else (lambda _url, _said: False)
        if sample := _sample(library, asked["question"], without, right):
            sample.origin, sample.fold = origin, fold
            yield sample


def _right(asked: Json) -> Right:
    if "answers" in asked:
        return lambda _url, said: any(answer in said for answer in asked["answers"])
    if "must_contain" in asked:
        return lambda _url, said: any(phrase in said for phrase in asked["must_contain"])
    if "pages" in asked:
        return lambda url, _said: url.endswith(tuple(f"/{page}" for page in asked["pages"]))
    return lambda _url, _said: False


def _sample(library: Library, question: str, without: str, right: Right) -> Sample | None:
    asked = understand(question)
    hits = library.search(asked.core, limit=MAX_RESULTS)
    found = [
        FoundPage(
            id=str(number), url=hit.document.url, title=hit.document.title, snippet=hit.snippet
        )
        for number, hit in enumerate(hits, start=1)
        if not without or not hit.document.url.endswith(without)
    ]
    opened = [(hit.url, library.read(hit.url)) for hit in best_hits(asked, found)]
    sources = [
        (url, SourceText(id="1", title=page.title, text=page.content))
        for url, page in opened
        if page
    ]
    if not asked.terms or not sources:
        return None
    pages = [selection.page_of(source, asked) for _, source in sources]
    weighed = selection.weigh(asked, pages)
    every = [*candidates(weighed, pages)]
    if not every:
        return None
    spans = [pages[one.page].blocks[one.block].sentences[one.sentence] for one in every]
    said = [
        pages[one.page].text[span.start : span.end] for one, span in zip(every, spans, strict=True)
    ]
    return Sample(
        origin="",
        fold="",
        features=np.array([one.features for one in every]),
        right=np.array(
            [right(sources[one.page][0], words) for one, words in zip(every, said, strict=True)]
        ),
        question=weighed,
        absent=[n for n in range(len(asked.terms)) if not selection.mentions(pages, n)],
        candidates=every,
    )


def sentence_weights(samples: Sequence[Sample], *, rounds: int = 150) -> Numbers:
    """Return the weights that prefer right sentences most, by Adam on the logarithm of odds."""
    counts = [1 if one.origin == "squad" else _OF_DOCUMENTATION for one in samples]
    spread = np.std(np.vstack([one.features for one in samples]), axis=0) + 1e-3
    scaled = [one.features / spread for one in samples]
    weights = np.zeros(len(spread))
    first, second = np.zeros(len(spread)), np.zeros(len(spread))
    for step in range(1, rounds + 1):
        slope = -weights
        for features, one, count in zip(scaled, samples, counts, strict=True):
            scores = features @ weights
            likely = np.exp(scores - scores.max())
            likely /= likely.sum()
            wanted = likely * one.right
            slope += count * features.T @ (wanted / wanted.sum() - likely)
        slope /= sum(counts)
        first, second = 0.9 * first + 0.1 * slope, 0.99 * second + 0.01 * slope**2
        pace = 0.1 * (1 - (step - 1) / rounds)
        weights += pace * (first / (1 - 0.9**step)) / (np.sqrt(second / (1 - 0.99**step)) + 1e-8)
    return weights / spread


def _signs(one: Sample, weights: Numbers) -> Signs:
    scores = one.features @ weights
    best = [one.candidates[n] for n in np.argsort(-scores, kind="stable")[:5]]
    return signs(one.question, best, float(scores.max()), one.absent)


def logistic(rows: Numbers, labels: Numbers, counts: Numbers) -> tuple[Numbers, float]:
    """Return the weights of a logistic regression and what they are added to, by Newton's steps."""
    mean, spread = rows.mean(axis=0), rows.std(axis=0) + 1e-9
    scaled = np.c_[np.ones(len(rows)), (rows - mean) / spread]
    weights = np.zeros(scaled.shape[1])
    penalty = 0.01 * len(rows) * np.eye(len(weights))
    for _ in range(40):
        likely = 1 / (1 + np.exp(-scaled @ weights))
        slope = scaled.T @ (counts * (labels - likely)) - penalty @ weights
        curve = (scaled * (counts * likely * (1 - likely))[:, None]).T @ scaled + penalty
        weights += np.linalg.solve(curve, slope)
    bare = weights[1:] / spread
    return bare, float(weights[0] - (bare * mean).sum())


def _fit(samples: Sequence[Sample], rows: Numbers) -> tuple[Numbers, float]:
    labels = np.array([one.origin in ("squad", "documentation", "own") for one in samples], float)
    return logistic(rows, labels, np.array([_SHARES[one.origin] for one in samples]))


def _certainty(samples: Sequence[Sample], rows: Numbers) -> tuple[Numbers, float, float, float]:
    weights, at_zero = _fit(samples, rows)
    likely = 1 / (1 + np.exp(-(rows @ weights + at_zero)))
    answered = likely[[one.origin == "squad" for one in samples]]
    borders = (float(np.quantile(answered, share)) for share in (_REFUSED, _DOUBTED))
    return weights, at_zero, *borders


def _show_sentences(samples: Sequence[Sample], held: dict[str, Numbers]) -> None:
    for origin in ("squad", "documentation", "own"):
        some = [one for one in samples if one.origin == origin]
        hits = np.zeros(3)
        for one in some:
            order = np.argsort(-(one.features @ held[one.fold]), kind="stable")
            hits += [one.right[order[:count]].any() for count in (1, 3, 5)]
        shares = ", ".join(f"{share:.1%}" for share in hits / len(some))
        sys.stdout.write(f"{origin}, {len(some)}: right in the first 1, 3, 5 sentences {shares}\n")


def _show_certainty(samples: Sequence[Sample], rows: Numbers, folds: Sequence[str]) -> None:
    likely = np.zeros(len(samples))
    for fold in folds:
        inside = np.array([one.fold == fold for one in samples])
        weights, at_zero = _fit([one for one in samples if one.fold != fold], rows[~inside])
        likely[inside] = 1 / (1 + np.exp(-(rows[inside] @ weights + at_zero)))
    origins = np.array([one.origin for one in samples])
    for share in (_REFUSED, _DOUBTED):
        border = np.quantile(likely[origins == "squad"], share)
        below = {name: f"{(likely[origins == name] < border).mean():.1%}" for name in _SHARES}
        sys.stdout.write(f"below {border:.2f}: {below}\n")


def _module(sentence: Numbers, answered: Numbers, *rest: float) -> str:
    """Return the module of the weights with new figures in it."""
    text = WEIGHTS.read_text(encoding="utf-8")
    for name, noun, values in (("SENTENCE", Features, sentence), ("ANSWERED", Signs, answered)):
        fields = "".join(
            f"    {field}={value:.3f},\n" for field, value in zip(noun._fields, values, strict=True)
        )
        text = re.sub(
            rf"(?m)^{name} = {noun.__name__}\(\n(?:    .*\n)*\)",
            f"{name} = {noun.__name__}(\n{fields})",
            text,
        )
    names = ("ANSWERED_AT_ZERO", "REFUSED_BELOW", "DOUBTED_BELOW")
    for name, value in zip(names, rest, strict=True):
        text = re.sub(rf"(?m)^{name} = .*$", f"{name} = {value:.3f}", text)
    return text


if __name__ == "__main__":
    main()
