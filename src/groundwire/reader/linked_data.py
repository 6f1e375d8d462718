"""What schema.org's data in a page's head says about the page: JSON-LD, a stranger's JSON."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from turbohtml import Document

    from groundwire.model import Json

_AROUND = re.compile(
    r"^\s*(?:<!--|(?://|/\*)?\s*<!\[CDATA\[(?:\s*\*/)?)"
    r"|(?:-->|(?://|/\*)?\s*\]\]>(?:\s*\*/)?)\s*$"
)
_LAST_COMMA = re.compile(r",\s*([}\]])")
_MAX_CHARACTERS = 1_000_000
_MAX_NODES = 2_000
_MAX_DEPTH = 8
# What a page is, from the surest to the vaguest; a page is often several.
_ARTICLES = ("article", "posting", "report", "chapter", "recipe", "question", "howto", "review")
_PAGES = ("webpage", "creativework", "dataset", "book", "videoobject", "podcastepisode", "event")


def linked_data(document: Document) -> list[dict[str, Json]]:
    """Return the objects of a page's JSON-LD that have a type, those about the page itself first.

    What cannot be read is left out: half of a page's data is better than none.
    """
    found: list[dict[str, Json]] = []
    characters = 0
    for script in document.find_all("script"):
        if (script.attr("type") or "").lower().partition(";")[0].strip() != "application/ld+json":
            continue
        text = script.text
        characters += len(text)
        if characters > _MAX_CHARACTERS or len(found) > _MAX_NODES:
            break
        found += _objects(_parsed(text), _MAX_DEPTH)
    by_id = {node["@id"]: node for node in found if isinstance(node.get("@id"), str)}
    whole = [_with_references(node, by_id) for node in found[:_MAX_NODES]]
    return sorted(whole, key=_rank)


def types_of(node: dict[str, Json]) -> list[str]:
    """Return an object's types in lower case, without the address of the vocabulary."""
    types = node.get("@type")
    some = types if isinstance(types, list) else [types]
    return [str(each).rpartition("/")[2].lower() for each in some if isinstance(each, str)]


def is_about_the_page(node: dict[str, Json]) -> bool:
    """Tell whether an object describes a page or its text, not a person, a firm or a crumb."""
    return _rank(node) < 2


def _rank(node: dict[str, Json]) -> int:
    types = types_of(node)
    if any(each.endswith(_ARTICLES) for each in types):
        return 0
    return 1 if any(each.endswith(_PAGES) or each == "product" for each in types) else 2


def _parsed(text: str) -> Json:
    # What was once needed around scripts, and still is written.
    bare = _AROUND.sub("", text).strip().rstrip(";")
    for attempt in (bare, _LAST_COMMA.sub(r"\1", bare)):
        try:
            # Line ends inside of strings are wrong and common.
            return json.loads(attempt, strict=False)
        except (ValueError, RecursionError):
            continue
    return None


def _objects(value: Json, depth: int) -> Iterator[dict[str, Json]]:
    if isinstance(value, list):
        for each in value[:_MAX_NODES]:
            yield from _objects(each, depth)
    elif isinstance(value, dict):
        if "@type" in value:
            yield value
        if depth > 0:
            for name in ("@graph", "mainEntity", "mainEntityOfPage", "hasPart"):
                yield from _objects(value.get(name), depth - 1)


def _with_references(node: dict[str, Json], by_id: dict[str, dict[str, Json]]) -> dict[str, Json]:
    """Return an object in which authors and the like, where only named by id, are whole."""

    def whole(value: Json) -> Json:
        if isinstance(value, list):
            return [whole(each) for each in value]
        if isinstance(value, dict) and len(value) <= 2 and isinstance(value.get("@id"), str):
            return by_id.get(value["@id"], value)
        return value

    names = ("author", "creator", "publisher", "isPartOf")
    return {name: whole(value) if name in names else value for name, value in node.items()}
