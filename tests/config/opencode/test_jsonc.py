"""JSON with comments and trailing commas."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.config.opencode import jsonc
from groundwire.model import Json

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(alphabet='ab/*",]}\\\n é'),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(alphabet='a/*",'), inner),
    max_leaves=10,
)


@given(VALUES)
def test_plain_json_means_what_it_meant(value: Json) -> None:
    assert jsonc.parse(json.dumps(value, indent=1)) == value
    assert jsonc.parse(json.dumps(value, ensure_ascii=False)) == value


@given(VALUES)
def test_comments_and_trailing_commas_change_nothing(value: Json) -> None:
    text = json.dumps([value], indent=1)

    assert jsonc.parse(f'// "one\n{text[:-2]}, /* two, ] */\n] // three') == [value]


def test_what_looks_like_a_comment_inside_a_string_stays() -> None:
    assert jsonc.parse('{"url": "https://a.example/*x*/", "c": ",]", "q": "\\"//",}') == {
        "url": "https://a.example/*x*/",
        "c": ",]",
        "q": '"//',
    }


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{\n // one\n /* two\n */ "a": oops}', "line 4, column 10"),
        ('{"a": 1', "line 1, column 8"),
        ('{"a": "\n"}', "line 1, column 8"),
        # Since Python 3.13 the place of the comma, before that of what follows it.
        ("[1,,]", "line 1, column (3|5)"),
        ("/* no end", "line 1, column 10"),
        ('{"a" /* no end', "line 1, column 15"),
        ("", "line 1, column 1"),
    ],
)
def test_a_mistake_is_told_with_its_place(text: str, place: str) -> None:
    with pytest.raises(ValueError, match=place):
        jsonc.parse(text)


def test_nesting_without_end_is_a_mistake_and_no_crash() -> None:
    with pytest.raises(ValueError, match=r"nested|line"):
        jsonc.parse("[" * 100_000)
