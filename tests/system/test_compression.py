"""What is packed comes back, and nothing else does."""

from __future__ import annotations

import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.system import compression
from groundwire.system.compression import pack, unpack


@pytest.fixture(params=[True, False], ids=["zstandard", "zlib"])
def _packer(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compression, "_HAS_ZSTANDARD", request.param)


@given(body=st.binary(max_size=5_000))
def test_what_is_packed_comes_back(body: bytes) -> None:
    assert unpack(pack(body), 5_000) == body


@pytest.mark.usefixtures("_packer")
def test_a_bomb_is_refused() -> None:
    packed = pack(bytes(1_000_000))

    with pytest.raises(ValueError, match="over the limit of 999,999"):
        unpack(packed, 999_999)
    assert len(unpack(packed, 1_000_000)) == 1_000_000


@pytest.mark.usefixtures("_packer")
def test_damage_is_refused() -> None:
    packed = pack(b"otter" * 1_000)

    for damaged in (packed[:-3], b"not packed", packed[:6] + b"\xff\xff\xff" + packed[9:]):
        with pytest.raises(ValueError, match="packed bytes"):
            unpack(damaged, 10_000)


def test_what_zlib_packed_is_read_where_zstandard_is_installed() -> None:
    assert unpack(zlib.compress(b"otter"), 10) == b"otter"


def test_without_zstandard_it_is_said_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    packed = pack(b"otter")
    monkeypatch.setattr(compression, "_HAS_ZSTANDARD", False)

    with pytest.raises(ValueError, match=r"install groundwire\[web\]"):
        unpack(packed, 10)
