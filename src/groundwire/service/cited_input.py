"""Whatever cites, read for its claims: Markdown, HTML, our exports, saved replies of services."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from groundwire import citations, registry
from groundwire.checks.cited_answer import cited_answer, cited_answers, is_answer
from groundwire.checks.cited_html import html_to_markdown, looks_like_html
from groundwire.checks.cited_text import CitedText, parse_cited
from groundwire.errors import ConfigError
from groundwire.events import Citations, TextDelta
from groundwire.wire.contract import Answers

if TYPE_CHECKING:
    from collections.abc import Iterator

    from groundwire.model import Citation, Json

_NO_ANSWER = (
    "this JSON is no answer that is known: give the answer's text, `groundwire ask --json`, or the "
    "body of a reply of Anthropic, OpenAI, Gemini, OpenRouter or Perplexity"
)
_LISTS = ("citations", "sources", "search_results", "references")
_TEXTS = ("content", "answer", "text", "output_text", "markdown")


def cited_input(text: str) -> CitedText:
    """Return the claims of a text in any form, with the pages that it names for them.

    Raises:
        ConfigError: It is JSON, and no answer of a known kind.
    """
    text = text.removeprefix("\ufeff")
    if text.lstrip()[:1] in ("{", "["):
        values = [*_json_values(text)]
        if values:
            return _cited_json(values)
    if looks_like_html(text):
        return parse_cited(html_to_markdown(text))
    return parse_cited(text)


def _json_values(text: str) -> Iterator[Json]:
    """Yield the document, or the documents of its lines; nothing if it is no JSON."""
    try:
        yield json.loads(text)
    except (ValueError, RecursionError):
        lines = [line for line in text.splitlines() if line.strip()]
        try:
            values = [json.loads(line) for line in lines]
        except (ValueError, RecursionError):
            return
        yield from values


def _cited_json(values: list[Json]) -> CitedText:
    # Of the events of a turn, the last has the whole answer.
    for value in reversed(values):
        if answers := [*_own_answers(value)]:
            return cited_answers(answers)
    for value in values:
        if name := _service_of(value):
            return _cited_reply(name, value)
        if loose := _loose_answer(value):
            return parse_cited(loose)
    raise ConfigError(_NO_ANSWER)


def _own_answers(value: Json) -> Iterator[Json]:
    """Yield the answers of an export, a bundle, a message or an event."""
    for name in ("answers", "messages"):
        for each in listed if isinstance(listed := _inside(value, name), list) else ():
            yield from _own_answers(each)
    for found in (value, _inside(value, "answer"), _inside(value, "message", "answer")):
        if is_answer(found):
            yield found


def _inside(value: Json, *keys: str) -> Json:
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return value


def _service_of(value: Json) -> str:
    """Return whose reply a JSON body is, "" if nobody's that is known."""
    if not isinstance(value, dict):
        return ""
    if isinstance(value.get("candidates"), list):
        return "gemini"
    if value.get("object") == "response" and isinstance(value.get("output"), list):
        return "openai-responses"
    if value.get("type") == "message" and isinstance(value.get("content"), list):
        return "anthropic"
    if isinstance(value.get("choices"), list) and not any(value.get(key) for key in _LISTS):
        return "openrouter"
    return ""


def _cited_reply(name: str, body: Json) -> CitedText:
    """Read a reply as the provider does when it comes live."""
    provider = registry.get(name)
    if not isinstance(provider, Answers):
        raise ConfigError(_NO_ANSWER)
    decoder = provider.answer_decoder()
    text = ""
    cited: list[Citation] = []
    for event in (*decoder.feed_body(body), *decoder.finish()):
        if isinstance(event, TextDelta):
            text += event.text
        elif isinstance(event, Citations):
            cited += event.citations
    return cited_answer(citations.to_json(citations.place(text, cited)))


def _loose_answer(value: Json) -> str:
    """Return a text with its sources listed, as services do whose markers are plain `[n]`."""
    text = next((value[key] for key in _TEXTS if isinstance(_inside(value, key), str)), "")
    choices = _inside(value, "choices")
    if not text and isinstance(choices, list) and choices:
        text = _inside(choices[0], "message", "content")
    listed: list[Json] = next(
        (value[key] for key in _LISTS if isinstance(_inside(value, key), list)), []
    )
    if not isinstance(text, str) or not text:
        return ""
    urls = [each if isinstance(each, str) else _inside(each, "url") for each in listed]
    lines = [f"[{number}] {url}" for number, url in enumerate(urls, 1) if isinstance(url, str)]
    return "\n\n".join((text, "Sources:\n" + "\n".join(lines) if lines else ""))
