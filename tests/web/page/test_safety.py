"""What strangers write stays words in every module that shows it."""

from __future__ import annotations

import json
from typing import Any, get_type_hints

import pytest
from playwright.async_api import Page

from groundwire.citations import Source
from groundwire.model import SearchResult
from groundwire.web.conversation_shapes import CitationCheckShape, OpinionShape, PassageShape
from groundwire.web.shapes import ToolRunShape
from tests.shared import shared

pytestmark = pytest.mark.asyncio(loop_scope="session")

# Everything that the page may make of an answer; none of it loads or runs anything.
TAGS = {
    "A", "ARTICLE", "BLOCKQUOTE", "BR", "BUTTON", "CODE", "DEL", "DETAILS", "DIV", "EM",
    "FIGCAPTION", "FIGURE", "FOOTER", "H2", "H3", "H4", "H5", "H6", "HR", "LI", "MARK", "OL", "P",
    "PRE", "Q", "S", "SECTION", "SPAN", "STRONG", "SUMMARY", "TABLE", "TBODY", "TD", "TH", "THEAD",
    "TR", "UL", "path", "svg", "use",
}  # fmt: skip

ATTRIBUTES = {
    "aria-disabled", "aria-expanded", "aria-haspopup", "aria-hidden", "aria-label",
    "aria-live", "aria-pressed", "class", "data-align", "data-check", "data-display",
    "data-done", "data-evidence", "data-index", "data-kind", "data-language", "data-number",
    "data-status", "data-step", "dir", "disabled", "hidden", "href", "open", "popover",
    "popovertarget", "rel", "role", "scope", "start", "style", "tabindex", "target", "title",
    "type", "value",
}  # fmt: skip

SHOWN: dict[str, type] = {
    "source": Source,
    "run": ToolRunShape,
    "result": SearchResult,
    "check": CitationCheckShape,
    "passage": PassageShape,
    "opinion": OpinionShape,
}
# Every text in what the page shows, also one that will be added: its name, and if it is a list.
TEXTS = {
    of: [
        (name, kind not in (str, str | None))
        for name, kind in get_type_hints(shape).items()
        if kind in (str, str | None, list[str], tuple[str, ...])
    ]
    for of, shape in SHOWN.items()
}

SHOW = """
async ({ payloads, texts }) => {
  const { AnswerView } = await import('/page/answer.js');
  const { card } = await import('/page/card.js');
  const { entriesOf } = await import('/page/marks.js');
  const root = document.querySelector('#root');
  const found = { tags: {}, attributes: {}, links: {}, cards: 0 };
  for (const text of payloads) {
    const filled = ([name, isList]) => [name, isList ? [text] : text];
    const everywhere = (of) => Object.fromEntries(texts[of].map(filled));
    const source = {
      ...everywhere('source'), number: 1, evidence: 'cited', quotes: [text],
      spans: [[0, 1]], is_marked: true,
    };
    const run = {
      ...everywhere('run'), id: 'r', mode: 'client', status: 'failed',
      results: [everywhere('result')], started_at: '', seconds: 1,
    };
    const markers = [{ position: [...text].length, check_position: 5, label: '[1]',
      numbers: [1, 7], unknown: [text], struck: [text], supports: [] }];
    const match = { found: 'words', start: 1, end: 2, places: 1, differing: [text] };
    const check = {
      ...everywhere('check'), number: 1, position: 5, state: 'absent', quote: match, quotations: [],
      nearest: { ...everywhere('passage'), start: 0, end: 9999, page_number: 1 }, source_url: text,
      opinion: { ...everywhere('opinion'), says: text, cost_usd: 1 },
    };
    const checks = { state: 'done', pending: 0, checks: [check], summary: text };
    const view = new AnswerView({ onRetry() {}, onDecided() {}, onSearch() {} }, []);
    // The worst case: every URL in it is a source of this answer.
    view.ledger.add(text.match(/[a-z]+:[^\\s"'<>)]*/gi) ?? []);
    root.append(view.root);
    view.show({
      id: 'm', kind: 'AI_RESPONSE', content: '', status: 'failed', thinking: text, error: text,
      answer: { text: text + '[1]', markers, sources: [source], removed: [source] },
      tool_runs: [run], provider: text, model: text, mode: text, usage: null, cost_usd: null,
      stop_reason: '', attachments: [], parent_id: null,
    }, checks);
    const mark = view.root.querySelector('.mark[data-number]');
    if (mark) {
      card.open(mark, { entries: entriesOf(mark).all, index: 0, onChange() {}, onClose() {} });
      found.cards += 1;
    }
    const shown = [view.root, ...document.querySelectorAll('.card')];
    for (const each of shown.flatMap((one) => [...one.querySelectorAll('*')])) {
      found.tags[each.tagName] = text;
      for (const name of each.getAttributeNames()) found.attributes[name] = text;
      if (each.hasAttribute('href')) found.links[each.getAttribute('href').split(':')[0]] = text;
      if (each.localName !== 'a') continue;
      if (each.rel !== 'noopener noreferrer' || each.target !== '_blank') found.links.rel = text;
    }
    card.close();
    view.root.remove();
  }
  return { ...found, violations };
}
"""


# Where the source is shown as it was read: our own words and numbers alone.
OWN = {"/sources/m/1?position=5#passage", "/sources/m/1#passage"}


async def show(page: Page, payloads: list[str]) -> dict[str, Any]:
    """Show texts in every place of an answer; return what that made, with an example each."""
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.on("dialog", lambda dialog: asked.append(f"dialog {dialog.message}"))
    found: dict[str, Any] = await page.evaluate(SHOW, {"payloads": payloads, "texts": TEXTS})
    found["asked"] = [url for url in asked if "/page/" not in url]
    return found


def surplus(found: dict[str, str], allowed: set[str]) -> dict[str, str]:
    return {name: example for name, example in found.items() if name not in allowed}


async def test_no_payload_becomes_more_than_words_and_safe_links(modules: Page) -> None:
    payloads = [
        each["payload"] for each in json.loads(shared("suites/xss_payloads.json").read_text())
    ]

    found = await show(modules, payloads)

    assert len(payloads) > 1000
    assert surplus(found["tags"], TAGS) == {}
    assert surplus(found["attributes"], ATTRIBUTES) == {}
    assert surplus(found["links"], {"http", "https", "mailto", *OWN, *icons()}) == {}
    assert found["violations"] == []
    assert found["asked"] == []
    assert found["cards"] > 1000


async def test_the_check_sees_a_link_where_there_is_one(modules: Page) -> None:
    found = await show(modules, ["[a](https://a.example/x) [b](javascript:alert(1))"])

    assert "https" in found["links"]
    assert "javascript" not in found["links"]


async def test_a_payload_that_arrives_in_pieces_is_text_all_the_way(modules: Page) -> None:
    text = "a <img src=x onerror=alert(1)> [b](javascript:alert(1)) ![c](https://a.example/c.png)"

    shown = await modules.evaluate(
        """async (text) => {
          const { MarkdownView } = await import('/page/markdown.js');
          const root = document.createElement('div');
          document.querySelector('#root').append(root);
          const setting = { showMarker: () => new Text(''), allow: () => null };
          const view = new MarkdownView(root, setting);
          const seen = new Set();
          for (const letter of text) {
            view.take([letter]);
            for (const each of root.querySelectorAll('*')) seen.add(each.localName);
          }
          view.finish();
          const words = root.textContent;
          root.remove();
          return [[...seen].sort(), words, violations];
        }""",
        text,
    )

    assert shown == [["p", "span"], "a <img src=x onerror=alert(1)> b c (a.example)", []]


def icons() -> set[str]:
    names = """
        copy globe left open page retry right search share shield stop thumb-down tool up warning
    """
    return {f"/page/icons.svg#{name}" for name in names.split()}
