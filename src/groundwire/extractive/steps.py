"""The extractive model as one function: what it does next, given what its tools have told it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from groundwire.extractive.answer import Written, compose, write
from groundwire.extractive.forms import is_history
from groundwire.extractive.matches import match
from groundwire.extractive.questions import Asked, understand
from groundwire.extractive.results import ResultPage, ToolReply, found_in, pages_in, words_of
from groundwire.extractive.selection import SourceText, extract

SEARCH, OPEN = "web_search", "open_page"
"""The tools that it can use."""

MAX_RESULTS = 10
MAX_PAGES = 5
MAX_LENGTH = 600_000
"""How many characters of all pages together are read: the answer may stand at the end of one."""

NEEDS_SOURCES = (
    "I can only quote sources, and I have none: turn web search on, or add documents to the "
    "library with `groundwire library add FOLDER`."
)
NOTHING_FOUND = "The search found nothing for this: other or fewer words may find something."
NO_QUESTION = "I can only answer with quotes: ask about something that a page could say."
_MAX_SEARCHES = 2
_URL = re.compile(r"https?://[^\s<>\"'()]+[^\s<>\"'().,;:!?]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A tool to call."""

    tool: str
    arguments: dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cited:
    """A quote of a page that was read, and its place in the answer, marker included."""

    url: str
    title: str
    quote: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotedAnswer:
    """What it says, as Markdown with the ids of its sources in brackets, and what it quotes."""

    text: str
    cited: tuple[Cited, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SearchFailure:
    """Why it cannot answer: nothing could be searched."""

    reason: str


Step: TypeAlias = Call | QuotedAnswer | SearchFailure


def next_step(question: str, told: Sequence[ToolReply], tools: Collection[str]) -> Step:
    """Return what to do next: search, open the best pages, then answer; deterministic."""
    if not told:
        return _first(question, tools)
    pages = [page for one in told if one.tool == OPEN for page in pages_in(one)]
    found = [hit for one in told if one.tool == SEARCH for hit in found_in(one)]
    opened = {url for url, _ in pages} | {
        hit.url for hit in found if any(source.id == hit.id for _, source in pages)
    }
    has_opened = any(one.tool == OPEN for one in told)
    if told[-1].tool == SEARCH and OPEN in tools:
        fresh = [hit for hit in found if hit.url not in opened]
        if best := best_hits(understand(question), fresh):
            return _open([hit.url for hit in best])
    chosen = extract(question, [source for _, source in pages] or _snippets(found))
    if chosen.quotes:
        is_short = has_opened and not pages
        written = compose(chosen, only_found=is_short)
        return QuotedAnswer(text=written.text, cited=_cited(written, pages))
    if again := _again(question, told, tools):
        return again
    failed = [words_of(one) for one in told if one.is_error]
    if failed and not found and not pages:
        return SearchFailure(reason=failed[0])
    return QuotedAnswer(text=write(chosen) if found or pages else NOTHING_FOUND)


def _cited(written: Written, pages: Sequence[tuple[str, SourceText]]) -> tuple[Cited, ...]:
    """Return the quotes of pages that were read; what only a search quotes is found, not cited."""
    by_id = {source.id: (url, source.title) for url, source in pages}
    return tuple(
        Cited(
            url=by_id[placed.quote.source][0],
            title=by_id[placed.quote.source][1],
            quote=placed.quote.text,
            start=placed.start,
            end=placed.end,
        )
        for placed in written.quotes
        if placed.quote.source in by_id
    )


def _first(question: str, tools: Collection[str]) -> Step:
    if OPEN in tools and (urls := _URL.findall(question)):
        return _open([*dict.fromkeys(urls)][:MAX_PAGES])
    if SEARCH not in tools:
        return QuotedAnswer(text=NEEDS_SOURCES)
    asked = understand(question)
    return _search(asked.core) if asked.terms else QuotedAnswer(text=NO_QUESTION)


def _again(question: str, told: Sequence[ToolReply], tools: Collection[str]) -> Call | None:
    """Return a second search with all the words, where the first had only those that carry it."""
    searches = sum(one.tool == SEARCH for one in told)
    asked = understand(question)
    if SEARCH not in tools or not asked.terms or searches >= _MAX_SEARCHES:
        return None
    if searches == 0:
        return _search(asked.core)
    return _search(asked.query) if asked.query != asked.core else None


def _search(query: str) -> Call:
    return Call(tool=SEARCH, arguments={"query": query, "limit": MAX_RESULTS})


def _open(urls: list[str]) -> Call:
    return Call(tool=OPEN, arguments={"url": urls, "max_length": MAX_LENGTH})


def best_hits(asked: Asked, found: Sequence[ResultPage]) -> list[ResultPage]:
    """Return the results to open, in the order of their promise: title, snippet and rank."""
    once = list({hit.url: hit for hit in reversed(found)}.values())[::-1]
    ranked = sorted(enumerate(once), key=lambda pair: (-_promise(asked, pair[1], pair[0]), pair[0]))
    return [hit for _, hit in ranked[:MAX_PAGES]]


def _promise(asked: Asked, hit: ResultPage, rank: int) -> float:
    total = sum(term.weight for term in asked.terms) or 1.0
    titled = match(hit.title, asked).within(0, len(hit.title) + 1)
    said = match(hit.snippet, asked).within(0, len(hit.snippet) + 1)
    met = sum(
        term.weight * (0.6 * one + 0.2 * two)
        for term, one, two in zip(asked.terms, titled, said, strict=True)
    )
    return met / total + 1.0 / (2 + rank) - (0.35 if is_history(hit.title) else 0.0)


def _snippets(found: Sequence[ResultPage]) -> list[SourceText]:
    once = {hit.id: hit for hit in reversed(found)}
    return [
        SourceText(id=hit.id, title=hit.title, text=hit.snippet) for hit in reversed(once.values())
    ]
