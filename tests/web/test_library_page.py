"""A document of the library on its page, opened at the passage that an answer quotes."""

from __future__ import annotations

import re

import pytest

from groundwire.model import Page
from groundwire.web.library_page import library_page, lines_of

TEXT = """# Otters

Otters *hold* hands while they
sleep, see [kelp](kelp.md) for more.

- They eat urchins.
- They eat `crabs` too.

| what | how many |
|---|---|
| hairs | 150,000 |
| paws | 4 |
"""


@pytest.mark.parametrize(
    ("passage", "lines"),
    [
        ("Otters *hold* hands while they\nsleep, see [kelp](kelp.md) for more.", range(2, 4)),
        ("Otters hold hands while they sleep", range(2, 4)),
        ("They eat `crabs` too.", range(6, 7)),
        ("| hairs | 150,000 |", range(10, 11)),
        ("sleep, see kelp for more", range(3, 4)),
        ("whales sing", range(0)),
        ("", range(0)),
        ("…", range(0)),
    ],
)
def test_a_passage_is_found_by_its_words(passage: str, lines: range) -> None:
    assert lines_of(TEXT, passage) == lines


@pytest.mark.parametrize(
    ("passage", "marked"),
    [
        ("Otters hold hands while they sleep", "p"),
        ("They eat `crabs` too.", "li"),
        ("paws | 4", "tr"),
    ],
)
def test_the_passage_has_the_id_that_links_end_with(passage: str, marked: str) -> None:
    page = Page(url="https://library.test/notes/otter.md", title="Otters", content=TEXT)

    html = library_page(page, passage)

    assert re.findall(r'<(\w+)[^>]* id="passage"', html) == [marked]
    assert html.count("<h1") == 1


def test_a_document_cannot_mark_anything_itself() -> None:
    hostile = 'A <p id="passage" data-passage="">word</p> of a stranger.\n'

    html = library_page(Page(url="https://library.test/a/b.md", title="B", content=hostile))

    assert re.findall(r"<[^>]*passage", html) == []
