"""What a text lists as its sources, line by line."""

from __future__ import annotations

import pytest

from groundwire.checks.source_lists import number_of, source_lists, trimmed, urls_in

A, B, C = (f"https://{letter}.example/" for letter in "abc")


def _lists(text: str) -> list[dict[int, tuple[str, ...]]]:
    return [each.entries for each in source_lists(text).numbered]


@pytest.mark.parametrize(
    ("text", "lists"),
    [
        (f"# Sources\n\n1. {A}\n2. {B}", [{1: (A,), 2: (B,)}]),
        (f"Sources:\n[1] {A} and {B}", [{1: (A, B)}]),
        (f"**Sources**\n- [1] {A}\n- [2]: {B}", [{1: (A,), 2: (B,)}]),
        (f"References (2)\n\u00b9 {A}\n\u00b2\u00b3: {B}", [{1: (A,), 23: (B,)}]),
        (f"Sources\n1) {A}\n2: {B}\n3 {C}", [{1: (A,), 2: (B,), 3: (C,)}]),
        (f"Sources\n1. Otters\n   {A}\n   {B}", [{1: (A,)}]),
        (f"Sources\n1. Otters\n\n{A}", [{1: (A,)}]),
        (f"Sources\n{A}\n{B}", []),
        ("Sources\n1. Otters", [{1: ()}]),
        # Above all lists, and below a heading that ends one.
        (f"1. {A}", []),
        (f"Sources\n1. {A}\n# Otters\n2. {B}", [{1: (A,)}]),
        (f"Sources\n1. {A}\n# Otters\n[2] {B}", [{1: (A,), 2: (B,)}]),
        (f"Sources\n1. {A}\n# Otters\nThey sleep.\n{B}", [{1: (A,)}]),
        # A number that comes again.
        (f"Sources\n1. {A}\n1. {B}", [{1: (A,)}]),
        (f"Sources\n1. {A}\n# Otters\nSources\n1. {B}", [{1: (A,)}, {1: (B,)}]),
        (f"Sources\n1. {A}\nSources\n1. Otters\n  {B}", [{1: (A,)}, {1: (B,)}]),
        (f"Sources\n1. {A}\nSources\n2. {B}", [{1: (A,), 2: (B,)}]),
        (f"Sources\n1. {A}\nSources\n1. {B}\n2. {C}", [{1: (A,)}, {1: (B,), 2: (C,)}]),
        (
            f"Sources\n1. {A}\nSources\n1. {B}\n2. {C}\nSources\n2. {A}",
            [{1: (A,)}, {1: (B,), 2: (C,)}, {2: (A,)}],
        ),
        (f"[1]: {A}\n\nThey sleep.\n\n[1]: {B}", [{1: (A,)}, {1: (B,)}]),
        (f"[1]: {A}\n[1]: {B}", [{1: (A,)}]),
        # Definitions.
        (f"[999]: {A}", [{999: (A,)}]),
        (f"[1000]: {A}", []),
        (f"[Otter]: {A}", []),
        # Outside of a list an entry ends with its address.
        (f"[1] Otters, {A}", [{1: (A,)}]),
        (f"[1] {A} is good", []),
        (f"[1] Otters eat, see {A}", [{1: (A,)}]),
        (f"[1] Otters at {A} in kelp", []),
        (f"[1] [Otters]({A})", [{1: (A,)}]),
        (f"[1] <{A}>", [{1: (A,)}]),
        ("[1]", []),
        ("[1] Otters (all)", []),
        (f"\u00b9 {A}", []),
        # What a footnote goes on with is none of a list.
        (f"Sources\n1. Otters\n[^n]: {A}\n  {B}\n{C}", [{1: ()}]),
        (f"Sources\n1. Otters\n2. {B}\n{C}", [{1: (), 2: (B,)}]),
    ],
)
def test_a_list_has_the_addresses_of_its_entries(
    text: str, lists: list[dict[int, tuple[str, ...]]]
) -> None:
    assert _lists(text) == lists


@pytest.mark.parametrize(
    ("text", "footnotes"),
    [
        (f"[^a]: {A}", {"a": (A,)}),
        (f"[^a]: Otters, {A}, {B}.", {"a": (A, B)}),
        (f"[^a]: Otters\n  {A}\n\t{B}", {"a": (A, B)}),
        (f"[^a]: Otters\n\n  {A}", {"a": (A,)}),
        (f"[^a]: Otters\n{A}", {"a": ()}),
        (f"[^a]: Otters\nThey sleep.\n  {A}", {"a": ()}),
        (f"[^a]: {A}\n[^b]: {B}", {"a": (A,), "b": (B,)}),
    ],
)
def test_a_footnote_goes_on_in_lines_that_are_set_in(
    text: str, footnotes: dict[str, tuple[str, ...]]
) -> None:
    assert source_lists(text).footnotes == footnotes


def test_names_are_defined_once_in_any_case() -> None:
    text = f"[Otter]: <{A}> 'x'\n[OTTER ]: {B}\n[x]: mailto:x\n[2]: {C}."

    assert source_lists(text).defined == {"otter": A, "2": C}


def test_the_lines_of_lists_are_told_by_their_places() -> None:
    text = f"They sleep.\n\nSources\n\n1. {A}\n  more\n# End\n[^n]: {B}\n[x]: {C}\nBye."

    told = [text[start:end] for start, end in source_lists(text).places]

    assert told == ["Sources", f"1. {A}", "  more", f"[^n]: {B}", f"[x]: {C}"]


def test_a_number_leads_to_the_list_behind_it_and_only_else_to_the_last() -> None:
    first = f"One.[1]\nSources\n1. {A}\n"
    text = f"{first}# Two\nTwo.[1]\nSources\n1. {B}\n# Three\nThree.[1]"
    found = source_lists(text)

    places = [text.index("[1]"), text.index("[1]", len(first)), len(text)]
    assert [found.urls_of(1, place) for place in places] == [(A,), (B,), (B,)]
    end = found.numbered[0].end
    assert text[:end].endswith(A)
    assert [found.urls_of(1, place) for place in (end - 1, end)] == [(A,), (B,)]
    assert found.urls_of(2, 0) is None
    assert source_lists("Otters").urls_of(1, 0) is None


@pytest.mark.parametrize(
    ("url", "whole"),
    [
        (f"{A}.", A),
        (f"{A}x).", f"{A}x"),
        (f"{A}x_(y)", f"{A}x_(y)"),
        (f"{A}x_(y)).,", f"{A}x_(y)"),
        (f"{A}x!?))", f"{A}x"),
    ],
)
def test_an_address_ends_before_the_signs_of_its_sentence(url: str, whole: str) -> None:
    assert trimmed(url) == whole


def test_addresses_are_told_once_and_raised_digits_are_numbers() -> None:
    assert urls_in(f"[x]({A}) and <{B}>, {A}.") == (A, B)
    assert [number_of(each) for each in ("\u00b9", "\u2070\u2074", "\u00b2\u00b3\u2079")] == [
        1,
        4,
        239,
    ]
