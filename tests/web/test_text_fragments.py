"""Links into a page at a passage, followed by a real browser."""

from __future__ import annotations

import pytest
from markdown_it import MarkdownIt
from playwright.async_api import Browser

from groundwire.web.text_fragments import at_words
from tests import loopback

pytestmark = pytest.mark.asyncio(loop_scope="session")

PASSAGES = {
    "bold": "Sea otters (*Enhydra lutris*) hold **each other's paws** while they sleep at sea.",
    "code": "Call `index_page(text)` with `has_pages=True` before you call `check_claim` on it.",
    "links": "A raft of [sea otters](https://a.example/x) has [over 1,000](https://b.example).",
    "heading": "## Food of otters\n\nAn adult eats a quarter of its weight each day, and rests.",
    "list": "- **Memory:** 12 GB RAM\n- **Network:** Broadband\n- **Storage:** 75 GB free",
    "table": "| Planet | Radius | Mass |\n|---|---|---|\n| Venus | 6,052 km | 0.815 |",
    "reference": "They rest.[3](https://a.example/#n3) A resting group is called a raft by all.",
    "typography": "He said \u201cit\u2019s never \u2014 not once \u2014 cold\u201d, in 5-7 days.",
    "escapes": "The file my\\_name\\_is.txt has 3 \\* 4 = 12, is \\[more\\].",
    "code block": "```\nfor each in range(10):\n    print(each, each * each)\n```",
    "han": "\u6d77\u736d\u7761\u89ba\u6642\u6703\u624b\u727d\u8457\u624b\u3002",
    "paragraphs": "They wrap themselves in kelp to rest.\n\nSea otters eat sea urchins all day.",
}  # fmt: skip
_RENDERER = MarkdownIt("commonmark").enable("table")
_FILLER = "<p>Something else altogether, again and again.</p>" * 120


@pytest.mark.parametrize("name", PASSAGES)
async def test_a_browser_finds_the_passage_whatever_markdown_is_in_it(
    browser: Browser, name: str
) -> None:
    passage = PASSAGES[name]
    shown = _RENDERER.render(passage).replace(">3</a>", "><sup>[3]</sup></a>")
    body = f"<!doctype html><meta charset=utf-8>{_FILLER}<div id=there>{shown}</div>{_FILLER}"
    page = await browser.new_page()
    async with loopback.serve(loopback.reply(body.encode(), content_type="text/html")) as far:
        await page.goto(at_words(f"{far.url}/page", passage))

        # It scrolls a moment after it has loaded.
        await page.wait_for_function(
            """() => {
              const { top, bottom } = document.getElementById('there').getBoundingClientRect();
              return bottom > 0 && top < innerHeight;
            }"""
        )
    await page.close()
