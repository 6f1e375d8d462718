"""The line above an answer: what was searched and read, and what it cost."""

from __future__ import annotations

import inspect
from typing import Any

import pytest
from playwright.async_api import Page

from groundwire.chat import plan

pytestmark = pytest.mark.asyncio(loop_scope="session")

TELL = """
async ({ runs, cost }) => {
  const { AnswerView } = await import('/page/answer.js');
  const view = new AnswerView({ onRetry() {}, onDecided() {}, onSearch() {} }, []);
  for (const run of runs) view.apply({ type: 'tool_update', id: 1, data: { run } });
  const data = { usage: {}, cost_text: cost };
  view.apply({ type: 'usage', id: 2, data });
  const words = (place) => [...view.root.querySelectorAll(place)].map((each) => each.textContent);
  return { facts: words('.facts')[0], cards: words('.page-card .domain'), meta: words('.meta')[0] };
}
"""


def opened(*urls: str, status: str = "done", title: str = "") -> dict[str, Any]:
    """Return one call of `open_page` as the server tells it."""
    return {
        "id": urls[0],
        "name": "open_page",
        "mode": "client",
        "status": status,
        "query": "",
        "url": ", ".join(urls),
        "title": title,
        "service": "local",
        "results": [],
        "error": "",
        "arguments": "{}",
        "seconds": 1.0,
    }


async def told(page: Page, *runs: dict[str, Any], cost: str = "") -> dict[str, Any]:
    """Return what an answer says of its runs and their cost."""
    shown: dict[str, Any] = await page.evaluate(TELL, {"runs": runs, "cost": cost})
    return shown


SAY_NONE = """
async ({ mode, hasSources }) => {
  const { Timeline } = await import('/page/timeline.js');
  const timeline = new Timeline();
  timeline.setSearcher({ mode, service: '', reason: '' });
  timeline.end(true, hasSources, () => {});
  return timeline.none.hidden ? '' : timeline.none.textContent;
}
"""


@pytest.mark.parametrize(
    ("has_sources", "line"),
    [
        (True, "Hosted search: the provider names its sources and not what it searched for."),
        (False, "No web search: the model answered without one."),
    ],
)
async def test_an_answer_with_sources_is_not_said_to_be_without_search(
    modules: Page, has_sources: bool, line: str
) -> None:
    assert await modules.evaluate(SAY_NONE, {"mode": "hosted", "hasSources": has_sources}) == line


async def test_every_page_of_one_call_is_counted_and_shown(modules: Page) -> None:
    several = opened("https://a.example/1", "https://b.example/2", "https://a.example/1")
    failed = opened("https://c.example/3", status="failed")

    shown = await told(modules, several, failed, opened("https://d.example/4", title="Four"))

    assert shown["facts"] == "3 pages read · 1 failed · 3.0 s"
    assert shown["cards"] == ["a.example", "b.example", "c.example", "d.example"]


@pytest.mark.parametrize(
    ("cost", "facts"),
    [("", "1 page read · 1.0 s"), ("at least $0.06", "1 page read · 1.0 s · at least $0.06")],
)
async def test_a_cost_is_told_in_the_words_of_the_server(
    modules: Page, cost: str, facts: str
) -> None:
    shown = await told(modules, opened("https://a.example/1"), cost=cost)

    assert shown["facts"] == facts
    assert shown["meta"] == cost


async def test_every_page_of_one_call_knows_when_it_was_read(modules: Page) -> None:
    run = opened("https://a.example/1", "https://b.example/2") | {"started_at": "2026-03-02"}

    dates = await modules.evaluate(
        """async ({ run, urls }) => {
          const { Dates } = await import('/page/dates.js');
          const dates = new Dates();
          dates.take(run);
          return urls.map((url) => dates.of(url));
        }""",
        {"run": run, "urls": ["https://a.example/1", "https://b.example/2", "https://c.example/"]},
    )

    read = {"retrieved_at": "2026-03-02", "is_ours": True}
    assert dates == [read, read, {}]


async def test_the_reason_of_a_search_that_the_user_turned_off_is_the_servers(
    modules: Page,
) -> None:
    reason = await modules.evaluate("import('/page/timeline.js').then((it) => it.TURNED_OFF)")

    assert f'return "{reason}"' in inspect.getsource(plan)
