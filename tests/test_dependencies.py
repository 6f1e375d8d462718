"""Each direct dependency has a reason and a licence that fits; the command says so."""

from __future__ import annotations

import json
import tomllib

import pytest
from tools.dependencies import (
    TABLE,
    _one,
    asked_for,
    dependencies,
    is_below,
    is_fitting,
    uploaded,
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


def test_a_version_is_as_old_as_its_first_file_in_the_index() -> None:
    page = """
        <a href="x" data-upload-time="2026-11-07T01:00:00Z">click-8.5.1.tar.gz</a>
        <a href="x" data-upload-time="2026-11-06T17:36:59Z">click-8.5.1-py3-none-any.whl</a>
        <a href="x" data-upload-time="2020-01-01T00:00:00Z">click-8.5.10-py3-none-any.whl</a>
        <a href="x">click-8.5.2-py3-none-any.whl</a>
    """

    assert uploaded(page, "8.5.1") == "2026-11-06"
    assert uploaded(page, "8.5.2") is None
    files = [{"filename": "click-8.5.1.tar.gz", "upload-time": "2026-11-06T17:36:59.0Z"}]
    assert uploaded(json.dumps({"files": files}), "8.5.1") == "2026-11-06"


def test_every_installed_version_has_an_age() -> None:
    assert [each.name for each in dependencies() if each.version and not each.released] == []


def test_whatever_is_wrong_with_a_dependency_is_said() -> None:
    table = {
        "why": {},
        "licence": {"click": "GPL-3.0-only"},
        "released": {"click": "0.1 2014-01-01"},
        "fault": [{"name": "click", "fixed": "99", "what": "a fault"}],
    }

    said = _one("click", "click>=8", "", table).problems

    assert [words.partition(" (")[0].partition(":")[0] for words in said] == [
        "nobody says why it is there",
        "its licence is not one of those that fit",
        "a fault",
        "nobody knows how old this version is",
    ]
