"""Where blocks stand: near the title, in the core, in a row of like things."""

from __future__ import annotations

import turbohtml

from groundwire.reader.block_positions import NAMES, Places
from groundwire.reader.blocks import Outline
from groundwire.reader.features import tally
from groundwire.reader.html import read_outline

PROSE = "The otter swims down the river, and on its way it eats a good many fish. " * 3
PAGE = f"""<title>Otters of the river - River News</title>
<div id="page"><div class="story"><h1>Otters of the river</h1>
<div class="text"><p>{PROSE}</p><p>{PROSE}</p></div></div>
<div class="sidebar"><p>{PROSE}</p></div>
<div class="rest">
<div class="card"><h3>Beavers</h3><p>They build.</p></div>
<div class="card"><h3>Herons</h3><p>They wait.</p></div>
<div class="card"><h3>Trout</h3><p>They hide.</p></div>
</div></div>"""


def _outline(html: str) -> Outline:
    outline = read_outline(turbohtml.parse(html))
    tally(outline)
    return outline


def _measured(outline: Outline, text: str) -> dict[str, float]:
    places = Places(outline)
    number, block = next(
        (number, block) for number, block in enumerate(outline.blocks) if block.text == text
    )
    return dict(zip(NAMES, places.measure(number, block), strict=True))


def test_the_core_is_what_holds_the_paragraphs_and_not_the_sidebar() -> None:
    core = Places(_outline(PAGE)).core

    assert core is not None
    assert core.name == "text"


def test_a_paragraph_of_the_story_is_one_step_from_what_holds_the_title() -> None:
    number = _measured(_outline(PAGE), PROSE.strip())

    assert (number["title_up"], number["title_down"], number["title_side"]) == (2, 1, 1)
    assert (number["core_up"], number["core_down"], number["core_side"]) == (1, 0, 0)


def test_a_card_shares_only_the_page_with_the_title_and_stands_in_a_row() -> None:
    number = _measured(_outline(PAGE), "They wait.")

    assert (number["title_up"], number["title_down"]) == (3, 2)
    assert (number["card_count"], number["card_blocks"]) == (3, 2)
    assert number["core_side"] == 1
    assert number["core_distance"] == 5


def test_what_stands_before_a_block_is_counted_as_text_prose_and_core() -> None:
    number = _measured(_outline(PAGE), "They wait.")

    paragraph = len(PROSE.strip())
    short = len("Otters of the river" + "Beavers" + "They build." + "Herons")
    assert number["passed_characters"] == 3 * paragraph + short
    assert (number["passed_prose"], number["passed_since_title"]) == (3 * paragraph, 3 * paragraph)
    assert number["passed_in_core"] == 2 * paragraph


def test_prose_above_the_title_counts_below_zero() -> None:
    outline = _outline(f"<title>Otters</title><p>{PROSE}</p><h1>Otters</h1><p>They swim.</p>")

    assert _measured(outline, PROSE.strip())["passed_since_title"] == -len(PROSE.strip())
    assert _measured(outline, "They swim.")["passed_since_title"] == 0


def test_two_alike_make_no_row() -> None:
    html = "<div class='a'><p>One.</p><p>Two.</p></div>"

    number = _measured(_outline(html), "One.")

    assert (number["item_count"], number["card_count"]) == (-1, -1)


def test_a_page_without_paragraphs_has_no_core() -> None:
    outline = _outline("<title>Otters</title><div>Short</div>")

    assert Places(outline).core is None
    assert _measured(outline, "Short")["core_up"] == -1
