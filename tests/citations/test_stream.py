"""What is shown when."""

import pytest

from groundwire.citations import MarkerShown, MarkerStream, TextShown, place
from groundwire.citations.markdown import Scanner, scan
from groundwire.model import Citation
from tests.citations.examples import KNOWN, screen

A, B = "https://a.example", "https://b.example/page"


def test_partial_markers_are_held_back() -> None:
    stream = MarkerStream({"1": Citation(url=A), "t": Citation(url=B)})

    pieces = [stream.feed(piece) for piece in ("Go [", "1", "]", " on\ue200", "cite\ue202t\ue201")]

    assert pieces == [
        [TextShown(text="Go ")],
        [],
        [],
        [MarkerShown(position=3, numbers=(1,)), TextShown(text=" on")],
        [],
    ]
    assert stream.feed(".") == [MarkerShown(position=6, numbers=(2,)), TextShown(text=".")]


def test_half_a_bracket_that_is_no_marker_is_shown_as_soon_as_that_is_clear() -> None:
    stream = MarkerStream({})

    pieces = [stream.feed(piece) for piece in ("an array [", "a", "] of")]

    assert pieces == [[TextShown(text="an array ")], [], [TextShown(text="[a] of")]]


def test_a_citation_after_its_words_is_placed_in_the_text_already_shown() -> None:
    stream = MarkerStream()
    stream.feed("One. Two. ")

    first = stream.cite([Citation(url=A, start=0, end=4)])
    second = stream.cite([Citation(url=B, start=0, end=4)])

    assert first == [MarkerShown(position=4, numbers=(1,))]
    assert second == [MarkerShown(position=4, numbers=(1, 2))]
    assert stream.finish().marked.text == "One.[1][2] Two. "


def test_a_citation_whose_words_are_there_does_not_wait_for_one_whose_words_are_not() -> None:
    stream = MarkerStream()
    stream.feed("One. Two. ")

    pieces = stream.cite([Citation(url=A, start=0, end=4), Citation(url=B, start=5, end=100)])

    assert pieces == [MarkerShown(position=4, numbers=(1,))]


def test_what_follows_a_long_piece_is_part_of_the_answer() -> None:
    stream = MarkerStream()
    long = "Otters sleep. " * 400

    pieces = [*stream.feed(long), *stream.feed("They eat. ")]
    pieces += stream.cite([Citation(url=A, start=len(long), end=len(long) + 9)])

    finished = stream.finish()
    assert screen([*pieces, *finished.pieces]) == f"{long}They eat.[1] "
    assert finished.marked.text == f"{long}They eat.[1] "


def test_a_marker_waits_until_its_place_cannot_change() -> None:
    stream = MarkerStream()
    stream.feed("cafe")

    assert stream.cite([Citation(url=A, start=0, end=4)]) == []
    assert stream.feed("\u0301") == [TextShown(text="\u0301")]
    assert stream.feed(".") == [MarkerShown(position=5, numbers=(1,)), TextShown(text=".")]


def test_a_number_that_was_shown_stays_even_if_an_earlier_place_is_cited_later() -> None:
    stream = MarkerStream()
    stream.feed("One. Two. ")
    stream.cite([Citation(url=B, start=5, end=9)])

    late = stream.cite([Citation(url=A, start=0, end=4)])

    assert late == [MarkerShown(position=4, numbers=(2,))]
    assert stream.finish().marked.text == "One.[2] Two.[1] "


def test_a_link_becomes_the_marker_if_its_citation_comes_before_more_text() -> None:
    stream = MarkerStream()
    text = "So. ([b.example](https://b.example/page)) "

    held = stream.feed(text)
    cited = stream.cite([Citation(url=B, start=4, end=len(text) - 1)])

    assert held == [TextShown(text="So. ")]
    assert cited == [MarkerShown(position=4, numbers=(1,)), TextShown(text=" ")]
    assert stream.finish().marked.text == "So. [1] "


def test_a_link_that_is_on_the_screen_stays_there_and_the_marker_follows_it() -> None:
    stream = MarkerStream()
    link = "([b.example](https://b.example/page))"
    stream.feed(f"{link} More")
    shown = stream.feed(" text")

    late = stream.cite([Citation(url=B, start=0, end=len(link))])

    assert shown == [TextShown(text=f"{link} More text")]
    assert late == [MarkerShown(position=len(link), numbers=(1,))]
    assert stream.finish().marked.text == "[1] More text"


@pytest.mark.parametrize(
    ("text", "cited", "shown"),
    [
        ("```\nx = 1\n```", (4, 9), "```\nx = 1\n```\n[1]"),
        ("See https://u.com/p", (4, 19), "See https://u.com/p [1]"),
    ],
)
def test_a_marker_stands_apart_from_code_and_addresses(
    text: str, cited: tuple[int, int], shown: str
) -> None:
    stream = MarkerStream()
    start, end = cited

    pieces = [*stream.feed(text), *stream.cite([Citation(url=A, start=start, end=end)])]
    pieces += stream.finish().pieces

    assert screen(pieces) == shown


def test_a_marker_does_not_wait_for_the_words_of_a_later_citation() -> None:
    stream = MarkerStream()
    stream.cite([Citation(url=A, start=0, end=4), Citation(url=B, start=5, end=90)])

    pieces = [
        piece for text in ("One", ". ", "Two ", "and ", "more ") for piece in stream.feed(text)
    ]

    assert screen(pieces) == "One.[1] Two and more "


def test_words_that_end_where_a_link_begins_end_before_its_words() -> None:
    text = f"(Otters)[Fur]({B}) is dense. "
    link = text.index("["), text.index(")", 9) + 1
    stream = MarkerStream()
    stream.feed(text)
    stream.cite([Citation(url=B, start=link[0], end=link[1])])

    (shown,) = stream.cite([Citation(url=A, start=0, end=link[0])])

    assert isinstance(shown, MarkerShown)
    assert shown.position == len("(Otters)")
    assert [(each.start, each.end) for each in shown.supports] == [(0, len("(Otters)"))]


def test_a_citation_is_shown_with_its_words_however_many_came_before_it() -> None:
    stream = MarkerStream()
    unplaced = [Citation(url=f"{B}/{number}") for number in range(12)]
    stream.cite([*unplaced, Citation(url=A, start=0, end=4)])

    pieces = [stream.feed(text) for text in ("One.", " T", "wo")]

    assert pieces == [
        [TextShown(text="One.")],
        [MarkerShown(position=4, numbers=(1,)), TextShown(text=" T")],
        [TextShown(text="wo")],
    ]


def test_a_marker_before_a_link_that_is_held_back_does_not_wait_for_it() -> None:
    stream = MarkerStream({"1": Citation(url=A)})

    pieces = [stream.feed(f"[1] so ([b.example]({B})) or [1] c"), stream.feed(" d")]

    held = f"([b.example]({B})) or "
    assert pieces == [
        [MarkerShown(position=0, numbers=(1,)), TextShown(text=" so ")],
        [
            TextShown(text=held),
            MarkerShown(position=4 + len(held), numbers=(1,)),
            TextShown(text=" c d"),
        ],
    ]


def test_of_several_links_in_one_piece_the_first_is_held_back_with_all_behind_it() -> None:
    stream = MarkerStream()
    first, second = f"([b.example]({B}))", f"([a.example]({A}))"

    held = stream.feed(f"One {first} two {second} three")
    cited = stream.cite([Citation(url=B, start=4, end=4 + len(first))])

    assert held == [TextShown(text="One ")]
    assert cited == [MarkerShown(position=4, numbers=(1,)), TextShown(text=" two ")]
    assert stream.feed(".") == [TextShown(text=f"{second} three.")]


def test_a_marker_right_before_a_link_that_is_held_back_does_not_wait_for_it() -> None:
    stream = MarkerStream()
    link = f"[b.example]({B})"
    stream.feed(f"One{link} two")

    before = stream.cite([Citation(url=A, start=0, end=3)])
    instead = stream.cite([Citation(url=B, start=3, end=3 + len(link))])

    assert before == [MarkerShown(position=3, numbers=(1,))]
    assert instead == [MarkerShown(position=3, numbers=(1, 2)), TextShown(text=" two")]


@pytest.mark.parametrize("inside", ["`a b`", "<b>", "https://u.io/p", "![i](u)", "[r][s]"])
def test_code_tags_and_addresses_are_not_held_back_for_a_citation(inside: str) -> None:
    stream = MarkerStream()

    pieces = [stream.feed(f"See {inside} now"), stream.feed(f" or {inside} then")]

    assert pieces == [
        [TextShown(text=f"See {inside} now")],
        [TextShown(text=f" or {inside} then")],
    ]


@pytest.mark.parametrize(
    ("link", "then", "shown"),
    [
        (f"[the Bee]({B})", " is", " is"),
        (f"([the Bee]({B}))", " is", " is"),
        (f"([the Bee]({B}))", "[", None),
        (f"([the Bee]({B}))", "`", None),
        (f"[the Bee]({B})", "`", None),
    ],
)
def test_a_link_at_the_end_of_a_piece_is_held_back_until_what_follows_is_clear(
    link: str, then: str, shown: str | None
) -> None:
    stream = MarkerStream()

    pieces = [stream.feed(f"So {link}"), stream.feed(then)]

    assert pieces == [
        [TextShown(text="So ")],
        [] if shown is None else [TextShown(text=f"{link}{shown}")],
    ]


def test_the_space_behind_a_marker_stays_when_an_earlier_place_is_cited_there_later() -> None:
    stream = MarkerStream({"1": Citation(url=A)})
    text = "海[1](b c) d"
    stream.feed(text)

    behind = stream.cite([Citation(url=B, start=0, end=4)])
    before = stream.cite([Citation(url=f"{B}/2", start=0, end=1)])

    assert behind == [MarkerShown(position=1, numbers=(1, 2), after=" ")]
    assert before == [MarkerShown(position=1, numbers=(1, 2, 3), after=" ")]
    assert stream.finish().marked.text == "海[1][2][3] (b c) d"


def test_what_nobody_can_read_stays_where_nobody_searches() -> None:
    stream = MarkerStream()

    assert stream.feed("One \ue203 two") == [TextShown(text="One \ue203 two")]


def test_words_that_nobody_can_read_support_nothing() -> None:
    stream = MarkerStream()
    stream.cite([Citation(url=A, start=0, end=1)])

    accent, marker, rest = stream.feed("\ue203\u0301 So. ")

    assert (accent, rest) == (TextShown(text="\u0301"), TextShown(text=" So. "))
    assert isinstance(marker, MarkerShown)
    assert (marker.position, marker.numbers, marker.supports) == (1, (1,), ())


# Each holds what could be taken for something else where a stream cuts it.
TRICKY = [
    "```\nabc```\n[1] x\n```\n[1] y",
    "```py\n[1]\n``` \n[1]\n~~~~\n[1]\n~~~\n[1]\n~~~~~\n[1]",
    "> ```\n> [1]\n> ```\n[1] and `[1]` and ``a`[1]`` [1]",
    "    [1] code\n\n    [1]\ntext [1]\n\n- item\n\n      [1]\n- [1]",
    "a\n    [1] goes on\n\n\t[1]\n# Head [1]\n[1]: https://d.example/\n[1]",
    "See https://e.example/a_(b), [1] (https://e.example/c) www.e.example/d. [1]",
    "A [w [1] s](https://y.com/b_(c)) ![i [1]](i.png) [r][1] [1](https://y.com/b) \\[1]",
    "<b a='[1]'>[1]</b> <https://e.example/[1]> <!-- [1] --> a < b [1]",
    "e\u0301[1] 👨\u200d👩\u200d👧[1] 🇩🇪[1] क्ष[1]\r\n[1] \ud83d\ude00[1]",
    "【1†s】 【x】 \ue200cite\ue202turn0search1\ue201. \ue200x [2, 3] [12] [1][3]",
]


@pytest.mark.parametrize("text", TRICKY)
def test_wherever_a_stream_is_cut_its_end_is_that_of_the_whole(text: str) -> None:
    cited = [Citation(url=A, start=0, end=end) for end in range(1, len(text) + 1, 3)]
    whole = place(text, cited, known=KNOWN)

    for cut in range(len(text) + 1):
        stream = MarkerStream(KNOWN)
        pieces = stream.cite(cited)
        pieces += [*stream.feed(text[:cut]), *stream.feed(text[cut:])]
        finished = stream.finish()
        assert finished.marked == whole, cut
        if "](" not in text:
            assert screen([*pieces, *finished.pieces]) == whole.text, cut


@pytest.mark.parametrize("text", TRICKY)
def test_wherever_a_text_is_cut_the_same_is_code_and_link(text: str) -> None:
    for cut in range(len(text) + 1):
        scanner = Scanner()
        scanner.feed(text[:cut])
        scanner.feed(text[cut:])
        scanner.finish()
        assert scanner.regions == scan(text), cut
