"""Dates as pages write them."""

from __future__ import annotations

import pytest

from groundwire.reader.dates import date_in_address, iso_date


@pytest.mark.parametrize(
    ("written", "date"),
    [
        ("2026-03-02", "2026-03-02"),
        ("2026-3-2", "2026-03-02"),
        ("2026-03-02T10:20:30Z", "2026-03-02T10:20:30+00:00"),
        ("2026-03-02 10:20", "2026-03-02T10:20:00"),
        ("2026-03-02T99:99:99", "2026-03-02"),
        ("20260302", "2026-03-02"),
        ("2026/03/02", "2026-03-02"),
        ("Mon, 02 Mar 2026 10:20:30 GMT", "2026-03-02T10:20:30+00:00"),
        ("March 2nd, 2026", "2026-03-02"),
        ("2 Sept. 2026", "2026-09-02"),
        ("Published on Sep 2, 2026 by Ada", "2026-09-02"),
        ("公開日：2026年3月2日", "2026-03-02"),
        ("2026년 3월 2일", "2026-03-02"),
        ("2026-02-30", ""),
        ("0001-01-01", ""),
        ("yesterday", ""),
        ("", ""),
    ],
)
def test_a_date_becomes_iso_or_nothing(written: str, date: str) -> None:
    assert iso_date(written) == date


@pytest.mark.parametrize(
    ("path", "date"),
    [
        ("/2026/03/02/otters", "2026-03-02"),
        ("/news/2026-3-2", "2026-03-02"),
        ("/2026/13/02/otters", ""),
        ("/2026/03/", ""),
    ],
)
def test_an_address_may_name_the_day(path: str, date: str) -> None:
    assert date_in_address(path) == date
