"""Other people's parsers read our bibliographies, whatever is in a title."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime

import pytest
import rispy
from bibtexparser.entrypoint import parse_string
from hypothesis import given
from hypothesis import strategies as st

from groundwire.checks.records import Snapshot
from groundwire.citations import Marked, Source
from groundwire.conversation import ChatMessage, MessageKind
from groundwire.evidence.bibliography import (
    Reference,
    references,
    to_bibtex,
    to_csl_json,
    to_ris,
)
from groundwire.model import Evidence

WHEN = datetime(2026, 11, 17, 8, 30, tzinfo=UTC)
PLAIN = Reference(
    key="source1",
    url="https://a.example/otter?a=1&b={2}",
    title="Otters",
    authors=("Ada Otter", "The Sea and Land Trust, Inc."),
    site="The Otter & Co",
    published="2026-03-02T10:00:00Z",
    accessed="2026-11-17",
    language="en",
)
TITLES = [
    "Plain",
    "Braces {in} the }title{",
    "Ångström, naïve café: œuvre",
    "水獺怎麼睡覺？",
    "100% & $5 #1 a_b ~c ^d \\e",
    'Quotes "double" and @article{x,',
    "مرحبا بالعالم",
]


def _source(url: str, title: str) -> Source:
    return Source(number=1, url=url, title=title, domain="a.example", evidence=Evidence.CITED)


def _unescaped(value: str) -> str:
    for escape, letter in (
        (r"\textbackslash{}", "\\\\"),
        (r"\textasciitilde{}", "~"),
        (r"\textasciicircum{}", "^"),
    ):
        value = value.replace(escape, letter)
    out, at = "", 0
    while at < len(value):
        if value[at] == "\\":
            at += 1
        out += value[at]
        at += 1
    return out


@pytest.mark.parametrize("title", TITLES)
def test_bibtex_comes_back_from_a_parser_of_others(title: str) -> None:
    items = [replace(PLAIN, title=title), replace(PLAIN, key="source2")]

    library = parse_string(to_bibtex(items))

    assert library.failed_blocks == []
    assert [each.key for each in library.entries] == ["source1", "source2"]
    fields = library.entries[0].fields_dict
    assert _unescaped(fields["title"].value.removeprefix("{").removesuffix("}")) == title
    assert fields["author"].value == "{Ada Otter} and {The Sea and Land Trust, Inc.}"
    assert _unescaped(fields["url"].value) == "https://a.example/otter?a=1&b=%7B2%7D"
    assert (fields["year"].value, fields["month"].value, fields["day"].value) == (
        "2026",
        "mar",
        "2",
    )
    assert fields["urldate"].value == "2026-11-17"


@pytest.mark.parametrize("title", TITLES)
def test_ris_comes_back_from_a_parser_of_others(title: str) -> None:
    items = [replace(PLAIN, title=title), replace(PLAIN, key="source2")]

    first, second = rispy.loads(to_ris(items))

    assert first["title"] == title
    assert first["authors"] == ["Ada Otter", "The Sea and Land Trust, Inc."]
    assert first["urls"] == [PLAIN.url]
    assert (first["year"], first["access_date"]) == ("2026", "2026/11/17/")
    assert second["id"] == "source2"


@given(title=st.text(min_size=1, max_size=40), author=st.text(min_size=1, max_size=20))
def test_no_title_breaks_out_of_its_entry(title: str, author: str) -> None:
    page = Snapshot(message_id="m", url="https://a.example/", about={"authors": [author]})
    source = _source("https://a.example/", title)
    answer = ChatMessage(
        session_id="s", kind=MessageKind.AI_RESPONSE, marked=Marked(text="", sources=(source,))
    )

    items = references([answer], [page])

    library = parse_string(to_bibtex(items))
    assert (len(library.entries), library.failed_blocks) == (1, [])
    (entry,) = rispy.loads(to_ris(items))
    assert entry["urls"] == ["https://a.example/"]
    (csl,) = json.loads(to_csl_json(items))
    assert csl["URL"] == "https://a.example/"


def test_what_a_page_does_not_say_is_left_out() -> None:
    bare = Reference(key="source1", url="https://a.example/", title="A", accessed="2026-11-17")

    assert to_bibtex([bare]) == (
        "@online{source1,\n  title = {{A}},\n  url = {https://a.example/},\n"
        "  urldate = {2026-11-17},\n}\n"
    )
    assert to_ris([bare]).splitlines() == [
        "TY  - ELEC",
        "TI  - A",
        "UR  - https://a.example/",
        "Y2  - 2026/11/17/",
        "ID  - source1",
        "ER  - ",
    ]
    assert json.loads(to_csl_json([bare])) == [
        {
            "id": "source1",
            "type": "webpage",
            "title": "A",
            "accessed": {"date-parts": [[2026, 11, 17]]},
            "URL": "https://a.example/",
        }
    ]


def test_a_source_of_several_answers_is_named_once_with_what_its_page_says() -> None:
    page = Snapshot(
        message_id="m",
        url="https://a.example/otter",
        asked_url="http://a.example/otter",
        text_hash="cafe",
        about={"authors": ["Ada Otter"], "published": "2026-03", "site_name": "Otters"},
        read_at=WHEN,
    )
    source = _source("http://a.example/otter", "Otter")
    answer = ChatMessage(
        session_id="s", kind=MessageKind.AI_RESPONSE, marked=Marked(text="", sources=(source,))
    )

    (found,) = references([answer, answer], [page])

    assert (found.authors, found.site, found.date) == (("Ada Otter",), "Otters", ("2026", "03"))
    assert (found.accessed, found.key) == ("2026-11-17", "source1")
