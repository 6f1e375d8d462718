"""Colours of code: exact places, in a browser's count, and nothing where nothing is known."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import groundwire
from groundwire.web.typeset.code import KINDS, MAX_LENGTH, colours


def words(text: str, language: str) -> list[tuple[str, str]]:
    """Return the coloured words with their kinds, cut as a browser cuts them."""
    units = text.encode("utf-16-le")
    return [
        (units[2 * start : 2 * end].decode("utf-16-le"), kind)
        for start, end, kind in colours(text, language)
    ]


def test_words_have_their_kinds() -> None:
    text = "def sleep(otter):\n    return 'kelp' * 2  # safe\n"

    assert words(text, "python") == [
        ("def", "keyword"),
        ("sleep", "name"),
        ("return", "keyword"),
        ("'kelp'", "string"),
        ("2", "number"),
        ("# safe", "comment"),
    ]


def test_places_are_right_behind_letters_of_two_units() -> None:
    assert words("x = '🦦🦦' # 🦦 ok\ny = 1", "py") == [
        ("'🦦🦦'", "string"),
        ("# 🦦 ok", "comment"),
        ("1", "number"),
    ]


@pytest.mark.parametrize("language", ["", "nosuch", "text", "../../etc/passwd"])
def test_an_unknown_language_has_no_colours(language: str) -> None:
    assert colours("def x", language) == []


def test_a_very_long_text_is_left_alone() -> None:
    assert colours("def x\n" * MAX_LENGTH, "python") == []


def test_a_diff_has_what_came_and_what_went() -> None:
    found = words("-old\n+new\n", "diff")

    assert [(word.strip(), kind) for word, kind in found] == [
        ("-old", "deleted"),
        ("+new", "inserted"),
    ]


def test_the_page_has_a_colour_for_every_kind() -> None:
    page = Path(groundwire.__file__).parent / "web" / "page"
    styled = re.findall(r"highlight\(code-(\w+)\)", (page / "answer.css").read_text())
    listed = re.search(r"KINDS = \[([^\]]+)\]", (page / "typeset.js").read_text())

    assert tuple(sorted(styled)) == KINDS
    assert listed is not None
    assert tuple(re.findall(r"\w+", listed[1])) == KINDS
