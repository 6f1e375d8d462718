"""Questions to go on with after an answer: from the headings of its pages, or by its model."""

from __future__ import annotations

import json
import re
from collections import OrderedDict
from itertools import chain, zip_longest
from typing import TYPE_CHECKING

from groundwire.client import ModelApiAdapter
from groundwire.errors import GroundwireError
from groundwire.events import Error, TextDelta
from groundwire.model import UserMessage
from groundwire.service.provider_choice import LAST_RESORT
from groundwire.text.markdown import headings, plain
from groundwire.tools.fence import Ours, StrangersText, for_model
from groundwire.wire.contract import Question

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from groundwire.checks.records import SourcePage
    from groundwire.conversation import ChatMessage
    from groundwire.service.program import Groundwire

MOST = 3
MAX_LENGTH = 160
_MAX_TOKENS = 300
_MAX_REPLY = 5_000
_KEPT = 1_000
_SHORTEST_SECTION = 80
_OF_THE_PAGE = frozenset(
    """
    about abstract authors bibliography changelog contact contents copyright feedback footnotes
    gallery index introduction license links menu navigation notes overview references related
    search share sources summary
    """.split()  # noqa: SIM905 - a list of words is read as one
)
_LATER = ("see also", "further reading", "external links", "table of contents", "next steps")
_WORD = re.compile(r"\w+")
_TITLE_END = re.compile(r"\s+[|–—·-]\s+")
SCHEMA: dict[str, object] = {
    "type": "object",
    "properties": {"questions": {"type": "array", "items": {"type": "string"}}},
    "required": ["questions"],
    "additionalProperties": False,
}
SYSTEM = (
    "Suggest up to three short questions that a reader of the answer below may want to ask next. "
    "Each stands alone, names its subject, has fewer than 15 words and is in the language of the "
    'question. Answer with one JSON object and nothing else: {"questions": ["…"]}.'
)


def from_headings(question: str, pages: Sequence[SourcePage]) -> list[str]:
    """Return questions about sections of the cited pages that the question did not ask for."""
    asked = {word.lower() for word in _WORD.findall(question)}
    offers = [list(_of_page(page, asked)) for page in pages]
    mixed = (each for each in chain.from_iterable(zip_longest(*offers)) if each)
    return list(dict.fromkeys(mixed))[:MOST]


def _of_page(page: SourcePage, asked: set[str]) -> Iterator[str]:
    found = list(headings(page.text))
    title = _TITLE_END.split(plain(page.title).strip())[0][:60].strip()
    for heading, following in zip_longest(found, found[1:]):
        said = plain(page.text[heading.said.start : heading.said.end]).strip()
        end = following.start if following else len(page.text)
        words = {word.lower() for word in _WORD.findall(said)}
        is_about_us = words <= _OF_THE_PAGE or said.lower().startswith(_LATER)
        if heading.level == 1 or not words or is_about_us or words <= asked or len(said) > 80:
            continue
        if end - heading.end < _SHORTEST_SECTION or said.lower() == title.lower():
            continue
        yield said if said.endswith("?") else f"What does “{title or page.url}” say about “{said}”?"


class FollowUps:
    """Finds them for answers, as the settings say; a model is asked once for each answer."""

    def __init__(self, program: Groundwire) -> None:
        self._program = program
        self._known: OrderedDict[str, list[str]] = OrderedDict()

    async def of(self, question: ChatMessage, answer: ChatMessage) -> list[str]:
        """Return up to three questions, none where there is nothing to go by."""
        how = self._program.settings.web.follow_ups
        if how == "off":
            return []
        if how == "model" and (found := await self._by_model(question, answer)):
            return found
        pages = await self._program.store.citation_checks.pages(answer.id)
        return from_headings(question.content, pages)

    async def _by_model(self, question: ChatMessage, answer: ChatMessage) -> list[str]:
        if answer.id not in self._known:
            self._known[answer.id] = await self._ask(question, answer)
            if len(self._known) > _KEPT:
                self._known.popitem(last=False)
        return self._known[answer.id]

    async def _ask(self, question: ChatMessage, answer: ChatMessage) -> list[str]:
        """Ask the model that answered; whatever goes wrong, there are headings."""
        program = self._program
        try:
            choice = program.chooser.named(answer.provider, await program.store.providers.list())
            if choice.endpoint.name == LAST_RESORT:
                return []
            asked = Question(
                model=answer.model,
                messages=(UserMessage(content=_prompt(question, answer)),),
                system_prompt=SYSTEM,
                reply_schema=SCHEMA,
                max_tokens=_MAX_TOKENS,
            )
            text = ""
            async for event in ModelApiAdapter(choice.endpoint, program.client).answer(asked):
                if isinstance(event, TextDelta):
                    text += event.text
                elif isinstance(event, Error):
                    return []
        except GroundwireError:
            return []
        return read_questions(text)


def _prompt(question: ChatMessage, answer: ChatMessage) -> str:
    return for_model(
        Ours("Question:"),
        StrangersText(question.content[:2_000], "the question"),
        Ours("Answer:"),
        StrangersText(answer.content[:6_000], "the answer"),
    )


def read_questions(reply: str) -> list[str]:
    """Return the questions of a model's reply, none where it has none that can be shown."""
    start = reply[:_MAX_REPLY].find("{")
    try:
        given = json.JSONDecoder().raw_decode(reply[:_MAX_REPLY], max(start, 0))[0]["questions"]
    except (ValueError, KeyError, TypeError, RecursionError):
        return []
    if not isinstance(given, list):
        return []
    found = [" ".join(each.split()) for each in given if isinstance(each, str)]
    return list(dict.fromkeys(each for each in found if 0 < len(each) <= MAX_LENGTH))[:MOST]
