"""Small functions of citing, value by value: offsets, addresses, lines, limits."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from groundwire.citations import (
    Folded,
    Marked,
    Marker,
    MarkerShown,
    MarkerStream,
    PassageFolded,
    Removed,
    Source,
    Support,
    TextShown,
    from_json,
    place,
    to_json,
)
from groundwire.citations.inline import RegionKind
from groundwire.citations.markdown import Scanner, scan
from groundwire.citations.offsets import from_utf8_bytes, from_utf16
from groundwire.citations.positions import GrowingText, end_of_cluster
from groundwire.citations.render import is_web, title_of, to_html, to_markdown, to_terminal
from groundwire.citations.sources import Naming, Removals, SourceList, canonical_url
from groundwire.model import Citation, Evidence

A, B, C = (f"https://{letter}.example/" for letter in "abc")
TEXTS = ["", "abc", "aé漢🦦b", "🦦🦦", "é", "a\n漢", "🦦"]


def _by_counting(text: str, offset: int, width: Callable[[str], int]) -> int:
    """Return the character at an offset, found by walking there."""
    at = 0
    for number, letter in enumerate(text):
        if offset < at + width(letter):
            return number
        at += width(letter)
    return len(text)


@pytest.mark.parametrize("text", TEXTS)
def test_every_offset_is_the_character_that_it_lies_in(text: str) -> None:
    offsets = range(20)

    utf8 = {each: _by_counting(text, each, lambda one: len(one.encode())) for each in offsets}
    utf16 = {each: _by_counting(text, each, lambda one: 1 + (one > "\uffff")) for each in offsets}

    assert from_utf8_bytes(text, offsets) == utf8
    assert from_utf16(text, offsets) == utf16
    assert from_utf8_bytes(text, reversed(offsets)) == utf8
    for each in (*offsets, -1, -7):
        assert from_utf8_bytes(text, [each]) == {each: utf8.get(each, each)}
        assert from_utf16(text, [each]) == {each: utf16.get(each, each)}


@pytest.mark.parametrize(
    ("url", "key"),
    [
        ("http://A.example", "https://a.example"),
        ("https://a.example:443/", "https://a.example"),
        ("http://a.example:80/x/", "https://a.example/x/"),
        ("http://a.example:443/x", "https://a.example:443/x"),
        ("https://a.example:80/x", "https://a.example:80/x"),
        ("https://u:p@a.example/#top", "https://u:p@a.example"),
        ("https://[::1]:8080/x", "https://[::1]:8080/x"),
        ("https://a.example/?utm_source=x&b=1&gclid", "https://a.example?b=1"),
        ("https://a.example/?b=1&a=2", "https://a.example?b=1&a=2"),
        ("https://a.example/?fbclid=1", "https://a.example"),
        (" https://a.example/x ", "https://a.example/x"),
        ("ftp://a.example/#x", "ftp://a.example/#x"),
        ("https://", "https://"),
        ("https://[x/", "https://[x/"),
        ("https://a.example:x/", "https://a.example:x/"),
        ("document 7", "document 7"),
    ],
)
def test_the_key_of_an_address_leaves_out_what_leads_nowhere_else(url: str, key: str) -> None:
    assert canonical_url(url) == key


def test_sources_keep_their_numbers_titles_and_what_they_say() -> None:
    sources = SourceList([B])
    first = Citation(url=A, quote="one", evidence=Evidence.FOUND)

    numbers = [
        sources.number(first),
        sources.number(Citation(url=f"{A}#x", title="A", quote="two"), is_marked=True),
        sources.number(Citation(url=A, title="Other", quote="one", evidence=Evidence.READ)),
        sources.number(Citation(url=B, title="B")),
        sources.number(Citation(url=C)),
    ]
    assert [sources.add_span(first, span) for span in ((5, 9), (0, 3), (5, 9))] == [2, 2, 2]

    assert numbers == [2, 2, 2, 1, 3]
    assert [sources.given(url) for url in (A, B, C, "https://d.example/")] == [2, 1, 3, None]
    whole = sources.sources()
    assert [each.number for each in whole] == [1, 2, 3]
    assert whole[1] == Source(
        number=2,
        url=A,
        title="A",
        domain="a.example",
        evidence=Evidence.CITED,
        quotes=("one", "two"),
        spans=((0, 3), (5, 9)),
        is_marked=True,
    )
    assert [each.number for each in sources.take_new()] == [2, 1, 3]
    assert sources.take_new() == ()
    sources.number(Citation(url="https://d.example/"))
    assert [(each.number, each.is_marked) for each in sources.take_new()] == [(4, False)]


def test_what_was_removed_stays_so_and_is_named_once() -> None:
    removals = Removals()
    naming = Naming(sources=SourceList(), removals=removals)
    removed = Citation(url=f"{A}#x", evidence=Evidence.REMOVED)

    assert removals.cause(A) is None
    assert [removals.add(each) for each in (Citation(url=B), removed, removed)] == [
        False,
        True,
        False,
    ]
    assert (removals.cause(A), removals.cause(B)) == (removed, None)
    named = naming.name([Citation(url=C), Citation(url=A, title="A"), Citation(url=B), removed])
    assert (named.numbers, named.struck) == ((1, 2), (A,))
    assert [*removals.struck.values()] == [Removed(url=A, title="A", domain="a.example")]
    late = Removals()
    assert [late.strike(each) for each in (removed, Citation(url=A, title="A"))] == [
        removed.url
    ] * 2
    assert [each.title for each in late.struck.values()] == ["A"]


MARKED = Marked(
    text="Otters <sleep>.[1][2] No.[removed][7?] End.",
    sources=(
        Source(
            number=1,
            url=A,
            title=" O <b>\n [x] ",
            domain="a.example",
            evidence=Evidence.CITED,
            quotes=("They do.",),
            spans=((0, 15),),
            is_marked=True,
        ),
        Source(number=2, url="doc:2", title="", domain="", evidence=Evidence.FOUND, is_marked=True),
        Source(number=3, url=C, title="C", domain="c.example", evidence=Evidence.READ),
        Source(number=4, url=f"{C}4 <", title="D", domain="c.example", evidence=Evidence.FOUND),
    ),
    changes=(
        Marker(
            start=15,
            numbers=(1, 2),
            supports=(Support(number=1, start=0, end=15, quote="They do."),),
        ),
        Marker(start=25, struck=(B,), unknown=("7",), replaced="[7]"),
    ),
    removed=(Removed(url=B, title="B", domain="www.b.example"),),
    folded=(Folded(start=22, end=25, domains=("b.example",)),),
)
NOTE = "(Folded by policy: this rests on b.example.)"


def test_an_answer_comes_back_from_json() -> None:
    found = from_json(to_json(MARKED))

    titles = ["O <b> [x]", "doc:2", "C", "D"]
    assert [each.title for each in found.sources] == titles
    assert [each.title for each in found.removed] == ["B"]
    for one, other in zip(found.sources, MARKED.sources, strict=True):
        one.title = other.title
    assert found == MARKED
    bare = Marked(text="Otters.")
    assert from_json({"text": "Otters."}) == from_json(to_json(bare)) == bare


def test_every_rendering_says_the_same_in_its_own_way() -> None:
    removed = "Removed by policy:\n- b.example"
    lists = (
        f"\n\nSources:\n[1] O {{b}} {{x}} ({A})\n[2] doc:2 (doc:2)\n\nRead, not cited:\n[3] C ({C})"
        f"\n\nFound, not cited:\n[4] D ({C}4%20%3C)\n\n{removed}"
    )
    text = f"Otters <sleep>.[1][2] {NOTE}[removed][7?] End."

    assert to_markdown(MARKED) == text + lists.format(b="\\<b>", x="\\[x\\]")
    assert to_terminal(MARKED) == text + lists.format(b="<b>", x="[x]")
    linked = to_terminal(MARKED, hyperlinks=True)
    assert f"\x1b]8;;{A}\x1b\\[1]\x1b]8;;\x1b\\[2] " in linked
    assert f"[4] D (\x1b]8;;{C}4%20%3C\x1b\\{C}4%20%3C\x1b]8;;\x1b\\)" in linked
    assert to_html(MARKED) == (
        'Otters &lt;sleep&gt;.<sup class="citation cited"><a href="https://a.example/" '
        'rel="noopener noreferrer" aria-label="Source 1: O &lt;b&gt; [x]">[1]</a></sup>'
        '<sup class="citation found"><span aria-label="Source 2: doc:2">[2]</span></sup> '
        f'<span class="folded-note">{NOTE}</span><sup class="citation removed"><del role="img" '
        'aria-label="Source removed by policy: b.example">[removed]</del></sup>'
        '<sup class="citation unknown"><span aria-label="Unknown source 7">[7?]</span></sup> End.'
    )


@pytest.mark.parametrize(
    ("title", "domain", "shown"),
    [
        ("A  b", "x", "A b"),
        (" A\n\tb ", "x", "A b"),
        ("A\x1bb\u202e", "x", "Ab"),
        ("A b", "x", "A b"),
        (" \n", "x", "x"),
        ("", "", A),
    ],
)
def test_a_title_is_one_line_without_what_nobody_sees(title: str, domain: str, shown: str) -> None:
    assert title_of(Removed(url=A, title=title, domain=domain)) == shown


@pytest.mark.parametrize(
    ("url", "leads"), [(A, True), ("HTTP://x", True), ("javascript:x", False), ("", False)]
)
def test_only_addresses_of_the_web_are_links(url: str, leads: bool) -> None:
    assert is_web(url) is leads


@pytest.mark.parametrize(("length", "is_found"), [(999, True), (1_000, False)])
def test_words_of_a_link_and_code_are_no_longer_than_a_thousand(
    length: int, is_found: bool
) -> None:
    words = "x" * length

    kinds = [[each.kind for each in scan(text)] for text in (f"[{words}](u)", f"`{words}`")]

    assert kinds == ([[RegionKind.LINK], [RegionKind.CODE]] if is_found else [[], []])


@pytest.mark.parametrize("opening", ["[", "`"])
def test_what_stays_open_is_settled_behind_a_thousand_letters(opening: str) -> None:
    scanner = Scanner()
    settled = []
    for letter in f"{opening}{'x' * 1_005}":
        scanner.feed(letter)
        settled.append(scanner.settled)

    first = next(place for place, each in enumerate(settled) if each)
    assert first == {"[": 1_000, "`": 1_001}[opening]
    assert settled[first] == first + 1


@pytest.mark.parametrize("size", [1, 7, 4_095, 4_096, 4_097, 9_000])
def test_a_long_text_is_read_the_same_in_any_pieces(size: int) -> None:
    line = f"Otters `sleep` in [kelp]({A}) ([b.example]({B})). a[1] https://c.example/x, <b> [2]\n"
    text = (line * 3 + "\n```\ncode\n```\n\n- item\n\n    more\n\n") * 30
    scanner, growing = Scanner(), GrowingText()
    for at in range(0, len(text), size):
        scanner.feed(text[at : at + size])
        growing.append(text[at : at + size])
    scanner.finish()

    assert scanner.regions == scan(text)
    assert growing.length == len(text)
    for start in (0, 1, 4_095, 4_096, 4_097, 8_191, 8_192, len(text) - 1):
        for end in (start, start + 1, 4_096, 4_097, 8_192, 8_193, len(text)):
            if end >= start:
                assert growing.window(start, end) == text[start:end]


def test_a_long_stream_is_marked_as_the_whole_is() -> None:
    text = "Otters sleep in kelp. " * 600
    citations = [
        Citation(url=f"{A}{number % 7}", start=22 * number, end=22 * number + 21)
        for number in range(600)
    ]
    stream = MarkerStream()
    for number, citation in enumerate(citations):
        stream.feed(text[22 * number : 22 * number + 22])
        stream.cite([citation])

    assert stream.finish().marked == place(text, citations)


def test_a_link_is_told_from_the_one_that_follows_it() -> None:
    first = f"One [a.example]({A})"

    marked = place(f"{first}[b.example]({B}) two", [Citation(url=A, start=0, end=len(first))])

    assert marked.text == f"One [1][b.example]({B}) two"


def test_words_that_begin_within_a_link_begin_behind_its_marker() -> None:
    text = f"One. ([a.example]({A})) two three."
    link_end = text.index(" two")

    marked = place(
        text,
        [
            Citation(url=B, start=0, end=4),
            Citation(url=A, start=5, end=link_end),
            Citation(url=C, start=8, end=len(text) - 1),
        ],
    )

    assert marked.text == "One.[1] [2] two three[3]."
    assert [each.spans for each in marked.sources] == [((0, 4),), (), ((11, 21),)]


@pytest.mark.parametrize(("expects", "shown"), [(True, "One  two "), (False, "One \ue203 two ")])
def test_what_nobody_can_read_is_left_out_where_sources_are_expected(
    expects: bool, shown: str
) -> None:
    stream = MarkerStream(expects_sources=expects)

    pieces = stream.feed("One \ue203 two [1] ")
    pieces += stream.finish().pieces

    assert "".join(piece.text for piece in pieces if isinstance(piece, TextShown)) == f"{shown}[1] "


CLUSTERS = ("\r\n", "👨‍👩‍👧", "e\u0301\u0302", "🇩🇪", "🇫🇷", "क्ष", "\ud83d\ude00")


@pytest.mark.parametrize(
    "text",
    ["ab", "a\r\nb", "a👨‍👩‍👧b", "xe\u0301\u0302y", "🇩🇪🇫🇷", "कक्षक", "a\ud83d\ude00b", "각a"],
)
def test_no_cluster_is_cut_wherever_one_begins(text: str) -> None:
    inside = {
        at
        for each in CLUSTERS
        if (start := text.find(each)) >= 0
        for at in range(start + 1, start + len(each))
    }

    for position in range(len(text) + 1):
        end = end_of_cluster(lambda start, end: text[start:end], position, len(text))

        assert end == next(at for at in range(position, len(text) + 1) if at not in inside)


OPEN = [
    "[words](u) b",
    "([words](u)) b",
    "`code` b",
    "``co`de`` b",
    "<b class=x> b",
    "[1] b",
    "a[1][2] b",
    "https://a.b/c. d",
    "www.a.b d",
    "【3†source】 b",
    "\ue200cite\ue202x\ue201 b",
    "![i](u) b",
    "[r][s] b",
    "[a [b] c](u) d",
    "```\ncode\n```\nb",
    "\n\n    code\nb",
    "\\[x](u) b",
    "[kelp `dry` b] c",
    "([kelp <b> c d",
    "(`a`[x](u)) b",
    "https://a.b/([x](u)) c",
    "- a\n\n      [1] b",
    "a[1]`b`[2] c",
    "[x](u)[1] b",
]


@pytest.mark.parametrize("tail", OPEN)
def test_what_is_open_when_a_stream_forgets_its_beginning_is_found(tail: str) -> None:
    before = f"{'otter ' * 900}\n"
    whole = scan(before + tail)

    for cut in range(1, len(tail)):
        scanner = Scanner()
        for piece in (before + tail[:cut], tail[cut : cut + 1], tail[cut + 1 :]):
            scanner.feed(piece)
        scanner.finish()

        assert scanner.regions == whole
        assert scanner.starts == [each.start for each in whole]


def test_passages_that_touch_are_folded_as_one() -> None:
    cited = [
        Citation(url=A, start=0, end=1, evidence=Evidence.REMOVED),
        Citation(url=B, start=3, end=5, evidence=Evidence.REMOVED),
    ]

    marked = place("一二。三。四。", cited)

    assert marked.text == "一[removed]二。三。[removed]四。"
    assert marked.folded == (Folded(start=0, end=14, domains=("a.example", "b.example")),)


def test_what_a_model_cites_unreadably_is_no_unknown_source_before_there_are_sources() -> None:
    stream = MarkerStream(expects_sources=True)

    pieces = [*stream.feed("One \ue200cite\ue202t\ue201 two."), *stream.finish().pieces]

    assert "".join(each.text for each in pieces if isinstance(each, TextShown)) == "One  two."
    assert [each for each in pieces if isinstance(each, MarkerShown)] == []


@pytest.mark.parametrize(("length", "times"), [(300, 2), (1_300, 1)])
def test_a_sentence_beyond_its_limit_is_folded_once_and_for_all(length: int, times: int) -> None:
    stream = MarkerStream()
    stream.feed("otter " * (length // 6))

    pieces = stream.cite([Citation(url=A, start=0, end=5, evidence=Evidence.REMOVED)])
    pieces += stream.finish().pieces

    assert len([each for each in pieces if isinstance(each, PassageFolded)]) == times


def test_a_bracket_that_is_open_for_long_hides_no_link_behind_it() -> None:
    (link,) = scan(f"[{'x' * 1_200} [b](u) c")

    assert (link.kind, link.words, link.url) == (RegionKind.LINK, "b", "u")
