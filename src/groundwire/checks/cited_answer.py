"""Answers of ours as they are kept and exported in JSON: text with markers, and its sources."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import chain, pairwise
from typing import TYPE_CHECKING

from groundwire.checks.cited_text import CitedClaim, CitedText
from groundwire.checks.claims import claim_at

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from groundwire.model import Json

_NUMBER = re.compile(r"[0-9]{1,9}")


def is_answer(value: Json) -> bool:
    """Tell whether a JSON value is an answer of ours."""
    return (
        isinstance(value, dict)
        and isinstance(value.get("text"), str)
        and _are_alike(value.get("markers"), _is_marker)
        and _are_alike(value.get("sources"), _is_source)
        and _are_apart([*map(_placed, value["markers"])], len(value["text"]))
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
        for number, start, quote in _targets(marker):
            found.append(
                CitedClaim(
                    number=number,
                    position=position,
                    line=line,
                    claim=claim_at(shown, position, start=_moved(start, markers), after=before),
                    url=urls.get(number, ""),
                    quote=quote,
                )
            )
        cut += marker["end"] - marker["start"]
        before = position
    return CitedText(text=shown, citations=tuple(found))


def _are_alike(values: Json, is_one: Callable[[Json], bool]) -> bool:
    return _are_all(values, lambda each: isinstance(each, dict) and is_one(each))


def _is_marker(value: Json) -> bool:
    return (
        (_is_placed(value) or (_is_number(value.get("position")) and _is_text(value.get("label"))))
        and _are_all(value.get("numbers", []), _is_number)
        and _are_all(value.get("unknown", []), lambda id_: isinstance(id_, str | int))
        and _are_alike(value.get("supports", []), _is_support)
    )


def _is_support(value: Json) -> bool:
    named = _is_number(value.get("number")) and _is_number(value.get("start"))
    return named and _is_text(value.get("quote", ""))


def _is_placed(marker: Json) -> bool:
    return _is_number(marker.get("start")) and _is_number(marker.get("end"))


def _is_number(value: Json) -> bool:
    return isinstance(value, int)


def _is_text(value: Json) -> bool:
    return isinstance(value, str)


def _are_all(values: Json, is_one: Callable[[Json], bool]) -> bool:
    return isinstance(values, list) and all(map(is_one, values))


def _are_apart(markers: Sequence[Json], length: int) -> bool:
    """Tell whether markers stand one after the other, all inside of a text."""
    places = sorted((marker["start"], marker["end"]) for marker in markers)
    borders = [0, *chain.from_iterable(places), length]
    return all(one <= other for one, other in pairwise(borders))


def _is_source(value: Json) -> bool:
    return _is_number(value.get("number")) and _is_text(value.get("url"))


def _placed(marker: Json) -> Json:
    """Return a marker with its place; in the page's JSON it has a position and a label."""
    if _is_placed(marker):
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
        yield (int(id_) if _NUMBER.fullmatch(str(id_)) else 0), None, ""


def _moved(start: int | None, markers: Sequence[Json]) -> int | None:
    """Return a place of the marked text as a place of the text without markers."""
    if start is None:
        return None
    before = [marker for marker in markers if marker["end"] <= start]
    return start - sum(int(marker["end"] - marker["start"]) for marker in before)
