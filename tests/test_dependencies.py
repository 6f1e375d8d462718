"""Each direct dependency has a reason and a licence that fits; the command says so."""

from __future__ import annotations

import tomllib
from datetime import date

import pytest
from tools.dependencies import (
    TABLE,
    asked_for,
    dependencies,
    is_below,
    is_fitting,
    released,
)

READ = tomllib.loads(TABLE.read_text("utf-8"))


def test_every_dependency_has_a_reason_and_every_reason_a_dependency() -> None:
    assert set(READ["why"]) == set(asked_for())
    assert {each["name"] for each in READ["fault"]} <= set(asked_for())
    assert set(READ["licence"]) <= set(asked_for())


def test_nothing_is_wrong_with_what_is_installed() -> None:
    found = dependencies()

    assert {each.name: each.problems for each in found if each.problems} == {}
    assert all(each.licence and each.megabytes is not None for each in found if each.version)


@pytest.mark.parametrize(
    ("licence", "fits"),
    [
        ("MIT", True),
        ("MPL-2.0 AND (Apache-2.0 OR MIT)", True),
        ("GPL-3.0-or-later", False),
        ("MIT AND AGPL-3.0", False),
        ("", False),
    ],
)
def test_only_licences_that_are_known_to_fit_do(licence: str, fits: bool) -> None:
    assert is_fitting(licence) is fits


@pytest.mark.parametrize(
    ("version", "fixed", "below"),
    [
        ("3.10.10", "3.10.11", True),
        ("3.10.11", "3.10.11", False),
        ("3.9", "3.10.11", True),
        ("4.0.0rc1", "3.10.11", False),
    ],
)
def test_versions_are_compared_by_their_numbers(version: str, fixed: str, below: bool) -> None:
    assert is_below(version, fixed) is below


def test_only_a_version_that_is_a_date_has_an_age() -> None:
    assert released("2026.11.9") == date(2026, 11, 9)
    assert released("6.0.12.20261103") == date(2026, 11, 3)
    assert released("2026.13.40") is None
    assert released("25.1.0") is None
