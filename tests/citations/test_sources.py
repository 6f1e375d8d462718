"""The list of an answer's sources: numbers and titles that stay."""

from __future__ import annotations

import pytest

from groundwire.citations import SourceList
from groundwire.model import Citation, Evidence

URL = "https://a.example/x"


def test_the_first_title_that_is_given_stays() -> None:
    sources = SourceList()

    numbers = [sources.number(Citation(url=URL, title=each)) for each in ("", "First", "Later")]

    assert numbers == [1, 1, 1]
    assert [each.title for each in sources.take_new()] == ["First"]


@pytest.mark.parametrize(
    ("told", "strongest"),
    [
        ((Evidence.FOUND, Evidence.READ), Evidence.READ),
        ((Evidence.READ, Evidence.FOUND), Evidence.READ),
        ((Evidence.READ, Evidence.CITED), Evidence.CITED),
        ((Evidence.CITED, Evidence.FOUND), Evidence.CITED),
    ],
)
def test_a_source_has_the_strongest_evidence_that_was_told(
    told: tuple[Evidence, ...], strongest: Evidence
) -> None:
    sources = SourceList()
    for evidence in told:
        sources.number(Citation(url=URL, evidence=evidence))

    assert [each.evidence for each in sources.take_new()] == [strongest]


@pytest.mark.parametrize("is_marked", [True, False])
def test_a_source_that_had_a_marker_once_has_one(is_marked: bool) -> None:
    sources = SourceList()

    sources.number(Citation(url=URL), is_marked=is_marked)
    sources.number(Citation(url=URL))

    assert [each.is_marked for each in sources.sources()] == [is_marked]
