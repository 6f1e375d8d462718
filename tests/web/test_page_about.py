"""What a page says about itself, in words: as much as it says, and nothing twice."""

from __future__ import annotations

from dataclasses import fields, replace

import pytest

from groundwire.checks.records import SourcePage
from groundwire.model import PageMetadata
from groundwire.web.export_page import export_html
from groundwire.web.page_about import about_words
from groundwire.web.source_page import source_page
from tests.evidence.dossiers import dossier

URL = "https://otters.example/fur"
WHOLE = PageMetadata(
    authors=("Ada Marsh", "Ben Reed"),
    published="2026-03-02T10:20:00+00:00",
    modified="2026-03-05",
    site_name="The Otter Times",
    canonical_url="https://times.example/fur",
    language="en-GB",
    licence="All rights reserved.",
)
WORDS = (
    "By Ada Marsh, Ben Reed · The Otter Times · published 2026-03-02 · changed 2026-03-05 · "
    "language en-GB · licence All rights reserved · belongs at https://times.example/fur"
)


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (PageMetadata(), ""),
        (WHOLE, WORDS),
        (PageMetadata(authors=("Otter Club",), site_name="Otter Club"), "By Otter Club"),
        (PageMetadata(published="2026-03-02", modified="2026-03-02"), "published 2026-03-02"),
        (PageMetadata(published="2026-03-02", modified="2026-02-27"), "published 2026-03-02"),
        (PageMetadata(modified="2026-02-27T10:00:00+00:00"), "changed 2026-02-27"),
        (PageMetadata(canonical_url=f"{URL}#top"), ""),
    ],
)
def test_a_page_is_told_of_in_its_own_words(said: PageMetadata, words: str) -> None:
    assert about_words(said.said(), URL) == words


BAD = '<img src=x onerror="alert(1)">'


@pytest.mark.parametrize("name", [each.name for each in fields(PageMetadata)])
def test_no_field_of_a_strangers_page_becomes_markup(name: str) -> None:
    said = {name: [BAD] if name == "authors" else BAD}
    whole = dossier()
    pages = tuple(replace(each, about=said) for each in whole.snapshots)

    page = SourcePage(message_id="m", number=1, url=URL, text="Otters.", about=said)
    shown = [export_html(replace(whole, snapshots=pages)), source_page(page, [])]

    assert all("<img src=x" not in html for html in shown)


def test_an_exported_answer_says_who_made_its_pages_and_no_markup_of_theirs() -> None:
    whole = dossier()
    said = PageMetadata(authors=("<b>Ada</b>",), published="2026-03-02").said()
    pages = tuple(replace(each, about=said) for each in whole.snapshots)

    html = export_html(replace(whole, snapshots=pages))

    assert "By &lt;b&gt;Ada&lt;/b&gt; · published 2026-03-02</span>, read " in html
    assert "<b>Ada</b>" not in html
