"""Pictures are known by their bytes: small ones of pixels alone pass, documents never do."""

from __future__ import annotations

from struct import pack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.search.pictures import MAX_SIDE, media_type_of
from tests.search.icon_bytes import GIF, ICO, PNG, bitmap, ico, png


@pytest.mark.parametrize(
    ("body", "media_type"),
    [(PNG, "image/png"), (GIF, "image/gif"), (ICO, "image/x-icon")],
)
def test_a_small_picture_has_the_type_of_its_bytes(body: bytes, media_type: str) -> None:
    assert media_type_of(body) == media_type


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b'<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>',
        b'<?xml version="1.0"?><svg/>',
        b"<!doctype html><script>alert(1)</script>",
        b"alert(1)",
        b"\xff\xd8\xff\xe0 a JPEG",
        b"%PDF-1.7",
        PNG[:20],
        GIF[:7],
        b"\x00\x00\x01\x00\x00\x00",
        b"\x00\x00\x01\x00\xff\xff" + ICO[6:],
        # It says that its picture is behind its end.
        ICO[:18] + pack("<I", 9_999),
    ],
)
def test_whatever_is_no_small_picture_has_no_type(body: bytes) -> None:
    assert media_type_of(body) == ""


@pytest.mark.parametrize("size", [(MAX_SIDE + 1, 1), (1, MAX_SIDE + 1), (0, 1), (2**31, 2**31)])
def test_a_picture_of_too_many_pixels_has_no_type(size: tuple[int, int]) -> None:
    assert media_type_of(png(*size)) == ""
    assert media_type_of(ico(png(*size))) == ""
    assert media_type_of(b"GIF89a" + pack("<HH", *(min(side, 65_535) for side in size))) == ""


def test_the_largest_picture_of_an_icon_counts() -> None:
    assert media_type_of(ico(bitmap(16, 16), bitmap(MAX_SIDE, MAX_SIDE))) == "image/x-icon"
    assert media_type_of(ico(bitmap(16, 16), bitmap(MAX_SIDE + 2, 16))) == ""


@given(st.sampled_from([PNG, GIF, ICO]), st.integers(0, 60), st.binary(max_size=60))
def test_broken_pictures_raise_nothing(body: bytes, start: int, junk: bytes) -> None:
    media_type_of(body[:start] + junk)
