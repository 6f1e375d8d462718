"""Strangers' JSON is parsed as any other parser would, and refused where it has too many parts."""

from __future__ import annotations

import base64
import itertools
import json
from json import JSONDecodeError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.model import Json
from groundwire.web.json_body import (
    LARGE_BYTES,
    MAX_CONTAINERS,
    MAX_ELEMENTS,
    MAX_KEYS,
    MAX_REST_BYTES,
    MAX_STEPS,
    LargeBase64,
    TooComplexError,
    is_base64,
    parse_json,
)

_LEAVES = st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text()
_TREES = st.recursive(
    _LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20
)


@given(tree=_TREES, is_ascii=st.booleans(), indent=st.sampled_from([None, 2]))
def test_what_is_said_is_what_every_parser_reads(
    tree: Json, is_ascii: bool, indent: int | None
) -> None:
    body = json.dumps(tree, ensure_ascii=is_ascii, indent=indent).encode()

    assert parse_json(body).value == tree


@given(body=st.binary(max_size=200) | st.text('[]{}",:\\ a1', max_size=50).map(str.encode))
def test_what_is_no_json_is_an_error_and_nothing_else(body: bytes) -> None:
    try:
        expected = json.loads(body)
    except (ValueError, RecursionError):
        with pytest.raises((JSONDecodeError, TooComplexError)):
            parse_json(body)
    else:
        # The library's parser takes what JSON has not, such as NaN and half surrogates.
        try:
            assert parse_json(body).value == expected
        except JSONDecodeError:
            assert b"\\u" in body or b"\xef\xbb\xbf" in body or b"\x00" in body


@given(data=st.binary(max_size=30), cuts=st.lists(st.integers(0, 40), max_size=4))
def test_base64_is_known_however_it_is_cut(data: bytes, cuts: list[int]) -> None:
    text = base64.b64encode(data)
    edges = [0, *sorted(min(cut, len(text)) for cut in cuts), len(text)]

    assert is_base64(text[a:b] for a, b in itertools.pairwise(edges))


@given(text=st.text("AZaz09+/=-_ \n", max_size=12))
def test_what_is_no_base64_is_told(text: str) -> None:
    try:
        base64.b64decode(text, validate=True)
        # What follows a whole group it overlooks.
        is_right = len(text) % 4 == 0
    except ValueError:
        is_right = False

    assert is_base64([text.encode()]) is is_right
    assert is_base64(bytes([each]) for each in text.encode()) is is_right


@pytest.mark.parametrize(
    ("written", "meant"),
    [("AA/+", "AA/+"), ("AA\\/+", "AA/+"), ("AA\\u002fB\\u002b+\\u002B", "AA/B+++")],
)
def test_large_base64_is_cut_out_whatever_was_escaped_in_it(written: str, meant: str) -> None:
    count = LARGE_BYTES // len(meant) // 4 * 4 * 20
    body = f'{{"a": ["x", "{written * count}"]}}'.encode()

    parsed = parse_json(body)

    large = parsed.value["a"][1]
    assert isinstance(large, LargeBase64)
    assert large.text == meant * count
    assert json.loads(body) == {"a": ["x", large.text]}


@pytest.mark.parametrize("ending", ["\u00e4", "!", "=A", "===", "\\n", "\\\\/", " "])
def test_a_long_text_that_is_no_base64_stays_a_text(ending: str) -> None:
    body = f'{{"a": "{"A" * LARGE_BYTES}{ending}"}}'.encode()

    assert parse_json(body).value == json.loads(body)


@pytest.mark.parametrize(
    "body",
    [
        "[" + ",".join("1" * (MAX_ELEMENTS + 2)) + "]",
        "{" + ",".join(f'"{number}":1' for number in range(MAX_KEYS + 1)) + "}",
        "[" * (MAX_CONTAINERS + 1) + "]" * (MAX_CONTAINERS + 1),
        '{"a":"' + "a " * (MAX_REST_BYTES // 2) + '"}',
        '"\\""' * 3_000,
        '"' + '\\"' * (MAX_STEPS // 2 + 1) + '"',
    ],
    ids=["elements", "keys", "containers", "text", "texts", "escapes"],
)
def test_more_parts_than_any_body_has_are_refused(body: str) -> None:
    with pytest.raises(TooComplexError):
        parse_json(body.encode())
