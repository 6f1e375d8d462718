"""One answer, five readers; the format of seed 001 byte for byte."""

import json
import re

from groundwire.citations import (
    Marked,
    Marker,
    from_utf8_bytes,
    is_cited,
    is_used,
    place,
    sources_to_html,
    to_html,
    to_json,
    to_markdown,
    to_plain,
    to_terminal,
    without_markers,
)
from groundwire.model import Citation, Evidence

_GROUNDS = (Evidence.FOUND, Evidence.READ, Evidence.CITED)
HOSTILE = Citation(
    url="javascript:alert(1)", title='<b>"x"\x1b[31m\n[y](http://evil.example)', start=0, end=2
)


def test_gemini_byte_offsets_become_markers_and_a_list_as_seed_001_writes_it() -> None:
    text = "Größe zählt. Zweitens."
    ends = from_utf8_bytes(text, [15, 25])
    cited = [
        Citation(url="https://example.com", title="Title 1", start=0, end=ends[15]),
        Citation(url="https://example.org", title="Title 2", start=13, end=ends[25]),
        Citation(url="https://example.com", title="Title 1", start=13, end=ends[25]),
    ]

    assert to_markdown(place(text, cited)) == (
        "Größe zählt.[1] Zweitens.[1][2]\n"
        "\n"
        "Sources:\n"
        "[1] Title 1 (https://example.com)\n"
        "[2] Title 2 (https://example.org)"
    )


def test_openrouter_indices_become_markers_and_a_list_as_seed_001_writes_it() -> None:
    text = "OpenRouter is a router. It has plugins."
    cited = [
        Citation(url="https://example.com", title="Example", start=0, end=23),
        Citation(url="https://another.example", title="Another Site", start=24, end=39),
        Citation(url="https://untitled.example", start=None, end=None),
    ]

    assert to_markdown(place(text, cited)) == (
        "OpenRouter is a router.[1] It has plugins.[2]\n"
        "\n"
        "Sources:\n"
        "[1] Example (https://example.com)\n"
        "[2] Another Site (https://another.example)\n"
        "[3] untitled.example (https://untitled.example)"
    )


def test_an_answer_without_sources_is_only_its_text() -> None:
    marked = place("Words", [])

    assert (to_markdown(marked), to_plain(marked), sources_to_html(marked)) == (
        "Words",
        "Words",
        "",
    )


def test_what_was_only_read_or_found_is_not_listed_as_a_source() -> None:
    found = Citation(url="https://f.example", evidence=Evidence.FOUND)
    read = Citation(url="https://r.example", evidence=Evidence.READ)
    cited = Citation(url="https://c.example", evidence=Evidence.READ, start=0, end=5)
    named = Citation(url="https://n.example")

    marked = place("Words", [found, read, cited, named])

    headings = re.findall("<h2>(.*?)</h2>", sources_to_html(marked))
    assert headings == ["Sources (2)", "Read, not cited (1)", "Found, not cited (1)"]
    assert to_plain(marked) == (
        "Words[1]\n\nSources:\n[1] c.example (https://c.example)\n[2] n.example (https://n.example)"
        "\n\nRead, not cited:\n[3] r.example (https://r.example)"
        "\n\nFound, not cited:\n[4] f.example (https://f.example)"
    )


def test_an_answer_rests_on_what_it_cites_or_read_and_on_no_mere_hit() -> None:
    found, read, cited = (Citation(url=f"https://{how}.example", evidence=how) for how in _GROUNDS)
    marked_hit = Citation(url="https://m.example", evidence=Evidence.FOUND, start=0, end=5)

    sources = place("Words", [found, read, cited, marked_hit]).sources

    assert [source.domain for source in sources if is_used(source)] == [
        "m.example",
        "cited.example",
        "read.example",
    ]


def test_the_text_without_markers_is_what_was_written() -> None:
    text = "Otters sleep. They eat."
    cited = [Citation(url="https://a.example", start=0, end=13), Citation(url="https://b.example")]

    assert without_markers(place(text, cited)) == text


def test_a_terminal_gets_hyperlinks_and_no_control_characters_of_strangers() -> None:
    cited = Citation(url="https://c.example", start=0, end=5)

    shown = to_terminal(place("Words\x1b[2J", [cited]), hyperlinks=True)

    assert shown == (
        "Words\x1b]8;;https://c.example\x1b\\[1]\x1b]8;;\x1b\\[2J\n\nSources:\n[1] c.example "
        "(\x1b]8;;https://c.example\x1b\\https://c.example\x1b]8;;\x1b\\)"
    )


def test_html_is_escaped_and_names_the_evidence() -> None:
    read = Citation(url="https://r.example/?a=1&b=2", title="R & S", evidence=Evidence.READ)

    assert to_html(place("<i>[1]</i> [2]", [], known={"1": read})) == (
        '&lt;i&gt;<sup class="citation read"><a href="https://r.example/?a=1&amp;b=2"'
        ' rel="noopener noreferrer" aria-label="Source 1: R &amp; S">[1]</a></sup>&lt;/i&gt; '
        '<sup class="citation unknown"><span aria-label="Unknown source 2">[2?]</span></sup>'
    )


def test_a_hostile_title_or_url_does_no_harm() -> None:
    marked = place("So", [HOSTILE])

    html = to_html(marked) + sources_to_html(marked)
    assert "href" not in html
    assert "<b>" not in html
    assert "\x1b" not in to_terminal(marked, hyperlinks=True)
    assert to_markdown(marked) == (
        'So[1]\n\nSources:\n[1] \\<b>"x"\\[31m \\[y\\](http://evil.example) (javascript:alert(1))'
    )


def test_json_has_text_markers_sources_and_what_is_unknown() -> None:
    cited = Citation(url="https://c.example", title="C", quote="q", start=0, end=2)

    rendered = to_json(place("So [9]", [cited], known={}))

    assert json.loads(json.dumps(rendered)) == {
        "text": "So[1] [9?]",
        "markers": [
            {
                "start": 2,
                "end": 5,
                "numbers": [1],
                "struck": [],
                "unknown": [],
                "supports": [{"number": 1, "start": 0, "end": 2, "quote": "q"}],
            },
            {
                "start": 6,
                "end": 10,
                "numbers": [],
                "struck": [],
                "unknown": ["9"],
                "supports": [],
            },
        ],
        "sources": [
            {
                "number": 1,
                "url": "https://c.example",
                "title": "C",
                "domain": "c.example",
                "evidence": "cited",
                "quotes": ["q"],
                "spans": [[0, 2]],
            }
        ],
        "removed": [],
        "folded": [],
        "unknown": [{"id": "9", "written": "[9]", "position": 6}],
    }


def test_only_what_is_cited_counts_as_cited() -> None:
    citations = [
        Citation(url=f"https://{evidence}.example/", evidence=evidence) for evidence in _GROUNDS
    ]

    marked = place("So.", citations)

    assert {each.domain for each in marked.sources if is_cited(each)} == {"cited.example"}


def test_json_says_where_a_marker_begins_behind_the_words_of_its_link() -> None:
    behind = Marker(start=3, numbers=(1,), unknown=("7",), before="the Bee", after=" ")
    nothing = Marker(start=20, replaced="\ue203")

    rendered = to_json(Marked(text="So the Bee[1][7?] is.", changes=(behind, nothing)))

    assert [(each["start"], each["end"]) for each in rendered["markers"]] == [(10, 17)]
    assert rendered["unknown"] == [{"id": "7", "written": "", "position": 10}]
