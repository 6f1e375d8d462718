"""The line of a source's card: who wrote the page, when, and what nobody needs to read twice."""

from __future__ import annotations

import pytest
from playwright.async_api import Browser, Page

from groundwire.model import Json

pytestmark = pytest.mark.asyncio(loop_scope="session")

_SOURCE = {"domain": "otters.example", "retrieved_at": "2026-11-18T12:00:00+00:00"}


async def _line(page: Page, check: Json, source: Json | None = None) -> str:
    return str(
        await page.evaluate(
            """async ([source, check]) => {
              const { aboutPage } = await import('/page/dates.js');
              return aboutPage(source, check);
            }""",
            [{**_SOURCE, **(source or {})}, check],
        )
    )


async def test_a_card_says_who_wrote_a_page_where_when_and_under_which_licence(
    modules: Page,
) -> None:
    said = {
        "authors": ["Ada Marsh", "Ben Reed", "Cy Weir", "Di Lake"],
        "site_name": "The Otter Times",
        "published": "2026-03-02T10:20:00+00:00",
        "modified": "2026-03-05",
        "licence": "https://creativecommons.org/licenses/by/4.0/",
    }

    assert await _line(modules, said) == (
        "By Ada Marsh, Ben Reed, Cy Weir and others, The Otter Times, published Mar 2, 2026, "
        "changed Mar 5, 2026, retrieved Nov 18, 2026, licence creativecommons.org/licenses/by/4.0/"
    )


async def test_what_stands_there_already_is_not_said_again(modules: Page) -> None:
    said = {
        "authors": ["Otter Club"],
        "site_name": "Otter Club",
        "published": "2026-03-02T10:20:00+00:00",
        "modified": "2026-03-02T08:00:00+00:00",
    }

    assert await _line(modules, said) == (
        "By Otter Club, published Mar 2, 2026, retrieved Nov 18, 2026"
    )
    assert await _line(modules, {"site_name": "Otters.example"}) == "retrieved Nov 18, 2026"


async def test_a_long_licence_is_cut_where_it_can_be_seen(modules: Page) -> None:
    line = await _line(modules, {"licence": "All rights reserved by many people. " * 4})

    assert line == (
        "retrieved Nov 18, 2026, licence "
        "All rights reserved by many people. All rights reserved by m…"
    )


async def test_a_month_is_no_day_and_the_words_of_a_service_stay(modules: Page) -> None:
    assert await _line(modules, {"published": "2026-03"}) == (
        "published Mar 2026, retrieved Nov 18, 2026"
    )
    assert await _line(modules, None, {"published": "3 days ago"}) == (
        "published 3 days ago, retrieved Nov 18, 2026"
    )


async def test_a_page_has_its_own_day_wherever_its_reader_is(
    browser: Browser, modules_url: str
) -> None:
    context = await browser.new_context(locale="en-US", timezone_id="America/Los_Angeles")
    page = await context.new_page()
    await page.goto(modules_url)

    day = await _line(page, {"published": "2026-03-02"})
    moment = await _line(page, {"published": "2026-03-02T01:00:00+00:00"})

    await context.close()
    assert day == moment == "published Mar 2, 2026, retrieved Nov 18, 2026"
