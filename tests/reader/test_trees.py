"""The stored trees, and what they say about blocks and pages."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from importlib.resources import files

import turbohtml

from groundwire.reader.features import NAMES, Measurer
from groundwire.reader.html import read_outline
from groundwire.reader.trees import (
    A_LITTLE_LOUDER,
    DOUBTFUL,
    ENOUGH_TREES,
    FIRST_TREES,
    HOPELESS,
    LEAF,
    LOUDER,
    MORE_TREES,
    NEARLY_SURE,
    SURE,
    article_chance,
    scores,
)

PROSE = "The otter swims down the river, and on its way it eats a good many fish. " * 6
MORE = "Where it finds none it waits for the evening, when the trout come up to feed. " * 6


def test_prose_scores_above_a_menu() -> None:
    html = (
        "<title>Otters</title><div class='menu'><a href='/a'>Shop</a></div>"
        f"<article><h1>Otters</h1><p>{PROSE}</p><p>{MORE}</p></article>"
    )
    outline = read_outline(turbohtml.parse(html))

    found = scores(Measurer(outline, "https://example.org/otters").vectors())

    assert found[0] < -1 < 1 < found[-1]


def test_compiled_trees_say_what_the_stored_lists_say() -> None:
    menu = '<div class="menu card"><a href="/">Home</a></div>'
    matter = f"<article><h1>Otters</h1>{f'<p>{PROSE}</p><p>{MORE}</p>' * 4}</article>"
    page = f"<title>Otters</title>{matter}<aside><p>{PROSE}</p></aside>{menu}"
    outline = read_outline(turbohtml.parse(page))
    vectors = Measurer(outline, "https://example.org/").vectors()

    found = scores(vectors)

    assert found == [_followed(vector) for vector in vectors]
    assert max(found) > SURE  # One that the trees before the last settled is among them.


def test_a_page_of_prose_is_an_article_sooner_than_one_of_prices() -> None:
    head = '<title>Otters</title><meta property="og:type" content="{}"><h1>Otters</h1>'
    prose = f"{head.format('article')}<article>{f'<p>{PROSE}</p>' * 9}</article>"
    cards = "".join(f'<li class="card"><a href="/{n}">Otter</a> <b>${n}</b></li>' for n in range(9))

    chances = [_chance(page) for page in (prose, f"{head.format('website')}<ul>{cards}</ul>")]

    assert chances[0] > 0.5 > chances[1]


def _chance(page: str) -> float:
    outline = read_outline(turbohtml.parse(page))
    return article_chance(Measurer(outline, "https://example.org/").vectors()[0])


def _followed(vector: Sequence[float]) -> float:
    stored = json.loads(files("groundwire.reader").joinpath("trees.json").read_text("utf-8"))
    numbers = dict(zip(NAMES, vector, strict=True))
    asked = [numbers[name] for name in stored["features"]]
    leaves = [_leaf(iter(tree), asked, stored["bounds"]) for tree in stored["trees"]]
    score = sum(leaves[:FIRST_TREES])
    if score > DOUBTFUL:
        score += sum(leaves[FIRST_TREES:ENOUGH_TREES])
        if abs(score) <= SURE:
            score += sum(leaves[ENOUGH_TREES:MORE_TREES])
            if abs(score) <= NEARLY_SURE:
                return score + sum(leaves[MORE_TREES:])
            return score * A_LITTLE_LOUDER
    return score * LOUDER if score > 0 else min(score, HOPELESS)


def _leaf(nodes: Iterator[int], asked: Sequence[float], bounds: Sequence[Sequence[float]]) -> float:
    node = next(nodes)
    if node >= LEAF // 2:
        return (node - LEAF) / 1_000
    is_low = asked[node] <= bounds[node][next(nodes)]
    sides = [_leaf(nodes, asked, bounds) for _ in range(2)]
    return sides[0] if is_low else sides[1]
