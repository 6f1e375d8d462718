"""What is counted about single blocks."""

from __future__ import annotations

import turbohtml

from groundwire.reader.features import NAMES, Measurer
from groundwire.reader.html import read_outline

PROSE = "The otter swims down the river, and on its way it eats a good many fish."


def _column(html: str, name: str) -> list[float]:
    outline = read_outline(turbohtml.parse(html))
    place = NAMES.index(name)
    return [vector[place] for vector in Measurer(outline, "").vectors()]


def test_every_block_has_a_number_for_every_name() -> None:
    outline = read_outline(turbohtml.parse(f"<h1>Otters</h1><p>{PROSE}</p>"))

    vectors = Measurer(outline, "https://example.org/").vectors()

    assert [len(vector) for vector in vectors] == [len(NAMES), len(NAMES)]
    assert len(set(NAMES)) == len(NAMES)


def test_what_begins_as_an_earlier_block_does_was_said_before() -> None:
    html = f"<p>{PROSE}</p><blockquote>{PROSE} And so on.</blockquote><p>I doubt it.</p>"

    assert _column(html, "said_before") == [0.0, 1.0, 0.0]


def test_short_texts_that_come_again_are_no_quotations() -> None:
    assert _column("<p>Reply</p><p>Reply</p>", "said_before") == [0.0, 0.0]


def test_a_quotation_is_known_by_its_class_too() -> None:
    html = f'<div class="bbCodeBlock"><p>{PROSE}</p></div><p>{PROSE}</p>'

    assert _column(html, "near_quote") == [1.0, 0.0]


def test_punctuation_digits_and_capitals_are_counted_in_every_script() -> None:
    html = "<p>Not, 12!</p><p>Étés, ٣。</p>"

    assert _column(html, "punctuation") == [25.0, 25.0]
    assert _column(html, "digits") == [0.25, 0.125]
    assert _column(html, "capitals") == [0.125, 0.125]


def test_a_price_and_a_date_are_seen_wherever_they_stand_in_a_short_text() -> None:
    late = "The otter of the lower river, carved in oak, was last sold for $ 39 in May 2024"

    assert _column(f"<p>{late}</p><p>Otters</p>", "money") == [1.0, 0.0]
    assert _column(f"<p>{late}</p><p>Otters</p>", "date") == [1.0, 0.0]


def test_an_id_or_a_role_counts_where_it_is_all_that_an_element_has() -> None:
    html = f'<div id="comments"><p>{PROSE}</p></div><div role="complementary"><p>{PROSE}</p></div>'

    assert _column(html, "near_comment") == [1.0, 0.0]
    assert _column(html, "role_aside") == [0.0, 1.0]


def test_a_heading_announces_what_stands_beside_in_any_case() -> None:
    html = f"<h2>RELATED Stories</h2><p>{PROSE}</p><h2>Otters</h2><p>{PROSE}</p>"

    assert _column(html, "heading_aside") == [1.0, 1.0, 0.0, 0.0]


def test_only_prices_that_stand_alone_make_a_page_of_prices() -> None:
    html = f"<p>12 €</p><p>It was sold for 12 €. {PROSE}</p>"

    assert _column(html, "page_prices") == [1.0, 1.0]
