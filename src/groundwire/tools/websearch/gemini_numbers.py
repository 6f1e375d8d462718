"""Gemini's answer with its own numbers: `[n]` is the place of a chunk in the reply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire import citations
from groundwire.guard.domains import REDIRECT_HOST
from groundwire.model import Evidence, domain_of
from groundwire.tools.websearch.found import HostedAnswer
from groundwire.wire.gemini.groundings import field

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from groundwire.model import Json
    from groundwire.wire.contract import HttpReply

UNTITLED = "Untitled"
NO_ADDRESS = "no address"


def read_answer(reply: HttpReply) -> HostedAnswer:
    """Return the answer in a reply of generateContent; its sources are the chunks as they came."""
    candidates = reply.json().get("candidates") or [{}]
    text = _text(candidates[0])
    if not text.strip():
        return HostedAnswer()
    metadata = field(candidates[0], "groundingMetadata") or {}
    chunks = [_without_nulls(chunk) for chunk in field(metadata, "groundingChunks") or ()]
    marked = _marked(text, field(metadata, "groundingSupports") or (), len(chunks))
    if chunks:
        lines = [_line(number, chunk) for number, chunk in enumerate(chunks, start=1)]
        marked = "\n".join([f"{marked}\n", "Sources:", *lines])
    return HostedAnswer(text=marked, sources=chunks)


def _without_nulls(chunk: Json) -> Json:
    """Return a chunk as it came; what a proxy sends as null is absent, as the contract has it."""
    return {
        name: _without_nulls(value) if isinstance(value, dict) else value
        for name, value in chunk.items()
        if value is not None
    }


def _text(candidate: Json) -> str:
    parts = (candidate.get("content") or {}).get("parts") or ()
    texts = (part.get("text") for part in parts if not part.get("thought"))
    return "".join(text for text in texts if isinstance(text, str))


def _marked(text: str, supports: Sequence[Json], count: int) -> str:
    """Return the text with the markers of all supports at the ends of their segments."""
    numbers_at: dict[int, set[int]] = {}
    for support in supports:
        end = field(support.get("segment") or {}, "endIndex")
        indices = field(support, "groundingChunkIndices") or ()
        numbers = {index + 1 for index in indices if 0 <= index < count}
        # Where nothing is said there is no place, and before the first word nothing to support.
        if numbers and end is not None and end > 0:
            numbers_at.setdefault(end, set()).update(numbers)
    return _inserted(text, _by_character(text, numbers_at))


def _by_character(text: str, numbers_at: Mapping[int, set[int]]) -> dict[int, set[int]]:
    """Return the same by characters; offsets past the end or inside one character fall together."""
    characters = citations.from_utf8_bytes(text, numbers_at)
    result: dict[int, set[int]] = {}
    for offset, numbers in numbers_at.items():
        result.setdefault(characters[offset], set()).update(numbers)
    return result


def _inserted(text: str, numbers_at: Mapping[int, set[int]]) -> str:
    pieces: list[str] = []
    done = 0
    for position in sorted(numbers_at):
        pieces.append(text[done:position])
        pieces += [f"[{number}]" for number in sorted(numbers_at[position])]
        done = position
    return "".join([*pieces, text[done:]])


def _line(number: int, chunk: Json) -> str:
    """Return a chunk as one line of the list, whatever a stranger wrote into its title."""
    page = chunk.get("web") or {}
    url = "".join(letter for letter in page.get("uri") or "" if letter.isprintable())
    domain = page.get("domain") or (domain_of(url) if url else "")
    source = citations.Source(
        number=number,
        url=url,
        title=page.get("title") or "",
        domain=UNTITLED if domain in ("", REDIRECT_HOST) else domain,
        evidence=Evidence.CITED,
    )
    return f"[{number}] {citations.title_of(source)} ({url or NO_ADDRESS})"
