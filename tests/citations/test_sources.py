"""The list of an answer's sources: numbers and titles that stay."""

from __future__ import annotations

from groundwire.citations import SourceList
from groundwire.model import Citation

URL = "https://a.example/x"


def test_the_first_title_that_is_given_stays() -> None:
    sources = SourceList()

    numbers = [sources.number(Citation(url=URL, title=each)) for each in ("", "First", "Later")]

    assert numbers == [1, 1, 1]
    assert [each.title for each in sources.take_new()] == ["First"]
