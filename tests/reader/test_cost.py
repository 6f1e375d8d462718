"""Ten times the page makes ten times the calls; what a page costs, `bench.reader` measures."""

from __future__ import annotations

import sys
from collections import Counter
from types import FrameType
from typing import Any

import pytest

from groundwire.reader import extract

PROSE = "The otter swims down the river, and on its way it eats a good many fish. " * 6
HEAD = f"<title>Otters</title><body><main><h1>Otters</h1><p>{PROSE}</p>"


def calls_of(html: str) -> Counter[str]:
    """Count every call, of Python and of C, that reading a page makes, by name."""
    counts: Counter[str] = Counter()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call":
            counts[frame.f_code.co_name] += 1
        elif event == "c_call":
            counts[argument.__name__] += 1

    sys.setprofile(note)
    try:
        extract(html.encode())
    finally:
        sys.setprofile(None)
    return counts


PARTS = {
    "hidden": "<p hidden>Not to be seen by anyone, {}.</p>",
    "hidden and long": f"<div hidden>{{}} {PROSE * 3}</div>",
    "hidden by class": "<style>.k{{display:none}}</style><p class=k>Not to be seen, {}.</p>",
    "hidden by several parts": "<style>main .k{{display:none}}.j .k{{display:block}}</style>"
    "<p class='k j{0}'>Not to be seen, {0}.</p>",
    "hidden by colour": "<style>main{{background:#fff}}.k{{color:#fff}}</style>"
    "<p class=k>Not to be seen, {}.</p>",
    "hidden in code": "<pre>swim({}) <b hidden>Not to be seen.</b></pre>",
    "paragraphs": f"<p>{{}} {PROSE}</p>",
    "documentation": "<div class='document'><div class='body'>Part {}.</div></div>",
    "tables": "<table><tr><th>Otter</th><th>{}</th></tr><tr><td>a</td><td>b</td></tr></table>",
    "controls": "<button aria-expanded=false>Open {}</button><p hidden>Opened.</p>",
    "data": '<script type="application/ld+json">{{"@type": "Article", "name": "{}"}}</script>',
}


@pytest.mark.parametrize("kind", PARTS)
def test_ten_times_the_elements_make_ten_times_the_calls(kind: str) -> None:
    few, many = (
        calls_of(HEAD + "".join(PARTS[kind].format(number) for number in range(count)))
        for count in (60, 600)
    )

    # Of more alike, more is kept and written; what grew with the square would make 100 times.
    assert many.total() <= 12 * few.total()


def test_the_text_of_the_page_is_asked_for_once_however_much_is_hidden() -> None:
    html = HEAD + "".join(f"<div hidden>{number} {PROSE * 3}</div>" for number in range(500))

    assert calls_of(html)["to_text"] <= 1


def test_hidden_elements_inside_of_one_another_are_not_asked_without_end() -> None:
    asked = [calls_of(HEAD + "<div hidden>" * depth + PROSE * 40)["to_text"] for depth in (50, 150)]

    assert max(asked) <= 25


@pytest.mark.parametrize("rule", ["@media screen{", ".a{color:red;&.b{", ".a{& &{"])
def test_rules_inside_of_one_another_are_each_looked_at_once(rule: str) -> None:
    few, many = (
        calls_of(f"{HEAD}<style>{(rule + '.k{display:none}') * count}</style><p class=k>Seen?</p>")
        for count in (100, 1_000)
    )

    assert many.total() <= 12 * few.total()


def test_a_style_that_almost_hides_is_not_tried_in_every_way() -> None:
    style = "font:" + "a" * 5_000 + ";transform:" + "translate(" * 2_000 + ";filter:" + "x" * 5_000
    html = HEAD + "".join(f'<p style="{style}{number}">{PROSE}</p>' for number in range(20))

    assert "eats a good many fish" in extract(html.encode()).markdown
