"""What a judge is shown of a page, and which words of it are taken for the page's own."""

from __future__ import annotations

import pytest

from groundwire.checks.judged_page import IndexedPage
from groundwire.checks.page import PageIndex

PAGE = "Sea otters rest in kelp near the coast. They eat crabs."


async def test_a_judge_is_shown_the_whole_of_a_short_page() -> None:
    assert await IndexedPage(PageIndex(PAGE)).passages("otters") == PAGE


async def test_a_judge_is_shown_what_is_near_a_claim_on_a_long_page() -> None:
    page = f"{PAGE} {'Nobody knows it. ' * 1_000}"

    assert (await IndexedPage(PageIndex(page)).passages("otters in kelp")).startswith(PAGE)


@pytest.mark.parametrize(
    ("words", "is_there"),
    [("rest in kelp near", True), ("REST in kelp near", False), ("rest in trees", False)],
)
async def test_a_judge_may_name_only_words_that_stand_there_to_the_letter(
    words: str, is_there: bool
) -> None:
    assert await IndexedPage(PageIndex(PAGE)).has(words) is is_there
