"""Documents of strangers: HTML, feeds, PDF, JSON and text, damaged. Text comes out, or a reason."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache
from random import Random

import pytest

from groundwire.library.passages import cut
from groundwire.reader import Extracted, extract, read_document
from groundwire.reader.characters import visible
from groundwire.sandbox.site import documents
from groundwire.tools.fence import fenced
from tests.security.fuzzing import chances, damaged, fuzz, one_of
from tests.shared import SHARED

URL = "https://a.example/page"
TAGS = (
    *("html", "head", "body", "title", "base", "meta", "article", "main", "div", "p", "span", "a"),
    *("ul", "ol", "li", "dl", "dt", "dd", "table", "tr", "td", "th", "caption", "pre", "code"),
    *("h1", "h6", "blockquote", "details", "summary", "svg", "math", "template", "noscript"),
    *("script", "style", "textarea", "select", "option", "iframe", "img", "br", "b", "i", "x-y"),
)
ATTRIBUTES = (
    *("", " hidden", ' style="display:none"', ' style="color:#;font-size:1e999px"', " href='//['"),
    *(' href="javascript:x"', ' rowspan="99999999999"', ' colspan="-1"', ' class="a b"', " ="),
    *(
        ' start="999999999999999999999"',
        ' style="',
        ' lang="\0"',
        ' src="data:x"',
        " role=tabpanel",
    ),
)
TEXTS = ("", "x", "words of a page. " * 9, "&#0;&#xD800;&amp", "\u202e\U000e0041\u200b", "<", "]]>")
CHARSETS = (
    *("", "utf-8", "utf-16", "utf-7", "latin-1", "shift_jis", "gb2312", "hex", "idna", "punycode"),
    *(
        "undefined",
        "rot13",
        "unicode_escape",
        "zip",
        "\0",
        "\ud800",
        "x" * 300,
        "'\"",
        "iso-2022-jp",
    ),
)
FEED = (
    '<?xml version="1.0"?><rss><channel><title>F</title><item><title>A</title>'
    "<link>https://a.example/1</link><pubDate>x</pubDate><description>&lt;b&gt;d&lt;/b&gt;"
    '</description></item><entry><link href="//["/><summary>s</summary></entry></channel></rss>'
)


@cache
def pages() -> Sequence[bytes]:
    """Return real pages, the small ones, and one of ours where there are none."""
    found = sorted((SHARED / "corpora" / "articles" / "html").glob("*"))
    small = [path for path in found if path.is_file() and path.stat().st_size < 60_000]
    whole = b"<title>T</title><article><h1>T</h1><p>" + b"Otters hold hands. " * 30 + b"</article>"
    return [whole, *(_unpacked(path.read_bytes()) for path in small[:40])]


def _unpacked(body: bytes) -> bytes:
    import gzip  # noqa: PLC0415 - only where pages are kept packed

    return gzip.decompress(body) if body.startswith(b"\x1f\x8b") else body


def soup(chance: Random) -> bytes:
    """Return tags in no order, some never closed, some never opened."""
    parts = []
    for _ in range(chance.choice((3, 20, 80))):
        tag = one_of(TAGS, chance)
        opening = f"<{tag}{one_of(ATTRIBUTES, chance)}>" * chance.choice((1, 1, 1, 1, 60))
        parts += [opening, one_of(TEXTS, chance), chance.choice(("", f"</{tag}>", "</", "<!--"))]
    return "".join(parts).encode("utf-8", "replace")


def check(found: Extracted) -> None:
    """Check what every document must keep: visible text, or a reason why there is none."""
    assert bool(found.problem) or bool(found.markdown)
    assert visible(found.markdown) == found.markdown
    assert visible(found.title) == found.title
    assert fenced(found.markdown, "x").count("<<<UNTRUSTED ") >= 1
    assert not re.search(r"\]\((?:javascript|data|vbscript|file):", found.markdown, re.IGNORECASE)
    for passage in cut(found.markdown):
        assert 0 <= passage.start <= passage.end <= len(found.markdown)


@fuzz(60, chance=chances)
def test_a_damaged_page_is_read_or_told_of(chance: Random) -> None:
    body = damaged(one_of(pages(), chance), chance)
    kind = f"text/html; charset={one_of(CHARSETS, chance)}"

    check(extract(body, kind, URL))


@fuzz(120, chance=chances)
def test_a_soup_of_tags_is_read_or_told_of(chance: Random) -> None:
    check(extract(soup(chance), f"text/html; charset={one_of(CHARSETS, chance)}", URL))


@fuzz(150, chance=chances)
def test_a_damaged_document_of_any_kind_is_read_or_told_of(chance: Random) -> None:
    whole = (
        FEED.encode(),
        documents.pdf(documents.LINES),
        b'{"a": [1, {"b": null}]}',
        b"plain text\r\nof several lines",
        b"<?xml version='1.0'?><a><b>c</b></a>",
    )
    kind = chance.choice(
        (
            "application/rss+xml",
            "application/pdf",
            "application/json",
            "text/plain",
            "",
            "\0/\ud800",
        )
    )

    check(read_document(damaged(one_of(whole, chance), chance), kind, URL))


@pytest.mark.parametrize("charset", CHARSETS)
def test_no_charset_that_a_page_can_name_stops_the_reader(charset: str) -> None:
    body = b"<p>" + "Otters hold hands in cafés. ".encode("latin-1") * 20

    found = read_document(body, f"text/html; charset={charset}", URL)

    assert found.problem or found.markdown


def test_an_entry_of_a_feed_whose_address_is_none_is_listed_without_it() -> None:
    found = read_document(FEED.encode(), "application/rss+xml", URL)

    assert found.markdown.splitlines() == ["- [A](https://a.example/1) (x): d", "- s"]
