"""Search first: how a model that cannot call tools still answers from sources.

We search and open the best pages, hand the model the passages that matter, numbered, and ask for
sentences that each name their sources, in a form that the server enforces where it can (a JSON
schema). The numbers then go through the same check as every other model's.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from groundwire.chat.events import Noticed
from groundwire.extractive import SourceText, extract
from groundwire.model import ToolCall, UserMessage
from groundwire.tools import Ours, StrangersText, for_model

if TYPE_CHECKING:
    from groundwire.conversation import ToolRun
    from groundwire.model import Json
    from groundwire.tools import Tool
    from groundwire.wire.contract import Question

MAX_CHARACTERS = 4_000
"""Of all passages together: small models have small windows. The option `context_characters`
of a provider says otherwise."""

PAGES = 3
_SHORTEST_PASSAGE = 200
_MAX_SENTENCES = 6
_QUERY_LENGTH = 300


def not_called(tools: Sequence[Tool]) -> Noticed | None:
    """Return the notice that a model calls none of these tools, None if there are none."""
    if not tools:
        return None
    names = ", ".join(tool.name for tool in tools)
    return Noticed(message=f"this model calls no tools, so not {names}", code="tools_not_called")


def search_call(question: str) -> ToolCall:
    """Return the search that we make in the model's place."""
    query = " ".join(question.split())[:_QUERY_LENGTH]
    return ToolCall(id="first-search", name="web_search", arguments=json.dumps({"query": query}))


def open_call(searched: ToolRun) -> ToolCall | None:
    """Return the call that opens the best pages of a search, None if it found none."""
    urls = [hit.url for hit in searched.results[:PAGES]]
    if not urls:
        return None
    return ToolCall(id="first-pages", name="open_page", arguments=json.dumps({"url": urls}))


def with_sources(
    question: Question, sources: Mapping[str, SourceText], options: Mapping[str, Json]
) -> Question:
    """Return a question that goes out with what was found for it, and a form for its answer."""
    *earlier, asked = question.messages
    if not sources or not isinstance(asked, UserMessage):
        return question
    limit = options.get("context_characters", MAX_CHARACTERS)
    told = prompt(asked.content, [*sources.values()], max_characters=limit)
    return replace(
        question,
        messages=(*earlier, replace(asked, content=told)),
        reply_schema=schema(sources),
        reply_is_strict=True,
    )


def prompt(question: str, sources: Sequence[SourceText], *, max_characters: int) -> str:
    """Return the question with the passages of the sources that bear on it."""
    passages = _passages(question, sources, max_characters)
    told = "\n\n".join(f"[{source.id}] {source.title}\n{text}" for source, text in passages)
    wanted = (
        "\nAnswer the question from the sources above, in one to three short sentences. "
        f"Each sentence names the numbers of the sources it rests on.\n\nQuestion: {question}"
    )
    return for_model(StrangersText(told, "sources"), Ours(wanted))


def schema(ids: Iterable[str]) -> Json:
    """Return the form of an answer: sentences, each with the numbers of known sources."""
    known = [int(id_) for id_ in ids]
    sentence = {
        "type": "object",
        "properties": {
            "text": {"type": "string"},
            "sources": {
                "type": "array",
                "items": {"type": "integer", "enum": known},
                "minItems": 1,
                "maxItems": len(known),
            },
        },
        "required": ["text", "sources"],
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {
            "sentences": {
                "type": "array",
                "items": sentence,
                "minItems": 1,
                "maxItems": _MAX_SENTENCES,
            }
        },
        "required": ["sentences"],
        "additionalProperties": False,
    }


def written(reply: str) -> str:
    """Return a reply as text with markers; one that does not have the form stays as it is."""
    try:
        sentences = json.loads(reply)["sentences"]
        pieces = [
            (str(each["text"]).strip(), [int(n) for n in each["sources"]]) for each in sentences
        ]
    except (KeyError, TypeError, ValueError):
        return reply
    marked = [
        text + "".join(f"[{number}]" for number in dict.fromkeys(numbers))
        for text, numbers in pieces
        if text
    ]
    return " ".join(marked)


def _passages(
    question: str, sources: Sequence[SourceText], max_characters: int
) -> list[tuple[SourceText, str]]:
    """Return what of each source answers the question, else how it begins, within the limit."""
    quoted: dict[str, list[str]] = {}
    for quote in extract(question, sources).quotes:
        quoted.setdefault(quote.source, []).append(quote.text)
    share = max(_SHORTEST_PASSAGE, max_characters // max(1, len(sources)))
    chosen = [
        (source, ("\n".join(quoted.get(source.id, ())) or source.text.strip())[:share])
        for source in sources
    ]
    return [(source, text) for source, text in chosen if text]
