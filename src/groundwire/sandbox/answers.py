"""From a question to a plan: which searches, pages, tool calls and sentences an answer has.

Protocol-neutral and deterministic: the same question gets the same plan on every provider, so a
test can compare what two providers' decoders made of it.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from typing import Protocol

from groundwire.sandbox.arguments import arguments_for
from groundwire.sandbox.json import Json
from groundwire.sandbox.played_citations import played
from groundwire.sandbox.tool_wishes import is_named, says, without_reminders, worth_calling
from groundwire.sandbox.web import EVERYWHERE, Domains, Hit, SearchableWeb, WebPage

URL = re.compile(r"https?://[^\s<>\"'()]+[^\s<>\"'().,;:!?]")
# A full stop inside a number ends nothing.
SENTENCE = re.compile(r"\S.*?(?:[.!?](?=\s|$)|。|$)\s*", re.DOTALL)
RESULT_LIMIT = 5
MAX_SENTENCES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class OfferedTool:
    """A tool that the caller offers; `schema` is the JSON Schema of its arguments."""

    name: str
    schema: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Searching:
    """That the provider may search: `limit` results per search, at most `max_uses` searches."""

    domains: Domains = EVERYWHERE
    limit: int = RESULT_LIMIT
    max_uses: int | None = None
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetching:
    """That the provider may open pages; `with_citations` if it shall say where it read what."""

    domains: Domains = EVERYWHERE
    with_citations: bool = True


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolResult:
    """What a tool of the caller returned; `pages` if it came as search results to cite from."""

    name: str
    text: str
    pages: tuple[WebPage, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedQuestion:
    """What is asked, whatever protocol it came in. `attachments` are media types."""

    text: str
    tools: tuple[OfferedTool, ...] = ()
    must_call: str | None = None
    tool_results: tuple[ToolResult, ...] = ()
    searching: Searching | None = None
    fetching: Fetching | None = None
    wants_thinking: bool = False
    attachments: tuple[str, ...] = ()
    max_tokens: int | None = None
    continued: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """One search; `error` is the provider-neutral reason why it has no hits."""

    query: str
    hits: tuple[Hit, ...] = ()
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Fetch:
    """One page that was opened, or `error`."""

    url: str
    page: WebPage | None = None
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCall:
    """A call of one of the caller's tools."""

    name: str
    arguments: Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Segment:
    """A stretch of the answer. With a page it is a claim, and `quote` is what the page says.

    `result_index` counts the caller's own search results; None if the provider found the page.
    """

    text: str
    page: WebPage | None = None
    quote: str = ""
    was_fetched: bool = False
    result_index: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerPlan:
    """An answer before any provider has put it into its own form."""

    thinking: str = ""
    searches: tuple[Search, ...] = ()
    fetches: tuple[Fetch, ...] = ()
    segments: tuple[Segment, ...] = ()
    calls: tuple[PlannedCall, ...] = ()
    pauses: bool = False
    is_cut: bool = False

    @property
    def text(self) -> str:
        """Return the whole answer without any provider's links."""
        return "".join(segment.text for segment in self.segments)

    @property
    def pages(self) -> tuple[WebPage, ...]:
        """Return the cited pages, each once, in order of first use."""
        return tuple(dict.fromkeys(s.page for s in self.segments if s.page is not None))


class Answerer(Protocol):
    """What answers better than the first sentence of each page does; somebody else brings it."""

    def claims(self, question: str, pages: Sequence[WebPage]) -> Sequence[Segment]:
        """Return sentences that answer a question, each with its page; none if no page does."""

    def go_on(
        self, question: str, results: Sequence[ToolResult], tools: Collection[str]
    ) -> PlannedCall | str | None:
        """Return the next call or the answer after web tools have run, None after other tools."""


def plan(
    question: AskedQuestion, library: SearchableWeb, answerer: Answerer | None = None
) -> AnswerPlan:
    """Decide what to answer; an answerer's are read by people, who may ask through an agent."""
    if answerer:
        question = replace(question, text=without_reminders(question.text))
    thinking = f"The question is: {question.text[:80]}" if question.wants_thinking else ""
    if answerer and question.tool_results:
        names = [tool.name for tool in question.tools]
        match answerer.go_on(question.text, question.tool_results, names):
            case PlannedCall() as call:
                return AnswerPlan(thinking=thinking, calls=(call,))
            case str() as text:
                return _limited(
                    AnswerPlan(thinking=thinking, segments=(Segment(text=text),)), question
                )
    if answerer and question.must_call is None:
        question = replace(question, tools=worth_calling(question.tools, question.text))
    calls = _calls(question)
    if calls:
        return AnswerPlan(thinking=thinking, calls=calls)
    if question.tool_results:
        return _limited(AnswerPlan(thinking=thinking, segments=_from_results(question)), question)
    fetches = _fetches(question, library)
    searches = () if fetches else _searches(question, library)
    if searches and not fetches and question.fetching and says(question.text, "read", "open"):
        fetches = _opened(searches, question.fetching, library)
    segments = _segments(question, searches, fetches, answerer)
    pauses = bool(searches) and _shall_pause(question)
    answer = AnswerPlan(
        thinking=thinking, searches=searches, fetches=fetches, segments=segments, pauses=pauses
    )
    return _limited(answer, question)


def _shall_pause(question: AskedQuestion) -> bool:
    if says(question.text, "pause forever"):
        return True
    return question.continued == 0 and says(question.text, "pause")


def _calls(question: AskedQuestion) -> tuple[PlannedCall, ...]:
    if not question.tools or question.tool_results:
        return ()
    named = [tool for tool in question.tools if is_named(tool.name, question.text)]
    forced = [tool for tool in question.tools if tool.name == question.must_call]
    # A model that can search itself uses somebody's tool only when it is told to.
    if question.searching and not named and question.must_call is None:
        return ()
    chosen = forced or named or list(question.tools)
    if not says(question.text, "both"):
        chosen = chosen[:1]
    elif len(chosen) == 1:
        chosen = chosen * 2
    return tuple(
        PlannedCall(name=tool.name, arguments=arguments_for(tool.schema, question.text, number))
        for number, tool in enumerate(chosen[:2])
    )


def _from_results(question: AskedQuestion) -> tuple[Segment, ...]:
    pages = [page for result in question.tool_results for page in result.pages]
    if pages:
        claims = [
            Segment(text=quote.strip(), page=page, quote=quote, result_index=number)
            for number, page in enumerate(pages[:MAX_SENTENCES])
            for quote in SENTENCE.findall(page.text)[:1]
        ]
        return _framed(claims)
    lines = (
        f"The tool {result.name} returned: {' '.join(result.text.split())[:400]}\n"
        for result in question.tool_results
    )
    return (Segment(text="".join(lines).rstrip("\n")),)


def _searches(question: AskedQuestion, library: SearchableWeb) -> tuple[Search, ...]:
    settings = question.searching
    if settings is None:
        return ()
    words = " ".join(re.findall(r"[\w'’-]+", URL.sub("", question.text)))[:80]
    queries = [words]
    if says(question.text, "compare"):
        queries = [part for part in re.split(r"\b(?:and|with)\b", words) if part.strip()][:2]
    found = []
    for number, query in enumerate(queries):
        if settings.error:
            found.append(Search(query=query.strip(), error=settings.error))
        elif settings.max_uses is not None and number >= settings.max_uses:
            found.append(Search(query=query.strip(), error="max_uses_exceeded"))
        else:
            hits = library.search(query, limit=settings.limit, domains=settings.domains)
            found.append(Search(query=query.strip(), hits=tuple(hits)))
    return tuple(found)


def _fetches(question: AskedQuestion, library: SearchableWeb) -> tuple[Fetch, ...]:
    if question.fetching is None:
        return ()
    return tuple(_fetch(url, question.fetching, library) for url in URL.findall(question.text)[:2])


def _opened(
    searches: tuple[Search, ...], settings: Fetching, library: SearchableWeb
) -> tuple[Fetch, ...]:
    best = next((hit.page.url for search in searches for hit in search.hits), None)
    return () if best is None else (_fetch(best, settings, library),)


def _fetch(url: str, settings: Fetching, library: SearchableWeb) -> Fetch:
    if not settings.domains.allow(url):
        return Fetch(url=url, error="url_not_allowed")
    page = library.open(url)
    return Fetch(url=url, page=page, error="" if page else "url_not_accessible")


def _segments(
    question: AskedQuestion,
    searches: tuple[Search, ...],
    fetches: tuple[Fetch, ...],
    answerer: Answerer | None,
) -> tuple[Segment, ...]:
    if answerer:
        claims = _answered(question, searches, fetches, answerer)[:MAX_SENTENCES]
        return _paragraphs(claims) or (Segment(text=_unanswered(question, searches, fetches)),)
    if searches and (wanted := played(question.text)):
        return _framed([Segment(text=e.text, page=e.page, quote=e.quote) for e in wanted])
    claims = [
        Segment(text=sentence.strip(), page=page, quote=sentence, was_fetched=was_fetched)
        for page, sentence, was_fetched in _evidence(searches, fetches)
    ][:MAX_SENTENCES]
    if not claims:
        return (Segment(text=_plain_answer(question, searches, fetches)),)
    return _framed(claims)


def _answered(
    question: AskedQuestion,
    searches: tuple[Search, ...],
    fetches: tuple[Fetch, ...],
    answerer: Answerer,
) -> list[Segment]:
    """Return what the opened pages answer, or else those that were only found."""
    opened = [fetch.page for fetch in fetches if fetch.page]
    if opened and (claims := answerer.claims(question.text, opened)):
        return [replace(claim, was_fetched=True) for claim in claims]
    found = dict.fromkeys(hit.page for search in searches for hit in search.hits)
    return [*answerer.claims(question.text, [*found])]


def _paragraphs(claims: list[Segment]) -> tuple[Segment, ...]:
    """Return the claims alone, a paragraph each: somebody reads this for its own sake."""
    segments: list[Segment] = []
    for claim in claims:
        segments += [Segment(text="\n\n"), claim] if segments else [claim]
    return tuple(segments)


def _framed(claims: list[Segment]) -> tuple[Segment, ...]:
    """Put words around the claims that make every count of characters and bytes differ."""
    segments = [Segment(text="Here is what the pages say – naïve but true:\n- ")]
    for number, claim in enumerate(claims):
        segments += [Segment(text="\n- ")] if number else []
        segments.append(claim)
    return (*segments, Segment(text="\n\nThat is all I found."))


def _evidence(
    searches: tuple[Search, ...], fetches: tuple[Fetch, ...]
) -> list[tuple[WebPage, str, bool]]:
    """Return sentences with their page: the opened pages' own, else the best of each hit."""
    opened = [
        (fetch.page, sentence, True)
        for fetch in fetches
        if fetch.page
        for passage in fetch.page.passages
        for sentence in SENTENCE.findall(passage)
    ]
    found = [
        (hit.page, SENTENCE.findall(hit.passages[0])[0], False)
        for search in searches
        for hit in search.hits[: MAX_SENTENCES // len(searches)]
    ]
    return opened or found


def _unanswered(
    question: AskedQuestion, searches: tuple[Search, ...], fetches: tuple[Fetch, ...]
) -> str:
    """Return what is said where no page answers: why, and what would help."""
    if told := _fruitless(searches, fetches):
        return told
    about = "This model is played on this machine and answers only from the library there."
    return f"{about}{_attached(question)} Let it search to get an answer with sources."


def _fruitless(searches: tuple[Search, ...], fetches: tuple[Fetch, ...]) -> str:
    if any(search.error for search in searches) or any(fetch.error for fetch in fetches):
        return "I could not look that up: the tool reported an error."
    return "I searched, but no page answers that." if searches else ""


def _attached(question: AskedQuestion) -> str:
    return "".join(f" I can see an attachment of type {kind}." for kind in question.attachments)


def _plain_answer(
    question: AskedQuestion, searches: tuple[Search, ...], fetches: tuple[Fetch, ...]
) -> str:
    if told := _fruitless(searches, fetches):
        return told
    attached = _attached(question)
    answer = f"This is the sandbox speaking. You said: “{question.text[:200]}”.{attached} "
    times = 40 if says(question.text, "at length") else 1
    return answer + "Grüße aus dem Sandkasten, 世界 🌍! " * times + "Goodbye."


def _limited(answer: AnswerPlan, question: AskedQuestion) -> AnswerPlan:
    """Cut the answer where the caller's limit of tokens (of four characters) is reached."""
    if question.max_tokens is None or len(answer.text) <= 4 * question.max_tokens:
        return answer
    kept: list[Segment] = []
    room = 4 * question.max_tokens
    for segment in answer.segments:
        if len(segment.text) >= room:
            kept.append(replace(segment, text=segment.text[:room], page=None, quote=""))
            break
        kept.append(segment)
        room -= len(segment.text)
    return replace(answer, segments=tuple(kept), is_cut=True)
