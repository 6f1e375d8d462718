"""Formulas become elements of a list, and what cannot be read whole stays as it was."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.web.typeset.formula import ATTRIBUTES, ELEMENTS, Tree, formula
from tests.fuzz_budget import budget


def nodes(tree: Tree) -> list[Tree]:
    """Return all elements of a tree."""
    return [
        tree,
        *(each for child in tree[2] if not isinstance(child, str) for each in nodes(child)),
    ]


def test_a_fraction_is_a_fraction() -> None:
    assert formula(r"\frac{a}{2}", is_display=True) == (
        "math",
        {"display": "block"},
        [
            (
                "mrow",
                {},
                [
                    (
                        "mfrac",
                        {},
                        [("mrow", {}, [("mi", {}, ["a"])]), ("mrow", {}, [("mn", {}, ["2"])])],
                    )
                ],
            )
        ],
    )


@pytest.mark.parametrize(
    "latex",
    ["", r"\nosuch{x}", r"\frac{a", "{" * 400 + "}" * 400, "x" * 2_000, r"\begin{matrix} a"],
)
def test_what_cannot_be_read_whole_is_none(latex: str) -> None:
    assert formula(latex, is_display=False) is None


@pytest.mark.parametrize(
    "latex",
    [
        r"\href{javascript:alert(1)}{x}",
        r"\style{background:url(//evil.example)}{x}",
        r"\class{x}{y}",
        r"\text{<img src=x onerror=alert(1)>}",
        r"\color{red}x",
    ],
)
def test_nothing_but_listed_elements_and_attributes_comes_out(latex: str) -> None:
    tree = formula(latex, is_display=False)

    assert tree is not None
    assert {name for name, _, _ in nodes(tree)} <= ELEMENTS
    assert {key for _, attributes, _ in nodes(tree) for key in attributes} <= ATTRIBUTES


@given(st.text(alphabet=r"\\{}[]()^_&$#%<>'\"abxyz019 =+-", max_size=80))
@settings(max_examples=budget(300), deadline=None)
def test_no_text_at_all_is_an_error_or_more_than_listed(latex: str) -> None:
    tree = formula(latex, is_display=False)

    for name, attributes, _ in nodes(tree) if tree else []:
        assert name in ELEMENTS
        assert set(attributes) <= ATTRIBUTES
