"""What a check says before anything is known, and of a page that could not be read."""

from __future__ import annotations

import pytest

from groundwire.checks import Check, NotCompared, PageIndex, check_claim
from groundwire.checks.check import MAX_DETAIL, not_read


def test_a_check_of_which_nothing_is_known_claims_nothing() -> None:
    check = Check()

    assert (check.coverage, check.score) == (0.0, 0.0)
    assert (check.quote_is_named, check.is_cut) == (False, False)
    assert check == check_claim("Whales sing", PageIndex("Sea otters eat crabs and rest."))


@pytest.mark.parametrize(
    ("detail", "told"),
    [
        ("connection refused", "connection refused"),
        ("  connection\n\trefused ", "connection refused"),
        ("x" * 299, "x" * 299),
        ("x" * 300, "x" * 300),
        ("x" * 301, "x" * 300),
    ],
    ids=["short", "several lines", "299", "300", "301"],
)
def test_why_a_page_was_not_read_is_told_in_one_line_of_300_characters(
    detail: str, told: str
) -> None:
    assert not_read(detail) == Check(not_compared=NotCompared.UNREADABLE, detail=told)
    assert MAX_DETAIL == 300
