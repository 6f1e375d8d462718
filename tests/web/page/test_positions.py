"""Positions in characters, whatever the browser counts."""

from __future__ import annotations

import pytest
from playwright.async_api import Page

from groundwire.citations import place
from groundwire.model import Citation
from tests.web.page.markdown_view import run

pytestmark = pytest.mark.asyncio(loop_scope="session")

TEXT = "👩‍🚀 says: *wörds* 🌞 & more.\n\n> In a 🦦 quote\n> over **two lines** 𝒳.\n\n1. `a😀b` end"

LIGHT = """
const root = document.createElement('div');
const view = new MarkdownView(root, setting);
view.replace(given.answer);
return given.spans.map(([start, end]) => view.ranges(start, end).map(String).join(''));
"""


def answer(text: str, words: list[str]) -> tuple[dict[str, object], list[tuple[int, int]]]:
    """Return an answer where every word is cited, and the kept spans of those words."""
    citations = [
        Citation(
            url=f"https://known.example/{number}",
            start=text.index(word),
            end=text.index(word) + len(word),
        )
        for number, word in enumerate(words)
    ]
    marked = place(text, citations)
    markers = [
        {
            "position": each.position,
            "label": each.label,
            "numbers": list(each.numbers),
            "unknown": [],
            "struck": [],
            "supports": [],
        }
        for each in marked.markers
    ]
    spans = [(use.start, use.end) for each in marked.markers for use in each.supports]
    return {"text": marked.text, "markers": markers}, spans


async def test_cited_words_are_found_on_the_page_by_code_points(modules: Page) -> None:
    words = ["🌞 & more", "🦦 quote", "lines** 𝒳", "😀b"]
    kept, spans = answer(TEXT, words)

    lit = await run(modules, LIGHT, {"answer": kept, "spans": spans})

    assert lit == ["🌞 & more", "🦦 quote", "lines 𝒳", "😀b"]


async def test_words_over_two_quoted_lines_are_lit_without_the_signs(modules: Page) -> None:
    text = "> one\n> two three"
    span = (text.index("one"), text.index(" three"))

    lit = await run(modules, LIGHT, {"answer": {"text": text, "markers": []}, "spans": [span]})

    assert lit == ["one\ntwo"]


async def test_a_character_that_was_written_otherwise_is_lit_as_a_whole(modules: Page) -> None:
    text = r"a \* &amp; b"
    spans = [(text.index("&") + 2, text.index("&") + 3), (text.index("*"), text.index("*") + 1)]

    lit = await run(modules, LIGHT, {"answer": {"text": text, "markers": []}, "spans": spans})

    assert lit == ["&", "*"]


async def test_code_points_become_units_and_lone_surrogates_count_one(modules: Page) -> None:
    counted = await modules.evaluate(
        """async () => {
          const { countCodePoints, toUnits } = await import('/page/positions.js');
          const text = 'a😀\\ud83db';
          return [countCodePoints(text), ...[0, 1, 2, 3, 4, 9].map((at) => toUnits(text, at))];
        }"""
    )

    assert counted == [4, 0, 1, 3, 4, 5, 5]
