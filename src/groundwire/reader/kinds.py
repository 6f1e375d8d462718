"""What can be counted about a page as a whole: hints at its kind, an article, a shop, a forum."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from groundwire.reader.blocks import ROLE_BIT
from groundwire.reader.names import group_bits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.reader.block_positions import Places
    from groundwire.reader.blocks import Block, Outline

_FORUM = r"forum|thread|topic|viewtopic|discuss|community|question|/t/|comments|showthread"
_URL_WORDS = {
    "forum": re.compile(_FORUM),
    "docs": re.compile(r"doc|wiki|manual|reference|guide|tutorial|/api|learn|help|support"),
    "product": re.compile(r"product|/p/|/dp/|item|shop|store|/buy"),
    "collection": re.compile(r"collection|categor|/c/|catalog|shop/|/tag"),
    "article": re.compile(r"news|article|blog|post|story|/20[012]\d/|\d{6,}"),
}
# Words of og:type and of schema.org's types.
_TYPES = (
    *("article", "product", "forum", "website", "question", "newsarticle", "collection"),
    *("itemlist", "listitem", "breadcrumb"),
)
_GROUPS = ("comment", "forum", "post")
_LONG = 80  # Characters: what reads like a sentence or more.

NAMES: tuple[str, ...] = (
    *(
        f"page_{what}"
        for what in (
            *("blocks", "characters", "link_share", "long_share", "article", "tables", "headings"),
            *("lists", "scripts", "has_main", "has_article"),
        )
    ),
    *(f"page_{group}" for group in _GROUPS),
    *("page_prices", "page_price_share", "page_core", "page_core_prose", "page_cards"),
    *(f"url_{name}" for name in _URL_WORDS),
    "url_depth",
    *(f"type_{name}" for name in _TYPES),
)


def measure_page(outline: Outline, places: Places, prices: float, url: str) -> list[float]:
    """Return the numbers of a page, in the order of NAMES."""
    page = outline.containers[0]
    return [
        *_counts(outline),
        *_shares(outline.blocks, max(1, page.prose)),
        prices,
        prices / max(1, len(outline.blocks)),
        places.core.characters / max(1, page.characters) if places.core else -1.0,
        places.core.prose / max(1, page.prose) if places.core else -1.0,
        places.largest_card_row(),
        *_address(url),
        *(float(word in outline.facts.get("type", "")) for word in _TYPES),
    ]


def _counts(outline: Outline) -> list[float]:
    blocks, page = outline.blocks, outline.containers[0]
    count, characters = max(1, len(blocks)), max(1, page.characters)
    tags = [block.tag for block in blocks]
    roles = 0
    for block in blocks:
        roles |= block.container.roles
    return [
        float(len(blocks)),
        float(characters),
        page.linked / characters,
        page.prose / characters,
        float(sum(1 for block in blocks if block.tag == "p" and block.characters >= _LONG)),
        float(tags.count("td") + tags.count("th")),
        float(sum(1 for block in blocks if block.heading)),
        tags.count("li") / count,
        float(outline.scripts),
        float(roles & ROLE_BIT["main"] > 0),
        float(roles & ROLE_BIT["article"] > 0),
    ]


def _shares(blocks: Sequence[Block], prose: int) -> list[float]:
    """Return how much of the page's prose stands in comments, in a forum's messages, in posts."""
    long = [
        (block.characters, block.container.all_groups)
        for block in blocks
        if block.characters >= _LONG and block.linked < block.characters / 2
    ]
    bits = [group_bits(group) for group in _GROUPS]
    return [sum(size for size, groups in long if groups & bit) / prose for bit in bits]


def _address(url: str) -> list[float]:
    parts = urlsplit(url)
    path = f"{parts.path}?{parts.query}".lower()
    found = [float(pattern.search(path) is not None) for pattern in _URL_WORDS.values()]
    return [*found, float(parts.path.strip("/").count("/"))]
