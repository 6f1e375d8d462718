"""Bodies of replies are read up to their limit and not a byte further."""

from __future__ import annotations

import gzip
import zlib
from collections.abc import Callable

import pytest

from groundwire.client.bodies import Unpacker, read_up_to
from groundwire.errors import BadReplyError

PACKED: dict[str, Callable[[bytes], bytes]] = {
    "": bytes,
    "identity": bytes,
    "gzip": gzip.compress,
    "deflate": zlib.compress,
}


async def _read(packed: bytes, encoding: str, limit: int, size: int) -> tuple[bytes, bool]:
    """Return what is read of a body that comes in pieces, and whether that is all of it."""
    pieces = [packed[at : at + size] for at in range(0, len(packed), size)]
    body = bytearray()

    async def read() -> bytes:
        return pieces.pop(0) if pieces else b""

    is_whole = await read_up_to(read, Unpacker(encoding, limit, "s"), 1000, body)
    return bytes(body), is_whole


@pytest.mark.parametrize("encoding", PACKED)
@pytest.mark.parametrize("size", [1, 7, 1000])
async def test_a_body_of_just_the_limit_is_whole_and_one_more_byte_is_not(
    encoding: str, size: int
) -> None:
    body = b"0123456789" * 5
    packed = PACKED[encoding](body)

    assert await _read(packed, encoding, 50, size) == (body, True)
    assert await _read(packed, encoding, 49, size) == (body[:49], False)


async def test_what_is_received_has_the_same_limit_as_what_it_becomes() -> None:
    assert await _read(b"a" * 1000, "", 5000, 100) == (b"a" * 1000, True)
    assert await _read(b"a" * 1001, "", 5000, 100) == (b"a" * 1000, False)


def test_nothing_comes_behind_the_limit() -> None:
    unpacker = Unpacker("gzip", 5, "s")

    assert unpacker.unpack(gzip.compress(b"12345678")) == b"12345"
    assert unpacker.is_full
    assert unpacker.unpack(gzip.compress(b"9")) == b""


def test_several_packed_bodies_one_after_another_are_one() -> None:
    both = gzip.compress(b"one ") + gzip.compress(b"two")

    assert Unpacker("gzip", 100, "s").unpack(both) == b"one two"


def test_deflate_without_a_header_is_understood_and_other_bytes_are_not() -> None:
    bare = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    packed = bare.compress(b"words") + bare.flush()

    assert Unpacker("deflate", 100, "s").unpack(packed) == b"words"
    with pytest.raises(BadReplyError, match="not encoded as its header says"):
        Unpacker("gzip", 100, "s").unpack(packed)


def test_what_follows_a_body_that_filled_the_limit_is_not_even_unpacked() -> None:
    unpacker = Unpacker("gzip", 4, "s")

    assert unpacker.unpack(gzip.compress(b"12345") + b"no body at all") == b"1234"
    assert unpacker.is_full


@pytest.mark.parametrize("encoding", ["deflate", "gzip", "x-gzip"])
def test_bytes_that_are_not_packed_at_all_are_an_error(encoding: str) -> None:
    with pytest.raises(BadReplyError, match="not encoded as its header says"):
        Unpacker(encoding, 100, "s").unpack(b"\xff\xff no body at all")


def test_deflate_without_a_header_is_not_looked_for_behind_one_with_it() -> None:
    bare = zlib.compressobj(wbits=-zlib.MAX_WBITS)
    packed = zlib.compress(b"one") + bare.compress(b"two") + bare.flush()

    with pytest.raises(BadReplyError, match="not encoded as its header says"):
        Unpacker("deflate", 100, "s").unpack(packed)


@pytest.mark.parametrize("encoding", ["br", "zstd", "gzip, gzip"])
def test_an_encoding_that_was_not_offered_is_an_error(encoding: str) -> None:
    with pytest.raises(BadReplyError, match="which was not offered"):
        Unpacker(encoding, 100, "s")


def test_an_encoding_is_known_however_it_is_written() -> None:
    assert Unpacker(" X-GZIP ", 100, "s").unpack(gzip.compress(b"words")) == b"words"
    assert Unpacker("Identity", 100, "s").unpack(b"words") == b"words"
