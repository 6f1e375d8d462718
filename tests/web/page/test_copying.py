"""An answer as Markdown on the clipboard."""

from __future__ import annotations

import pytest
from playwright.async_api import Page

from groundwire.citations import place, to_json, to_markdown
from groundwire.model import Citation, Evidence

pytestmark = pytest.mark.asyncio(loop_scope="session")


async def test_a_copied_answer_is_what_the_command_line_prints(modules: Page) -> None:
    marked = place(
        "Otters hold hands. 🦦 They sleep. So be it.",
        [
            Citation(url="https://a.example/x", title="Otters [a] `b`", start=0, end=17),
            Citation(url="https://x.example/x", start=21, end=32, evidence=Evidence.REMOVED),
            Citation(url="https://b.example/y z", title="", evidence=Evidence.READ),
            Citation(url="https://c.example", title=" Found\n only ", evidence=Evidence.FOUND),
        ],
    )
    answer = {
        "text": marked.text,
        "markers": [],
        "removed": [{"url": each.url, "domain": each.domain} for each in marked.removed],
        "folded": to_json(marked)["folded"],
        "sources": [
            {
                "number": each.number,
                "url": each.url,
                "title": each.title or each.domain,
                "domain": each.domain,
                "evidence": each.evidence.value,
                "is_marked": each.is_marked,
            }
            for each in marked.sources
        ],
    }

    copied = await modules.evaluate(
        "async (answer) => (await import('/page/copying.js')).toMarkdown(answer)", answer
    )

    assert copied == to_markdown(marked)
    assert "🦦 They" not in copied
