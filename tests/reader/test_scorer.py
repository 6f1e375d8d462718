"""From scores to the blocks that are kept."""

from __future__ import annotations

import turbohtml

from groundwire.reader.blocks import Block
from groundwire.reader.html import read_outline
from groundwire.reader.scorer import even, fade, likely, threshold


def _blocks(html: str) -> list[Block]:
    return read_outline(turbohtml.parse(html)).blocks


def test_a_page_that_is_sure_of_some_blocks_keeps_only_those() -> None:
    assert threshold([4.0, 3.0, -2.0], [100, 100, 100]) == 3.0


def test_the_threshold_goes_down_where_every_block_is_doubtful() -> None:
    assert threshold([-0.4, -0.6, -0.8], [100, 100, 100]) == -0.8


def test_what_is_hardly_likely_is_left_out_even_when_nothing_else_is_there() -> None:
    blocks = _blocks("<p>Menu</p><p>Log in</p>")

    assert likely(blocks, [-4.0, -5.0]) == [False, False]


def test_scores_fade_with_every_doubling_of_the_words_that_seem_to_be_content() -> None:
    assert fade([2.0, 2.0, 2.0, -1.0], [400, 400, 800, 10]) == [2.0, 2.0, 1.75, -1.5]


def test_menus_before_a_block_do_not_make_it_fade() -> None:
    assert fade([-3.0, 2.0], [4_000, 100]) == [-3.0, 2.0]


def test_blocks_of_the_same_make_are_judged_together() -> None:
    grid = "".join(f'<div class="card"><p class="price">{price} €</p></div>' for price in "123")
    blocks = _blocks(f"<h1>Otters</h1>{grid}")

    evened = even(blocks, [3.0, 1.0, 1.0, -2.0], [1, 2, 2, 2])

    assert evened[0] == 3.0
    assert [round(score, 6) for score in evened[1:]] == [0.2, 0.2, -0.4]


def test_two_blocks_of_the_same_make_keep_their_own_scores() -> None:
    blocks = _blocks('<p class="a">One</p><p class="a">Two</p>')

    assert even(blocks, [1.0, -1.0], [1, 1]) == [1.0, -1.0]


def test_a_heading_stays_with_what_stands_under_it() -> None:
    blocks = _blocks("<h1>Otters</h1><h2>Food</h2><p>Fish</p><h2>Related</h2><p>Beavers</p>")

    kept = likely(blocks, [-1.0, -1.5, 4.0, -1.0, -5.0])

    assert kept == [True, True, True, False, False]


def test_a_heading_that_is_hardly_likely_goes_whatever_stands_under_it() -> None:
    blocks = _blocks("<h2>Log in</h2><p>Fish</p>")

    assert likely(blocks, [-3.0, 4.0]) == [False, True]


def test_of_an_article_less_is_kept_that_is_doubtful() -> None:
    blocks = _blocks("".join(f"<p class='{name}'>Fish and trout</p>" for name in "abc"))

    assert likely(blocks, [3.0, 3.0, 0.3]) == [True, True, True]
    assert likely(blocks, [3.0, 3.0, 0.3], article=1.0) == [True, True, False]
