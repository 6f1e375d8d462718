"""Where markers go, by hand."""

import pytest

from groundwire.citations import (
    Marker,
    Source,
    Support,
    canonical_url,
    from_utf8_bytes,
    from_utf16,
    place,
)
from groundwire.citations.positions import GrowingText
from groundwire.model import Citation, Evidence

A, B, C = "https://a.example/", "https://b.example/page", "https://c.example"


def cite(text: str, words: str, url: str = A) -> Citation:
    start = text.index(words)
    return Citation(url=url, start=start, end=start + len(words))


def test_a_marked_text_knows_its_sources_markers_and_the_words_they_support() -> None:
    text = "Otters sleep. They eat."
    first = Citation(url=A, title="Otters", quote="asleep", start=0, end=13)
    second = Citation(url=B, start=14, end=23)

    marked = place(text, [second, first])

    assert marked.text == "Otters sleep.[1] They eat.[2]"
    assert marked.changes == (
        Marker(
            start=13,
            numbers=(1,),
            supports=(Support(number=1, start=0, end=13, quote="asleep"),),
        ),
        Marker(start=26, numbers=(2,), supports=(Support(number=2, start=17, end=26),)),
    )
    assert marked.sources == (
        Source(
            number=1,
            url=A,
            title="Otters",
            domain="a.example",
            evidence=Evidence.CITED,
            quotes=("asleep",),
            spans=((0, 13),),
            is_marked=True,
        ),
        Source(
            number=2,
            url=B,
            title="",
            domain="b.example",
            evidence=Evidence.CITED,
            spans=((17, 26),),
            is_marked=True,
        ),
    )


def test_each_claim_has_the_passage_that_was_named_for_it() -> None:
    text = "They sleep. They eat."
    named = [("", 0, 11), ("asleep", 0, 11), ("dozing", 0, 11), ("fish", 12, 21)]

    marked = place(text, [Citation(url=A, quote=q, start=s, end=e) for q, s, e in named])

    supports = [support for marker in marked.markers for support in marker.supports]
    assert supports == [
        Support(number=1, start=0, end=11, quote="asleep"),
        Support(number=1, start=15, end=24, quote="fish"),
    ]


def test_several_citations_of_one_place_are_merged_sorted_and_told_once() -> None:
    text = "One. Two."
    cited = [cite(text, "One.", A), cite(text, "One.", B), cite(text, "Two.", B)]

    marked = place(text, [*cited, cite(text, "Two.", A), cite(text, "Two.", f"{A}#part")])

    assert marked.text == "One.[1][2] Two.[1][2]"


def test_the_strongest_evidence_and_all_quotes_of_a_source_are_kept() -> None:
    found = Citation(url=A, evidence=Evidence.FOUND, quote="one")
    read = Citation(url=A, evidence=Evidence.READ, quote="two", title="Title")

    (source,) = place("", [found, read]).sources

    assert (source.evidence, source.quotes, source.title) == (
        Evidence.READ,
        ("two", "one"),
        "Title",
    )


@pytest.mark.parametrize(
    ("start", "end"),
    [(0, 0), (-1, 4), (5, 2), (None, None), (None, 4), (2, None), (50, 60), (4, 5)],
)
def test_what_is_no_place_is_only_listed(start: int | None, end: int | None) -> None:
    marked = place("Some text", [Citation(url=A, start=start, end=end)])

    assert marked.text == "Some text"
    assert [(source.number, source.is_marked) for source in marked.sources] == [(1, False)]


def test_sources_without_a_marker_follow_by_strength_of_evidence() -> None:
    found = Citation(url=A, evidence=Evidence.FOUND)

    marked = place("Word", [found, Citation(url=B), Citation(url=C, start=0, end=4)])

    assert [source.url for source in marked.sources] == [C, B, A]


def test_an_end_past_the_text_means_its_end() -> None:
    assert place("Word.\n", [Citation(url=A, start=0, end=99)]).text == "Word.[1]\n"


@pytest.mark.parametrize(
    ("text", "span", "expected"),
    [
        ("run `a b c` now", (0, 7), "run `a b c`[1] now"),
        ("x ``a ` b`` y", (0, 6), "x ``a ` b``[1] y"),
        ("a ` b", (0, 4), "a `[1] b"),
        ("```\ncode\n```\n\nEnd", (0, 6), "```\ncode\n```\n[1]\n\nEnd"),
        ("```\ncode\n```\n# End", (0, 6), "```\ncode\n```\n[1]\n\n# End"),
        ("```\ncode\n```", (0, 6), "```\ncode\n```\n[1]"),
        ("```\ncode", (0, 6), "```\ncode"),
        ("One.\n```\ncode\n```\nEnd", (0, 4), "One.[1]\n```\ncode\n```\nEnd"),
        ("    code\n    more\n\nEnd", (0, 6), "    code\n    more\n[1]\n\nEnd"),
        ("Otters:\n    - sleep a lot", (0, 19), "Otters:\n    - sleep[1] a lot"),
        ("Text\n\n    code\n    more\n\nEnd", (0, 12), "Text\n\n    code\n    more\n[1]\n\nEnd"),
        ("- item\n\n    words here", (0, 17), "- item\n\n    words[1] here"),
        ("see [the words](https://b.io/q) now", (0, 8), "see [the words](https://b.io/q)[1] now"),
        ("![an image](https://b.io/i.png) x", (0, 5), "![an image](https://b.io/i.png)[1] x"),
        ("<https://b.example/q> x", (0, 5), "<https://b.example/q>[1] x"),
        ("at https://b.example/q. Then", (0, 10), "at https://b.example/q [1]. Then"),
        ("at https://b.example/q. Then", (0, 23), "at https://b.example/q. [1] Then"),
        ("[the words][ref] x", (0, 6), "[the words][ref][1] x"),
        ("word(note)", (0, 4), "word[1] (note)"),
        ("cafe\u0301 x", (0, 4), "cafe\u0301[1] x"),
        ("👨‍👩‍👧 x", (0, 1), "👨‍👩‍👧[1] x"),
        ("🇩🇪🇫🇷 x", (0, 3), "🇩🇪🇫🇷[1] x"),
        ("क्षि x", (0, 2), "क्षि[1] x"),
        ("\ud83d\ude00 x", (0, 1), "\ud83d\ude00[1] x"),
        ("a\r\nb", (0, 2), "a[1]\r\nb"),
    ],
)  # fmt: skip
def test_a_marker_moves_to_the_nearest_safe_place_after(
    text: str, span: tuple[int, int], expected: str
) -> None:
    marked = place(text, [Citation(url=A, start=span[0], end=span[1])])

    assert marked.text == expected
    assert marked.unmark() == text


@pytest.mark.parametrize(
    ("text", "words", "expected"),
    [
        ("So. ([b.example](https://b.example/page?utm_source=openai))\n", None, "So. [1]\n"),
        ("So [b.example](https://b.example/page).", None, "So [1]."),
        ("So [1](https://b.example/page).", None, "So [1]."),
        ("So [the Bee](https://b.example/page).", None, "So the Bee[1]."),
        ("So ([the Bee](https://b.example/page)).", None, "So [1]."),
        (
            "So. ([b.example](https://b.example/page))",
            "So. ([b.example](https://b.example/page))",
            "So. [1]",
        ),
        ("Go ([c.example](https://c.example))", "Go ([c.example](https://c.example))",
         "Go ([c.example](https://c.example))[1]"),
    ],
)  # fmt: skip
def test_a_link_that_is_the_citation_becomes_the_marker(
    text: str, words: str | None, expected: str
) -> None:
    link = text[text.index("(["):] if "([" in text else text[text.index("["):]  # fmt: skip
    span = words or link.rstrip(".\n")

    marked = place(text, [cite(text, span, B)])

    assert marked.text == expected
    assert marked.unmark() == text


@pytest.mark.parametrize(
    ("length", "expected"), [(999, "{words}[1]"), (1000, "[{words}](https://b.example/page) [1]")]
)
def test_what_is_in_brackets_is_the_words_of_a_link_up_to_a_thousand_characters(
    length: int, expected: str
) -> None:
    words = "w" * length
    text = f"[{words}](https://b.example/page)"

    marked = place(text, [cite(text, text, B)])

    assert marked.text == expected.format(words=words)


def test_words_that_end_within_a_link_that_becomes_a_marker_end_before_the_marker() -> None:
    link = "([b.example](https://b.example/page))"
    text = f"Otters sleep {link}."

    marked = place(text, [cite(text, link, B), cite(text, f"Otters sleep {link[:-1]}", A)])

    spoken = [
        (support.number, marked.text[support.start : support.end])
        for marker in marked.markers
        for support in marker.supports
    ]
    assert spoken == [(1, "Otters sleep ")]


@pytest.mark.parametrize("tail", ["!", "?!", "…", " x"])
def test_a_link_with_more_behind_it_than_a_stop_is_not_the_citation(tail: str) -> None:
    link = f"[the Bee](https://b.example/page){tail}"

    marked = place(f"So {link} Yes.", [cite(f"So {link} Yes.", link, B)])

    assert marked.text == f"So {link}[1] Yes."


@pytest.mark.parametrize(
    "other",
    [
        "http://Example.org:80/a?b=1&c=2",
        "https://example.org:443/a?utm_source=x&b=1&c=2#part",
        "https://example.org/a?b=1&gclid=9&c=2&fbclid=8",
    ],
)
def test_urls_that_differ_in_nothing_that_matters_are_one_source(other: str) -> None:
    assert canonical_url(other) == canonical_url("https://example.org/a?b=1&c=2")


@pytest.mark.parametrize(
    "other",
    [
        "https://www.example.org/a?b=1&c=2",
        "https://example.org/a/?b=1&c=2",
        "https://example.org/a?c=2&b=1",
        "https://example.org:8443/a?b=1&c=2",
        "ftp://example.org/a?b=1&c=2",
        "https://[broken",
    ],
)
def test_urls_that_may_lead_elsewhere_are_different_sources(other: str) -> None:
    assert canonical_url(other) != canonical_url("https://example.org/a?b=1&c=2")


def test_offsets_inside_a_character_mean_its_start_and_negative_ones_stay() -> None:
    text = "é😀!"

    assert from_utf8_bytes(text, [1, 2, 4, 6, -1]) == {1: 0, 2: 1, 4: 1, 6: 2, -1: -1}
    assert from_utf16(text, [1, 2, 3, -1]) == {1: 1, 2: 1, 3: 2, -1: -1}


def test_a_link_that_is_all_a_citation_names_is_its_marker_wherever_it_leads() -> None:
    text = f"They sleep ([source]({B})) at night, see [here]({C}) too."

    whole = place(text, [cite(text, f"([source]({B}))")])
    words = place(text, [cite(text, f"[here]({C})")])
    more = place(text, [cite(text, f"see [here]({C})")])

    assert whole.text == f"They sleep [1] at night, see [here]({C}) too."
    assert words.text == f"They sleep ([source]({B})) at night, see here[1] too."
    assert more.text == f"They sleep ([source]({B})) at night, see [here]({C})[1] too."


def test_any_stretch_of_a_growing_text_can_be_read() -> None:
    whole = "".join(chr(97 + at % 26) for at in range(3 * 4096 + 5))
    growing = GrowingText()
    for at in range(0, len(whole), 1000):
        growing.append(whole[at : at + 1000])

    borders = [at + off for at in (0, 4096, 8192, 12288) for off in (-1, 0, 1) if at + off >= 0]
    read = {(one, other): growing.window(one, other) for one in borders for other in borders}

    assert growing.length == len(whole)
    assert read == {(one, other): whole[one:other] for one, other in read}


def test_a_source_without_a_place_in_the_text_has_no_marker_and_no_span() -> None:
    marked = place("They sleep.", [Citation(url=A, title="Otters", evidence=Evidence.READ)])

    assert marked.sources == (
        Source(number=1, url=A, title="Otters", domain="a.example", evidence=Evidence.READ),
    )
    assert [(each.is_marked, each.spans, each.quotes) for each in marked.sources] == [
        (False, (), ())
    ]


@pytest.mark.parametrize(
    ("written", "address"),
    [
        ("https://e.example/Otter_(animal)", "https://e.example/Otter_(animal)"),
        ("https://e.example/Otter_(animal))", "https://e.example/Otter_(animal)"),
        ("(https://e.example/Otter).", "https://e.example/Otter"),
        ("(https://e.example/a_(b)).", "https://e.example/a_(b)"),
        ("https://e.example/Otter?!", "https://e.example/Otter"),
    ],
)
def test_a_citation_inside_an_address_comes_behind_all_of_it(written: str, address: str) -> None:
    text = f"See {written} for more."
    start = text.index(address)

    marked = place(text, [Citation(url=A, start=0, end=start + 12)])

    assert marked.text == text.replace(address, f"{address} [1]")
