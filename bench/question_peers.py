"""What others would answer with: plain BM25 over sentences, and tantivy's best passages."""

from __future__ import annotations

import importlib
import math
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from bench.question_sets import QuestionSet, texts
from bench.question_tally import Tally
from groundwire.library.passages import cut
from groundwire.text.markdown import BlockKind, blocks
from groundwire.text.sentences import sentences

Found: TypeAlias = list[tuple[str, str]]
"""Texts with the URLs of their pages, best first."""

MOST = 3
_WORD = re.compile(r"[a-z0-9]+")


def tally(asked: QuestionSet, ask: Callable[[str], Found]) -> Tally:
    """Ask a peer every question of a set; it never refuses."""
    found = Tally(has_answers=True)
    for question in asked.questions:
        began = time.process_time()
        best = ask(question.text)
        found.note(
            hits=[question.is_hit(said, url) for said, url in best],
            lengths=[len(said) for said, _ in best],
            cpu_seconds=time.process_time() - began,
        )
    return found


@dataclass(slots=True)
class _Sentence:
    text: str
    url: str
    words: Counter[str]
    paragraph: int


class PlainBm25:
    """Ranks all sentences by BM25 of their words and of their paragraph's: ten lines of code."""

    def __init__(self, library: Path) -> None:
        self._every = [*_sentences(library)]
        self._paragraphs: dict[int, Counter[str]] = {}
        for one in self._every:
            self._paragraphs.setdefault(one.paragraph, Counter()).update(one.words)
        self._spread = Counter(word for words in self._paragraphs.values() for word in words)
        self._mean = sum(each.total() for each in self._paragraphs.values()) / self._count

    @property
    def _count(self) -> int:
        return max(1, len(self._paragraphs))

    def ask(self, question: str) -> Found:
        """Return the best sentences."""
        terms = {*_WORD.findall(question.lower())}
        rare = {
            term: math.log(
                1 + (self._count - self._spread[term] + 0.5) / (self._spread[term] + 0.5)
            )
            for term in terms
        }
        around = {
            number: _bm25(words, rare, self._mean)
            for number, words in self._paragraphs.items()
            if terms & words.keys()
        }
        best = sorted(
            (one for one in self._every if one.paragraph in around),
            key=lambda one: -(_bm25(one.words, rare, 25) + around[one.paragraph]),
        )
        return [(one.text, one.url) for one in best[:MOST]]


class TantivyPassages:
    """tantivy as its documentation shows it, over passages of at most 1,500 characters."""

    def __init__(self, library: Path) -> None:
        tantivy: Any = importlib.import_module("tantivy")
        builder = tantivy.SchemaBuilder()
        builder.add_text_field("url", stored=True, tokenizer_name="raw")
        builder.add_text_field("body", stored=True, tokenizer_name="en_stem")
        self._index = tantivy.Index(builder.build())
        writer = self._index.writer()
        for url, text in texts(library):
            for passage in cut(text):
                body = text[passage.start : passage.end]
                writer.add_document(tantivy.Document(url=url, body=body))
        writer.commit()
        writer.wait_merging_threads()
        self._index.reload()

    def ask(self, question: str) -> Found:
        """Return the best passages, by any word of the question."""
        parsed, _ = self._index.parse_query_lenient(question, ["body"])
        searcher = self._index.searcher()
        documents = [searcher.doc(address) for _, address in searcher.search(parsed, MOST).hits]
        return [(each["body"][0], each["url"][0]) for each in documents]


PEERS: dict[str, type[PlainBm25 | TantivyPassages]] = {
    "plain BM25": PlainBm25,
    "tantivy": TantivyPassages,
}


def _sentences(library: Path) -> Iterator[_Sentence]:
    number = 0
    for url, text in texts(library):
        for block in blocks(text):
            if block.kind is BlockKind.HEADING:
                continue
            number += 1
            for span in sentences(text, block.said.start, block.said.end):
                said = text[span.start : span.end]
                yield _Sentence(said, url, Counter(_WORD.findall(said.lower())), number)


def _bm25(words: Counter[str], rare: dict[str, float], mean: float) -> float:
    length = 1.2 * (0.25 + 0.75 * words.total() / mean)
    return sum(
        weight * words[term] * 2.2 / (words[term] + length)
        for term, weight in rare.items()
        if term in words
    )
