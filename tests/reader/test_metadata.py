"""What a page says about itself: from schema.org's data, from `meta`, from its own markup."""

from __future__ import annotations

import json

import pytest
from bench.reader_metadata import measure

from groundwire.model import PageMetadata
from groundwire.reader import extract

URL = "https://news.example/2026/03/02/otters"
TEXT = "<p>Sea otters hold hands while they sleep, so that the current takes none of them.</p>" * 3


def metadata(head: str, body: str = TEXT, url: str = URL) -> PageMetadata:
    page = f"<html lang=en-GB><head><title>Otters</title>{head}</head><body>{body}</body></html>"
    return extract(page.encode(), "text/html", url).metadata


def linked(*objects: object) -> str:
    return f'<script type="application/ld+json">{json.dumps(objects)}</script>'


def test_schema_org_says_all_of_it() -> None:
    article = {
        "@context": "https://schema.org",
        "@type": "NewsArticle",
        "author": [{"@type": "Person", "name": "Ada Marsh"}, {"@type": "Person", "name": "Li Na"}],
        "datePublished": "2026-03-02T08:30:00+01:00",
        "dateModified": "2026-03-04",
        "publisher": {"@type": "Organization", "name": "The Daily Otter"},
        "license": "https://creativecommons.org/licenses/by/4.0/",
    }

    found = metadata(linked(article) + '<link rel="canonical" href="/otters">')

    assert found == PageMetadata(
        authors=("Ada Marsh", "Li Na"),
        published="2026-03-02T08:30:00+01:00",
        modified="2026-03-04",
        site_name="The Daily Otter",
        canonical_url="https://news.example/otters",
        language="en-GB",
        licence="https://creativecommons.org/licenses/by/4.0/",
    )


def test_a_graph_names_its_author_by_id() -> None:
    graph = {
        "@graph": [
            {"@type": "WebSite", "@id": "#site", "name": "Otter Notes"},
            {"@type": "WebPage", "datePublished": "2020-01-01"},
            {"@type": "BlogPosting", "author": {"@id": "#ada"}, "datePublished": "2021-02-03"},
            {"@type": "Person", "@id": "#ada", "name": "Ada Marsh"},
        ]
    }

    found = metadata(linked(graph))

    assert found.authors == ("Ada Marsh",)
    assert found.published == "2021-02-03"
    assert found.site_name == "Otter Notes"


@pytest.mark.parametrize(
    ("head", "authors", "published"),
    [
        (
            (
                '<meta name="author" content="By Ada Marsh">'
                '<meta property="article:published_time" content="2024-05-06T07:08:09Z">'
            ),
            ("Ada Marsh",),
            "2024-05-06T07:08:09+00:00",
        ),
        (
            (
                '<meta name="citation_author" content="Marsh, Ada">'
                '<meta name="citation_author" content="Na, Li">'
                '<meta name="citation_publication_date" content="2019/11/30">'
            ),
            ("Marsh, Ada", "Na, Li"),
            "2019-11-30",
        ),
        (
            (
                '<meta property="article:author" content="https://social.example/ada">'
                '<meta name="DC.date.issued" content="30 November 2019">'
            ),
            (),
            "2019-11-30",
        ),
    ],
)
def test_meta_elements_name_authors_and_dates(
    head: str, authors: tuple[str, ...], published: str
) -> None:
    found = metadata(head)

    assert (found.authors, found.published) == (authors, published)


def test_markup_of_the_page_counts_where_its_head_is_silent() -> None:
    body = (
        '<article><h1>Otters</h1><p class="meta">Posted by <a rel="author" href="/ada">Ada Marsh'
        f'</a> <time datetime="2022-07-08">last week</time></p>{TEXT}</article>'
    )

    found = metadata("", body)

    assert (found.authors, found.published) == (("Ada Marsh",), "2022-07-08")


def test_a_byline_in_words_is_the_last_to_be_asked_before_the_address() -> None:
    body = f"<h1>Otters</h1><div>By Ada Marsh</div><div>March 9, 2026</div>{TEXT}"

    said = metadata("", body)
    silent = metadata("", f"<h1>Otters</h1>{TEXT}")

    assert (said.authors, said.published) == (("Ada Marsh",), "2026-03-09")
    assert (silent.authors, silent.published) == ((), "2026-03-02")


@pytest.mark.parametrize(
    ("byline", "authors"),
    [
        ("By Ada Marsh and Li Na | News", ("Ada Marsh", "Li Na")),
        ("By Ada Marsh, Senior Editor", ("Ada Marsh",)),
        ("Von Anna Müller, Jan Kern und Lea Bär", ("Anna Müller", "Jan Kern", "Lea Bär")),
        ("Par Jean Dupont le 2 mars 2026", ("Jean Dupont",)),
        ("Por María de la Cruz", ("María de la Cruz",)),
        ("Di Luca Rossi", ("Luca Rossi",)),
        ("Door Jan de Vries", ("Jan de Vries",)),
        ("Tekst: Kari Nordmann", ("Kari Nordmann",)),
        ("Автор: Иван Петров", ("Иван Петров",)),
        ("بقلم أحمد علي", ("أحمد علي",)),
        ("लेखक: राम शर्मा", ("राम शर्मा",)),
        ("โดย สมชาย ใจดี", ("สมชาย ใจดี",)),
        ("作者：王小明", ("王小明",)),
        ("来源：新华社 作者：王小明", ("王小明",)),
        ("文／王小明", ("王小明",)),
        ("記者王小明／台北報導", ("王小明",)),
        ("取材・文＝山田太郎", ("山田太郎",)),
        ("홍길동 기자", ("홍길동",)),
        ("By the river, in summer", ()),
        ("Von der Küste bis zum Berg", ()),
        ("Por la mañana", ()),
        ("Von A bis Z", ()),
        ("Autor: Redaktion", ()),
    ],
)
def test_a_byline_is_known_in_many_languages(byline: str, authors: tuple[str, ...]) -> None:
    assert metadata("", f"<h1>Otters</h1><div>{byline}</div>{TEXT}").authors == authors


@pytest.mark.parametrize(
    ("said", "authors"),
    [
        ("Von Anna Müller und Jan Kern", ("Anna Müller", "Jan Kern")),
        ("Author: Ada Marsh", ("Ada Marsh",)),
        ("Di Stefano Alfredo", ("Di Stefano Alfredo",)),
        ("By Ada", ("Ada",)),
        ("Redaktion", ()),
    ],
)
def test_a_word_for_by_is_no_part_of_a_name(said: str, authors: tuple[str, ...]) -> None:
    assert metadata(f'<meta name="author" content="{said}">').authors == authors


@pytest.mark.parametrize(
    ("written", "published"),
    [
        ("2026. 3. 9.", "2026-03-09"),
        ("2026/03/09 10:20", "2026-03-09"),
        ("Veröffentlicht am 9. März 2026", "2026-03-09"),
        ("Aktualisiert am 9. März 2026", ""),
        ("最終更新日：2026年3月9日", ""),
        ("API 2026-03-09.clover", ""),
    ],
)
def test_a_date_near_the_title_is_that_of_publication(written: str, published: str) -> None:
    body = f"<h1>Otters</h1><div>{written}</div>{TEXT}"

    assert metadata("", body, "https://news.example/otters").published == published


@pytest.mark.parametrize(
    "around", ["<!-- {} -->", "//<![CDATA[\n{}\n//]]>", "/*<![CDATA[*/ {} /*]]>*/", " {};"]
)
def test_data_is_read_in_old_wrappings_and_with_a_comma_too_many(around: str) -> None:
    data = '{"@type": "Article", "author": "Ann Lee", "inLanguage": "de",}'
    script = f'<script type="application/ld+json">{around.format(data)}</script>'

    metadata = extract(f"<title>Otters</title>{script}<p>Text.</p>".encode()).metadata

    assert (metadata.authors, metadata.language) == (("Ann Lee",), "de")


def test_a_page_says_its_licence_with_a_link() -> None:
    link = '<p>Text under <a rel="license" href="https://licences.example/by/">a licence</a>.</p>'

    assert metadata("", TEXT + link).licence == "https://licences.example/by/"


@pytest.mark.parametrize(
    "data",
    [
        "{",
        "null",
        '"text"',
        '{"@type": "Article", "author": 7, "datePublished": ["x"], "publisher": []}',
        '{"@type": ["Article", 3], "author": {"name": {"first": "A"}}, "datePublished": "soon"}',
        "[" * 5_000,
    ],
)
def test_data_of_no_use_says_nothing_and_breaks_nothing(data: str) -> None:
    found = metadata(f'<script type="application/ld+json">{data}</script>', url="")

    assert found == PageMetadata(language="en-GB")


def test_what_a_page_says_is_cleaned_and_cut() -> None:
    hidden = "Ada\u200b\u202e Marsh"
    long = "x" * 5_000

    found = metadata(
        f'<meta name="author" content="{hidden}"><meta property="og:site_name" content="{long}">'
        f'<link rel="canonical" href="javascript:alert(1)">'
    )

    assert found.authors == ("Ada Marsh",)
    assert found.site_name == "x" * 200
    assert found.canonical_url == ""


def test_the_measure_counts_what_is_right_and_what_nobody_asked_for() -> None:
    pages = [
        {"author": "Ada Marsh", "date": "2026-03-02"},
        {"author": "Li Na", "date": ""},
        {"author": "", "date": "2026-03-02"},
    ]
    found = [("ada marsh", "2026-03-02T10:00:00"), ("", "2020-01-01"), ("Bo", "2026-03-03")]

    assert measure(pages, found) == {
        "author": {"wanted": 2, "found": 2, "right": 1, "unknown": 1},
        "date": {"wanted": 2, "found": 3, "right": 1, "unknown": 1},
    }
