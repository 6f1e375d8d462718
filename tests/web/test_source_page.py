"""A cited page as it was read: the passage is marked where it stands, and nothing in it runs."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import UTC, datetime
from html import unescape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.checks import CitationCheck, Opinion, Says, check_claim, hash_of, index_page
from groundwire.checks.plain_text import plain
from groundwire.checks.records import SourcePage
from groundwire.web.source_page import CitingAnswer, live_url, passage_of, source_page
from groundwire.web.source_text import source_text_html

WHEN = datetime(2026, 11, 17, 9, 30, tzinfo=UTC)
OTTER = (
    "# Sea otter\n\nSea otters have the **densest fur** of [all animals](https://a.example/fur). "
    "A square centimetre holds up to 150,000 hairs.\n\n"
    "- Resting sea otters wrap themselves in `kelp`\n- Some hold paws while they sleep\n"
    "- ~~Some sink~~\n\n"
    "| animal | hairs |\n|---|---|\n| sea otter | 150,000 |\n"
)
PDF = "The first page of the report has nothing.\n\n---\n\nThe second page has 450 otters in it."


def _page(text: str = OTTER, url: str = "https://a.example/otter") -> SourcePage:
    return SourcePage(
        message_id="m",
        number=1,
        url=url,
        title="Sea otter",
        text=text,
        text_hash=hash_of(text),
        read_at=WHEN,
    )


def _check(claim: str, page: SourcePage, position: int = 10) -> CitationCheck:
    return CitationCheck(
        number=1,
        position=position,
        claim=claim,
        url=page.url,
        check=check_claim(claim, index_page(page.text, page.url)),
        checked_at=WHEN,
        page_hash=page.text_hash,
    )


def _letters(text: str) -> str:
    return "".join(re.findall(r"\w+", text))


def _marked(html: str) -> str:
    return unescape("".join(re.findall(r"<mark[^>]*>(.*?)</mark>", html, re.DOTALL)))


@pytest.mark.parametrize(
    ("claim", "words"),
    [
        ("Sea otters have the densest fur of all animals.", "densest fur"),
        ("A square centimetre holds up to 150,000 hairs.", "150,000 hairs"),
        ("Resting sea otters wrap themselves in kelp", "in kelp"),
        ("sea otter | 150,000", "150,000"),
    ],
)
def test_the_passage_is_marked_whatever_markdown_is_in_it(claim: str, words: str) -> None:
    page = _page()
    check = _check(claim, page)

    html = source_page(page, [check], 10)

    span = passage_of(check.check)
    assert span is not None
    assert _letters(_marked(html)) == _letters(plain(page.text[slice(*span)]))
    assert words in _marked(html)
    assert html.count('id="passage"') == 1


def test_all_of_the_text_is_shown_in_its_shapes() -> None:
    page = _page()

    html = source_page(page, [], None)

    shown = html[html.index("<article") : html.index("</article>")]
    assert _letters(unescape(re.sub(r"<[^>]+>", " ", shown))) == _letters(plain(page.text))
    for element in ("h1", "strong", "s>", "code", "ul", "table", "td"):
        assert f"<{element}" in shown


@given(text=st.text(alphabet="otter **_`[]()|\n#->1. \\~<&", max_size=60), data=st.data())
def test_whatever_the_markdown_the_passage_is_marked_once_and_nothing_is_lost(
    text: str, data: st.DataObject
) -> None:
    start = data.draw(st.integers(0, len(text)))
    end = data.draw(st.integers(start, len(text)))

    html = source_text_html(text, (start, end))

    assert html.count('id="passage"') == bool(re.search("<mark", html))
    letters = re.sub(r"[^oter]", "", unescape(re.sub(r"<[^>]+>", "", html)))
    assert letters == re.sub(r"[^oter]", "", text) or "](" in text or "]: " in text
    if re.sub(r"[^oter]", "", text[start:end]) and "[" not in text:
        assert re.sub(r"[^oter]", "", text[start:end]) in re.sub(r"[^oter]", "", _marked(html))


def test_a_very_long_page_is_shown_sign_by_sign() -> None:
    text = f"{OTTER}\n\n" * 1_500

    html = source_text_html(text, (15, 60))

    assert text[15:60] == _marked(html)
    assert "<strong>" not in html


def test_a_source_that_was_not_kept_says_so() -> None:
    html = source_page(replace(_page(), text=""), [], None)

    assert "The text of this page is not kept" in html
    assert "As it was read" not in html


def test_the_page_says_who_made_it_and_when() -> None:
    page = replace(_page(), about={"authors": ["Ada <Marsh>"], "published": "2026-03-02T10:20:00"})

    assert "By Ada &lt;Marsh&gt; · published 2026-03-02<" in source_page(page, [])


def test_nothing_of_a_stranger_becomes_an_element_or_a_link() -> None:
    bad = '<script>alert(1)</script><img src="https://t.example/x"> [x](javascript:alert(1)) &amp;'
    page = _page(f"{bad}\n\n{OTTER}", url='https://a.example/?q="><script>alert(2)</script>')

    html = source_page(page, [_check(f"{bad} Sea otters have the densest fur", page)], 10)

    assert "<script" not in html
    assert "<img" not in html
    assert "javascript:" not in re.findall(r'href="([^"]*)"', html)
    assert len(re.findall("<a ", html)) == 1


def test_the_claim_that_somebody_came_from_is_the_first_one() -> None:
    page = _page()
    checks = [
        _check("A square centimetre holds up to 150,000 hairs.", page, 10),
        _check("Some hold paws while they sleep", page, 40),
    ]

    html = source_page(page, checks, 40)

    assert _marked(html).startswith("Some hold paws")
    assert html.index("Some hold paws") < html.index("A square centimetre")
    assert html.count('aria-current="true"') == 1


def test_a_place_in_a_pdf_has_its_page_number() -> None:
    page = _page(PDF, "https://a.example/report.pdf")

    html = source_page(page, [_check("The second page has 450 otters in it.", page)], 10)

    assert "· page 2" in html


def test_a_place_in_a_pdf_whose_address_does_not_tell_has_its_page_number() -> None:
    page = replace(_page(PDF, "https://a.example/download?id=7"), about={"pages": 3})

    html = source_page(page, [_check("The second page has 450 otters in it.", page)], 10)

    assert "· page 2" in html


def test_a_check_of_another_text_marks_nothing() -> None:
    page, older = _page(), _page(PDF)

    html = source_page(page, [_check("The second page has 450 otters in it.", older)], 10)

    assert "<mark" not in html
    assert "compared with another text" in html


def test_a_page_that_is_being_compared_says_so_and_loads_itself_again() -> None:
    html = source_page(_page(), [], answer=CitingAnswer(session_id="s", is_comparing=True))

    assert "are being compared" in html
    assert '<meta http-equiv="refresh"' in html
    assert "<form" not in html


def test_why_nothing_is_compared_again_is_said() -> None:
    html = source_page(_page(), [], answer=CitingAnswer(session_id="s", notice="it is <off>"))

    assert "Not compared again: it is &lt;off&gt;." in html


def test_an_opinion_stands_below_the_facts_by_its_model() -> None:
    page = _page()
    said = Opinion(model="m-1", says=Says.PARTLY, words="the densest fur", cost_usd=0.001)
    check = replace(_check("Sea otters have the densest fur", page), opinion=said)

    html = source_page(page, [check, replace(check, opinion=None, no_opinion="No opinion: x.")])

    assert "Opinion of m-1: the page says a part of it by" in html
    assert "No opinion: x." in html


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("https://a.example/otter", "https://a.example/otter#:~:text="),
        ("https://a.example/otter#top", "https://a.example/otter#:~:text="),
        ("https://library.test/notes/otter.md", "/library/notes/otter.md?passage="),
        ("javascript:alert(1)", ""),
    ],
)
def test_the_link_leads_to_the_page_itself_where_there_is_one(url: str, expected: str) -> None:
    link = live_url(_page(url=url), (15, 60))

    assert link.startswith(expected)
    assert bool(link) == bool(expected)
