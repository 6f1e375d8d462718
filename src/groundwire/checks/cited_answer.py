"""Answers of ours as they are kept and exported in JSON: text with markers, and its sources."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from groundwire.checks.cited_text import CitedClaim, CitedText
from groundwire.checks.claims import claim_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from groundwire.model import Json


def is_answer(value: Json) -> bool:
    """Tell whether a JSON value is an answer of ours."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("text"), str)
        and _are_alike(value.get("markers"), _is_marker)
        and _are_alike(value.get("sources"), _is_source)
    )


def cited_answers(answers: Sequence[Json]) -> CitedText:
    """Return the claims of answers, one after the other, each with its marker's page."""
    text, found = "", list[CitedClaim]()
    for answer in answers:
        one = cited_answer(answer)
        text += "\n\n" if text else ""
        start, line = len(text), text.count("\n")
        text += one.text
        found += [_later(each, start, line) for each in one.citations]
    return CitedText(text=text, citations=tuple(found))


def cited_answer(answer: Json) -> CitedText:
    """Return the claims of an answer, each with the page that its marker leads to."""
    marked: str = answer["text"]
    markers = sorted(map(_placed, answer["markers"]), key=lambda marker: marker["start"])
    urls = {source["number"]: source["url"] for source in answer["sources"]}
    shown = _without_markers(marked, markers)
    found: list[CitedClaim] = []
    cut = before = 0
    for marker in markers:
        position = marker["start"] - cut
        line = 1 + marked.count("\n", 0, marker["start"])
        after = before if before < position else 0
        for number, start, quote in _targets(marker):
            found.append(
                CitedClaim(
                    number=number,
                    position=position,
                    line=line,
                    claim=claim_at(shown, position, start=_moved(start, markers), after=after),
                    url=urls.get(number, ""),
                    quote=quote,
                )
            )
        cut += marker["end"] - marker["start"]
        before = position
    return CitedText(text=shown, citations=tuple(found))


def _are_alike(values: Json, is_one: Callable[[Json], bool]) -> bool:
    return isinstance(values, list) and all(
        isinstance(each, dict) and is_one(each) for each in values
    )


def _is_marker(value: Json) -> bool:
    start, end = value.get("start"), value.get("end")
    is_shown = isinstance(value.get("position"), int) and isinstance(value.get("label"), str)
    return is_shown or (isinstance(start, int) and isinstance(end, int))


def _is_source(value: Json) -> bool:
    return isinstance(value.get("number"), int) and isinstance(value.get("url"), str)


def _placed(marker: Json) -> Json:
    """Return a marker with its place; in the page's JSON it has a position and a label."""
    if "start" in marker:
        return marker
    start: int = marker["position"]
    return {**marker, "start": start, "end": start + len(marker["label"])}


def _later(each: CitedClaim, start: int, line: int) -> CitedClaim:
    """Return a claim of an answer that begins at a place of a text, in one of its lines."""
    claim = replace(each.claim, start=each.claim.start + start, end=each.claim.end + start)
    return replace(each, position=each.position + start, line=each.line + line, claim=claim)


def _without_markers(text: str, markers: Sequence[Json]) -> str:
    pieces, at = [], 0
    for marker in markers:
        pieces.append(text[at : marker["start"]])
        at = max(at, marker["end"])
    return "".join((*pieces, text[at:]))


def _targets(marker: Json) -> Iterator[tuple[int, int | None, str]]:
    """Yield the numbers of a marker with where their words begin, and what they quote."""
    supports = {each["number"]: each for each in marker.get("supports", ())}
    for number in marker.get("numbers", ()):
        support = supports.get(number)
        start, quote = (support["start"], support.get("quote", "")) if support else (None, "")
        yield number, start, quote
    for id_ in marker.get("unknown", ()):
        yield (int(id_) if str(id_).isdigit() else 0), None, ""


def _moved(start: int | None, markers: Sequence[Json]) -> int | None:
    """Return a place of the marked text as a place of the text without markers."""
    if start is None:
        return None
    before = [marker for marker in markers if marker["end"] <= start]
    return start - sum(int(marker["end"] - marker["start"]) for marker in before)
