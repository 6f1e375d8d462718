"""What is kept or left out as one."""

from __future__ import annotations

import pytest
import turbohtml

from groundwire.reader.blocks import Outline
from groundwire.reader.features import tally
from groundwire.reader.html import read_outline
from groundwire.reader.phrases import amounts
from groundwire.reader.wholes import complete

CARDS = "".join(
    f"<li><h3>Otter number {n}</h3><p>A toy that swims well</p><span>$ {n}9.00</span></li>"
    for n in "123"
)
PRODUCT = (
    '<script type="application/ld+json">{"@type":"Product","offers":{"price":"1299.00"}}</script>'
)


def _outline(html: str) -> Outline:
    outline = read_outline(turbohtml.parse(html))
    tally(outline)
    return outline


def _completed(outline: Outline, *kept: str) -> list[str]:
    """Return the texts that are kept once those are kept that have one of some words."""
    chosen = [any(word in block.text for word in kept) for block in outline.blocks]
    whole = complete(outline, chosen)
    return [block.text for block, is_kept in zip(outline.blocks, whole, strict=True) if is_kept]


def test_a_table_of_which_most_is_kept_is_kept_whole() -> None:
    rows = "<tr><th>Animal</th><th>Food</th></tr><tr><td>Otter</td><td>Fish</td></tr>"
    outline = _outline(f"<table>{rows}</table>")

    assert _completed(outline, "Animal", "Otter") == ["Animal", "Food", "Otter", "Fish"]


def test_a_table_of_which_hardly_anything_is_kept_is_left_out() -> None:
    rows = "<tr><th>Animal</th><th>Food</th></tr><tr><td>Otter</td><td>Fish</td></tr>"
    outline = _outline(f"<p>Prose</p><table>{rows}</table>")

    assert _completed(outline, "Prose", "Animal") == ["Prose"]


def test_a_card_that_is_kept_keeps_its_price() -> None:
    kept = _completed(_outline(f"<ul>{CARDS}</ul>"), "number 1", "number 3", "toy")

    assert [text for text in kept if "$" in text] == ["$ 19.00", "$ 29.00", "$ 39.00"]


def test_a_card_that_is_left_out_leaves_its_price_out() -> None:
    kept = _completed(_outline(f"<p>Prose</p><ul>{CARDS}</ul>"), "Prose")

    assert kept == ["Prose"]


def test_the_price_that_a_page_gives_its_product_is_kept_once() -> None:
    outline = _outline(
        f"{PRODUCT}<h1>Otter</h1><p>$999</p><p>$1,299.00</p><b>Fish</b><p>$1,299</p>"
    )

    assert _completed(outline, "Otter") == ["Otter", "$1,299.00"]


def test_prices_of_many_products_are_nobodys_own() -> None:
    offers = "".join(PRODUCT.replace("1299", f"1{n}99") for n in range(5))
    outline = _outline(f"{offers}<h1>Otters</h1><p>$1,299.00</p>")

    assert _completed(outline, "Otters") == ["Otters"]


@pytest.mark.parametrize("written", ["1299", "1,299", "1.299", "1,299.00", "1.299,00 €", "$1299.0"])
def test_an_amount_is_the_same_however_it_is_written(written: str) -> None:
    assert amounts(written) == {"129900"}


def test_amounts_of_less_than_one_are_told_apart() -> None:
    assert amounts("0.99 or 0,9 or 99") == {"99", "90", "9900"}


PART = "<h2>What otters eat</h2><p>Fish, crabs and sea urchins, a good many of them every day.</p>"


def test_a_part_that_the_page_has_twice_is_kept_once() -> None:
    outline = _outline(f"<div>{PART}</div><p>They sleep in kelp.</p><div>{PART}</div>")

    assert _completed(outline, "") == [
        "What otters eat",
        "Fish, crabs and sea urchins, a good many of them every day.",
        "They sleep in kelp.",
    ]


@pytest.mark.parametrize(
    "html",
    [
        (
            "<p>Press Enter to close the selection.</p><p>Swim.</p>"
            "<p>Press Enter to close the selection.</p><p>Eat.</p>"
        ),
        "<pre>swim(far, long, until, the, night)</pre><pre>eat(fish, and, urchins, daily)</pre>"
        * 2,
        (
            "<table><tr><td>Otters swim in the river</td><td>They eat every single day</td></tr>"
            "<tr><td>Otters swim in the river</td><td>They eat every single day</td></tr></table>"
        ),
    ],
)
def test_a_line_that_is_said_twice_stays_where_it_is_needed(html: str) -> None:
    outline = _outline(html)

    assert _completed(outline, "") == [block.text for block in outline.blocks]


def test_a_long_paragraph_alone_is_kept_once() -> None:
    long = "<p>" + "The otter swims down the river and eats its fish. " * 5 + "</p>"

    assert len(_completed(_outline(f"{long}<p>They sleep.</p>{long}"), "")) == 2
