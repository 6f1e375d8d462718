"""Ten times the work makes ten times the calls; what a call costs, `bench.citing` measures."""

import sys
from collections.abc import Callable
from types import FrameType
from typing import Any

import pytest
from bench.citing import TEXTS, WAYS, answer


def calls_of(function: Callable[[], object]) -> int:
    """Count every call, of Python and of C, that a function makes."""
    count = 0

    def note(_frame: FrameType, event: str, _argument: Any) -> None:
        nonlocal count
        count += event in ("call", "c_call")

    sys.setprofile(note)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("kind", TEXTS)
@pytest.mark.parametrize("way", WAYS)
def test_ten_times_the_text_and_citations_make_ten_times_the_calls(way: str, kind: str) -> None:
    small, large = answer(kind, 4_000), answer(kind, 40_000)

    few = calls_of(lambda: WAYS[way](*small))
    many = calls_of(lambda: WAYS[way](*large))

    assert many <= 11 * few
