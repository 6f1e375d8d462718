"""Strangers' texts: JSON that may be none, and halves of characters."""

from __future__ import annotations

import pytest

from groundwire.model import Json
from groundwire.wire.text import parsed, whole


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": [1, null]}', {"a": [1, None]}),
        (b'"\xc3\xa9"', "é"),
        ("", None),
        ('{"a": ', None),
        (b"\xff", None),
        ("[" * 100_000, None),
    ],
)
def test_what_is_no_json_says_nothing(text: str | bytes, value: Json) -> None:
    assert parsed(text) == value


@pytest.mark.parametrize(
    ("text", "mended"),
    [
        ("half \ud83d of a pair", "half \ufffd of a pair"),
        ("the other \udda6", "the other \ufffd"),
        ("both \ud83e\udda6 halves", "both \U0001f9a6 halves"),
        ("\ufeffmark \ud83e", "\ufeffmark \ufffd"),
    ],
)
def test_halves_of_characters_become_a_character_or_the_sign_for_none(
    text: str, mended: str
) -> None:
    assert whole(text) == mended


@pytest.mark.parametrize("text", ["", "plain", "é \U0001f9a6 \x00 \ufffd"])
def test_a_text_that_is_whole_stays_the_same(text: str) -> None:
    assert whole(text) is text
