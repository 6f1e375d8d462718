"""What the card of a marker says of a comparison: facts, passages, and an opinion apart."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from playwright.async_api import Page

from groundwire.checks import (
    CitationCheck,
    Opinion,
    PageIndex,
    Says,
    check_claim,
    label_of,
    state_of,
)
from groundwire.model import Json
from groundwire.web.check_json import check_json

pytestmark = pytest.mark.asyncio(loop_scope="session")

PAGE = (
    "Otters 🦦 rest in kelp, which grows from the bottom of the sea to its surface. "
    "Some 🐾 hold paws while they sleep. Their fur is the densest of all animals on earth."
)

SHOW = """
async ({ quote, check }) => {
  const { checkFacts } = await import('/page/check-facts.js');
  const standing = { state: check.state, label: check.label, check };
  const made = checkFacts(3, quote, standing).filter((each) => each instanceof Node);
  const words = (place) => made.flatMap((each) => (
    [each, ...each.querySelectorAll('*')].filter((one) => one.matches(place)))
  ).map((each) => each.textContent);
  return {
    facts: words('.card-check li'), chip: words('.evidence'), captions: words('figcaption'),
    quotes: words('blockquote'), marked: words('mark'), opinions: words('.opinion'),
  };
}
"""


async def shown(modules: Page, claim: str, *, quote: str = "", **more: Json) -> Json:
    """Compare a claim with the page, as the server does, and show what its card says."""
    check = CitationCheck(
        number=3,
        position=1,
        claim=claim,
        url="https://a.example/otter",
        check=check_claim(claim, PageIndex(PAGE), quote=quote),
        checked_at=datetime(2026, 11, 17, tzinfo=UTC),
        page_hash="x",
    )
    told = check_json("m", replace(check, **more))
    assert (told["state"], told["label"]) == (state_of(check.check), label_of(check.check))
    return await modules.evaluate(SHOW, {"quote": quote, "check": told})


async def test_the_quoted_words_are_marked_in_the_nearest_passage(modules: Page) -> None:
    quote = "Some 🐾 hold paws"

    card = await shown(modules, "Otters hold paws while they sleep in kelp.", quote=quote)

    assert card["captions"] == ["Nearest passage"]
    assert len(card["quotes"]) == 1
    assert card["marked"] == [quote]


@pytest.mark.parametrize(
    ("markdown", "words"),
    [
        ("Says why in `check.not_compared`.", "Says why in check.not_compared."),
        ("The **old** [bridge](https://a.example/b_(1)) of `a || b`", "The old bridge of a || b"),
        ("## A heading\n> and 2 \\* 3", "A heading\nand 2 * 3"),
        ("- has *11.5 metres* of _old_ ~~rope~~ sail", "has 11.5 metres of old rope sail"),
        ("> - *args and *rest", "*args and *rest"),
        ("| mode | when |", "mode · when"),
        ("snake_case, __init__ and 2 * 3 * 4", "snake_case, __init__ and 2 * 3 * 4"),
    ],
)
async def test_a_passage_is_shown_without_the_signs_of_markdown(
    modules: Page, markdown: str, words: str
) -> None:
    read = "async (text) => (await import('/page/check-facts.js')).readable(text)"

    assert await modules.evaluate(read, markdown) == words


TITLE = """
async ({ source, check }) => (await import('/page/marks.js')).shownTitle(source, check)
"""


@pytest.mark.parametrize(
    ("title", "url", "check", "shown_title"),
    [
        ("a.example", "https://a.example/r?x", {"state": "found", "title": "Otters"}, "Otters"),
        ("a.example", "https://b.example/r?x", {"state": "plain", "title": "Otters"}, "Otters"),
        ("Its own", "https://a.example/r?x", {"state": "found", "title": "Otters"}, "Its own"),
        (
            "a.example",
            "https://a.example/r?x",
            {"state": "not_compared", "title": "Just a moment"},
            "https://a.example/r?x",
        ),
        ("a.example", "https://b.example/r?x", None, "a.example"),
    ],
)
async def test_a_source_without_a_title_is_called_as_the_page_that_was_read(
    modules: Page, title: str, url: str, check: Json, shown_title: str
) -> None:
    source = {"title": title, "url": url, "domain": "a.example"}

    assert await modules.evaluate(TITLE, {"source": source, "check": check}) == shown_title


async def test_a_passage_that_is_not_on_the_page_is_shown_by_its_name(modules: Page) -> None:
    quote = "Every evening the old harbour master counted thirteen lanterns twice."

    card = await shown(modules, "Otters hold paws while they sleep.", quote=quote)

    assert "The passage that was named as its source is not on this page." in card["facts"]
    assert card["captions"] == ["Nearest passage", "Named passage"]
    assert card["quotes"][1] == quote
    assert card["marked"] == []


async def test_a_comparison_without_facts_says_its_label(modules: Page) -> None:
    card = await shown(modules, "While otters sleep, some hold the paws of animals in kelp.")

    assert card["facts"] == ["Compared, nothing of note"]
    assert card["chip"] == ["3"]


async def test_an_opinion_is_a_models_and_apart_from_the_facts(modules: Page) -> None:
    opinion = Opinion(
        model="qwen3-8b", says=Says.PARTLY, words="hold paws while they sleep", cost_usd=None
    )

    card = await shown(modules, "Otters hold 97 paws.", opinion=opinion)

    assert card["facts"] == ["97 is not on this page."]
    [said] = card["opinions"]
    assert said.startswith("Opinion of qwen3-8b: ")
    assert "hold paws while they sleep" in said
