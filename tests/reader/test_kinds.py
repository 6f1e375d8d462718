"""Hints at a page's kind."""

from __future__ import annotations

import turbohtml

from groundwire.reader.features import NAMES, Measurer
from groundwire.reader.html import read_outline

PROSE = "The otter swims down the river, and on its way it eats a good many fish. " * 3


def _measured(html: str, url: str) -> dict[str, float]:
    outline = read_outline(turbohtml.parse(html))
    return dict(zip(NAMES, Measurer(outline, url).vectors()[0], strict=True))


def test_a_page_half_of_comments_says_so() -> None:
    html = f"<main><p>{PROSE}</p></main><div class='comment-list'><p>{PROSE}</p></div>"

    numbers = _measured(html, "https://example.org/2024/otters")

    assert numbers["page_comment"] == 0.5
    assert numbers["page_has_main"] == 1
    assert numbers["url_article"] == 1


def test_a_grid_of_prices_is_told_by_its_cards() -> None:
    card = "<li class='card'><h3>Otter toy</h3><p>12 €</p></li>"
    html = f'<script type="application/ld+json">{{"@type": "ItemList"}}</script><ul>{card * 4}</ul>'

    numbers = _measured(html, "https://shop.example/collections/toys")

    assert (numbers["page_prices"], numbers["page_price_share"]) == (4, 0.5)
    assert numbers["page_cards"] == 1
    assert (numbers["url_collection"], numbers["type_itemlist"]) == (1, 1)
