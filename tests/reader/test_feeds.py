"""Feeds, as their publishers write them."""

from __future__ import annotations

import json

import pytest

from groundwire.reader.documents import read_document
from groundwire.reader.extracted import Extracted

URL = "https://example.org/feed"


def test_rss_is_a_list_of_entries_with_links() -> None:
    feed = """<?xml version="1.0"?><rss version="2.0"><channel><title>River News</title>
    <link>https://example.org/</link><item><title>Otters &amp; fish</title><link>/otters</link>
    <pubDate>Mon, 02 Nov 2026</pubDate><description>&lt;p&gt;They eat.&lt;/p&gt;</description>
    </item></channel></rss>"""

    assert read_document(feed.encode(), "application/rss+xml", URL) == Extracted(
        title="River News",
        markdown="- [Otters & fish](https://example.org/otters) (Mon, 02 Nov 2026): They eat.",
    )


def test_atom_is_read_too() -> None:
    feed = """<feed xmlns="http://www.w3.org/2005/Atom"><title>River</title><entry>
    <title>Otters</title><link rel="self" href="/self"/><link href="https://example.org/o"/>
    <updated>2026-11-02</updated><summary>They swim.</summary></entry></feed>"""

    assert read_document(feed.encode(), "application/atom+xml", URL) == Extracted(
        title="River", markdown="- [Otters](https://example.org/o) (2026-11-02): They swim."
    )


def test_a_feed_with_bare_signs_and_entities_of_html_is_read() -> None:
    feed = (
        "<rss><channel><title>A&B</title><item><title>Otters & fish&nbsp;2</title></item>"
        "</channel></rss>"
    )

    extracted = read_document(feed.encode(), "application/rss+xml", URL)

    assert (extracted.title, extracted.markdown) == ("A&B", "- Otters & fish 2")


def test_a_feed_that_is_sent_as_html_is_a_feed() -> None:
    feed = '<?xml version="1.0"?>\n<!-- made --><rss><item><title>Otters</title></item></rss>'

    assert read_document(feed.encode(), "text/html", URL).markdown == "- Otters"


def test_a_feed_after_empty_lines_is_read() -> None:
    feed = '\n\n <?xml version="1.0"?><rss><item><title>Otters</title></item></rss>\n'

    assert read_document(feed.encode(), "application/rss+xml", URL).markdown == "- Otters"


@pytest.mark.parametrize(
    "start",
    [
        "<rss><channel><title>River</title><item><title>Otters</title></item><item><title>Fi",
        "<feed><title>River</title><entry><title>Otters</title></entry><entry><ti",
        (
            '<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"><channel><title>River</title></channel>'
            "<item><title>Otters</title></item><it"
        ),
    ],
)
def test_a_feed_that_breaks_off_is_read_up_to_its_last_whole_entry(start: str) -> None:
    assert read_document(start.encode(), "application/rss+xml", URL) == Extracted(
        title="River", markdown="- Otters", is_cut=True
    )


def test_an_entry_with_its_whole_text_is_a_section() -> None:
    feed = """<rss xmlns:content="http://purl.org/rss/1.0/modules/content/"><channel><item>
    <title>Otters</title><link>https://example.org/o</link><pubDate>2 Nov 2026</pubDate>
    <description><![CDATA[Short.]]></description>
    <content:encoded><![CDATA[<p>They <b>swim</b>.</p><p hidden>INJECT</p><ul><li>
    <a href="/a">eat</a></li></ul>]]></content:encoded></item></channel></rss>"""

    assert read_document(feed.encode(), "text/xml", URL).markdown == (
        "## [Otters](https://example.org/o)\n\n2 Nov 2026\n\nThey **swim**.\n\n"
        "- [eat](https://example.org/a)"
    )


@pytest.mark.parametrize(
    "content",
    [
        '<content type="html">&lt;p&gt;They &lt;b&gt;swim&lt;/b&gt;.&lt;/p&gt;</content>',
        (
            '<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>They <b>swim</b>.'
            "</p></div></content>"
        ),
    ],
)
def test_the_content_of_an_atom_entry_is_read(content: str) -> None:
    feed = f"""<feed xmlns="http://www.w3.org/2005/Atom"><entry><title>Otters</title>
    <summary>Short.</summary>{content}</entry></feed>"""

    assert read_document(feed.encode(), "application/atom+xml", URL).markdown == (
        "## Otters\n\nThey **swim**."
    )


def test_an_entry_without_a_title_begins_with_what_it_says_and_a_guid_may_be_its_address() -> None:
    said = "They hold hands while they sleep, so that the current takes none of them away."
    feed = f"""<rss><channel><item><guid>https://example.org/1</guid><description>{said}
    </description></item><item><guid isPermaLink="false">https://example.org/2</guid>
    <description>They eat.</description></item></channel></rss>"""

    assert read_document(feed.encode(), "text/xml", URL).markdown == (
        f"- [{said[:60].rstrip()}…](https://example.org/1): {said}\n- They eat."
    )


def test_atom_whose_elements_all_have_a_prefix_is_read() -> None:
    feed = """<?xml version="1.0"?><a:feed xml:lang="en" xmlns:a="http://www.w3.org/2005/Atom">
    <a:title>River</a:title><a:entry><a:title>Otters</a:title><a:link href="/o"/>
    <a:content type="html">&lt;p&gt;They swim.&lt;/p&gt;</a:content></a:entry></a:feed>"""

    assert read_document(feed.encode(), "application/xml", URL) == Extracted(
        title="River", markdown="## [Otters](https://example.org/o)\n\nThey swim."
    )


def test_a_json_feed_is_read_as_a_feed() -> None:
    feed = {
        "version": "https://jsonfeed.org/version/1.1",
        "title": "River",
        "items": [
            {
                "id": "1",
                "url": "/o",
                "title": "Otters",
                "date_published": "2026-11-02",
                "content_html": "<p>They <b>swim</b>.</p><p hidden>INJECT</p>",
                "summary": "Short.",
            },
            {
                "id": "2",
                "content_text": "Fish <3 otters.\n\nNot so.",
                "date_published": "2026-11-03",
            },
            {"id": "https://example.org/3", "title": "Kelp", "summary": "It grows."},
            "nothing",
        ],
    }

    assert read_document(json.dumps(feed).encode(), "application/feed+json", URL) == Extracted(
        title="River",
        markdown="## [Otters](https://example.org/o)\n\n2026-11-02\n\nThey **swim**.\n\n"
        "## 2026-11-03\n\nFish <3 otters.\n\nNot so.\n\n"
        "- [Kelp](https://example.org/3): It grows.",
    )


@pytest.mark.parametrize("items", ["[]", "null", '{"a": 1}', "[7]"])
def test_a_json_feed_without_entries_says_so(items: str) -> None:
    feed = f'{{"version": "https://jsonfeed.org/version/1", "title": 7, "items": {items}}}'

    assert read_document(feed.encode(), "application/json", URL) == Extracted(
        problem="the feed has no entries"
    )
