"""Reads one HTML page: parse, walk, score, choose, write. Pure, and as slow as the page is big."""

from __future__ import annotations

import re
from itertools import compress
from typing import TYPE_CHECKING

import turbohtml

from groundwire.reader.characters import decode, visible
from groundwire.reader.documentation import documentation_parts
from groundwire.reader.extracted import NEEDS_BROWSER, Extracted
from groundwire.reader.features import Measurer
from groundwire.reader.hidden import Hiding
from groundwire.reader.links import resolve
from groundwire.reader.markdown import write
from groundwire.reader.metadata import read_metadata
from groundwire.reader.phrases import amounts
from groundwire.reader.scorer import likely
from groundwire.reader.trees import article_chance, scores
from groundwire.reader.walker import MAX_DEPTH, Walker
from groundwire.reader.wholes import complete
from groundwire.text.lengths import length_of

if TYPE_CHECKING:
    from turbohtml import Document

    from groundwire.reader.blocks import Block, Outline

_TYPE = re.compile(r'"@type"\s*:\s*\[?\s*"(\w+)"')
_PRICE = re.compile(r'"(?:price|lowPrice)"\s*:\s*"?(\d[\d.,]{0,14})')
_FEW_CHARACTERS = 250
_LEAST_WITHOUT_SCRIPTS = 500
_TOO_DEEP = f"what is nested more than {MAX_DEPTH} elements deep was left out"
_NO_PAGE = "https://page.invalid/"


def extract(html: bytes, content_type: str = "text/html", url: str = "") -> Extracted:
    """Return the title and the main matter of a page, links made absolute against its URL."""
    document = parse(html, content_type, url)
    if parts := documentation_parts(document):
        outline = Walker(document, Hiding(document)).walk(parts)
        outline.title = _title(document, outline)
        chosen = outline.blocks
    else:
        outline = read_outline(document, url)
        chosen = choose(outline, url)
    markdown = visible(write(chosen))
    problem = _problem(document, outline, markdown)
    return Extracted(
        title=visible(outline.title),
        markdown=markdown,
        problem=problem,
        is_cut=outline.is_cut,
        notes=(_TOO_DEEP,) if outline.is_too_deep else (),
        metadata=read_metadata(document, outline.blocks, url),
    )


def parse(html: bytes, content_type: str, url: str) -> Document:
    """Return a page as a browser's tree, with absolute links."""
    document = turbohtml.parse(decode(html, content_type), positions=False, scripting=True)
    resolve(document, url or _NO_PAGE)
    return document


def read_outline(document: Document, url: str = "") -> Outline:
    """Return the blocks of a page and what its head says.

    What a page holds back until its scripts let it appear is read; so is a page that has less text
    than its own `noscript` part, as a browser without scripts would show it: we are one.
    """
    hiding = Hiding(document)
    outline = Walker(document, hiding).walk()
    if hiding.shows_more(_length(outline)):
        outline = Walker(document, hiding).walk()
    if _opens_noscript(document, _length(outline), url):
        outline = Walker(document, hiding, reads_noscript=True).walk()
    outline.title = _title(document, outline)
    outline.facts = _facts(document)
    return outline


def _length(outline: Outline) -> int:
    return sum(block.characters for block in outline.blocks)


def _opens_noscript(document: Document, seen: int, url: str) -> bool:
    """Tell whether there is more for browsers without scripts, and make elements of its markup.

    As in a browser it is text until then: an element left open in it would swallow the page.
    """
    parts = document.find_all("noscript")
    least = max(_LEAST_WITHOUT_SCRIPTS, seen)
    if sum(len(part.text) for part in parts) <= least:
        return False
    for part in parts:
        markup = turbohtml.parse_fragment(part.text)
        part.clear()
        part.extend(list(markup.children))
    resolve(document, url or _NO_PAGE)
    return sum(len(part.to_text()) for part in parts) > least


def choose(outline: Outline, url: str) -> list[Block]:
    """Return the blocks that are what the page is about."""
    if not outline.blocks:
        return []
    vectors = Measurer(outline, url).vectors()
    kept = likely(outline.blocks, scores(vectors), article_chance(vectors[0]))
    return list(compress(outline.blocks, complete(outline, kept)))


def _title(document: Document, outline: Outline) -> str:
    title = document.find("title")
    text = " ".join(title.text.split()) if title is not None else ""
    return text or next((block.text for block in outline.blocks if block.heading == 1), "")


def _facts(document: Document) -> dict[str, str]:
    """Return the headline, the kinds of page and the prices that a page's own data names."""
    kinds: list[str] = []
    prices: list[str] = []
    headline = ""
    for meta in document.find_all("meta"):
        match meta.attr("property"):
            case "og:type":
                kinds.append(meta.attr("content") or "")
            case "og:title":
                headline = meta.attr("content") or headline
            case "product:price:amount" | "og:price:amount":
                prices.append(meta.attr("content") or "")
    for script in document.find_all("script"):
        if (script.attr("type") or "").lower() == "application/ld+json":
            text = script.text
            kinds += _TYPE.findall(text)
            prices += _PRICE.findall(text)
    named = " ".join(kinds).lower()
    own = amounts(" ".join(prices)) if "product" in named else set()
    return {"type": named, "headline": headline, "prices": " ".join(sorted(own))}


def _problem(document: Document, outline: Outline, markdown: str) -> str:
    if length_of(markdown)[0] >= _FEW_CHARACTERS:
        return ""
    if outline.is_too_deep and not markdown:
        return f"the page's text is nested too deep: more than {MAX_DEPTH} elements in one another"
    seen = sum(block.characters for block in outline.blocks)
    if seen < 2 * _FEW_CHARACTERS and document.find("script") is not None:
        return NEEDS_BROWSER
    return "" if markdown else "the page has no text"
