"""The place of one citation: where its marker goes, what it replaces and where its words end."""

from __future__ import annotations

import pytest

from groundwire.citations.markdown import scan
from groundwire.citations.positions import Ground, end_of_cluster, locate, span_of
from groundwire.model import Citation

A, B = "https://a.example/", "https://b.example/page"
WRAPPED = f"([b.example]({B}))"
BARE = f"[b.example]({B})"
WORDS = f"[the Bee]({B})"

# Start and end of what is replaced, what stands before and behind the marker, the words' end.
Change = tuple[int, int, str, str, int | None]


def ground_of(text: str) -> Ground:
    regions = scan(text)
    return Ground(
        window=lambda start, end: text[start:end],
        length=len(text),
        regions=regions,
        starts=[each.start for each in regions],
    )


def change_of(text: str, url: str, start: int | None, end: int | None) -> Change | None:
    change = locate(ground_of(text), Citation(url=url, start=start, end=end))
    if change is None:
        return None
    return change.start, change.end, change.before, change.after, change.words_end


@pytest.mark.parametrize(
    ("start", "end", "span"),
    [
        (0, 1, (0, 1)),
        (0, 6, (0, 6)),
        (5, 6, (5, 6)),
        (5, 7, (5, 6)),
        (0, 99, (0, 6)),
        (6, 7, None),
        (3, 3, None),
        (3, 2, None),
        (-1, 3, None),
        (0, 0, None),
        (0, -1, None),
        (None, 3, None),
        (0, None, None),
        (True, 3, None),
        (0, True, None),
    ],
)
def test_a_span_ends_with_the_text_and_is_none_where_it_has_no_words(
    start: int | None, end: int | None, span: tuple[int, int] | None
) -> None:
    assert span_of(Citation(url=A, start=start, end=end), 6) == span


@pytest.mark.parametrize(
    ("text", "start", "end", "change"),
    [
        ("Otters swim", 0, 6, (6, 6, "", "", 6)),
        ("Otters swim", 0, 7, (6, 6, "", "", 6)),
        ("Otters swim", 6, 7, None),
        ("Otters swim", 5, 7, (6, 6, "", "", 6)),
        ("  O  ", 0, 5, (3, 3, "", "", 3)),
        (" \n\t ", 0, 4, None),
        ("Otters(sea)", 0, 6, (6, 6, "", " ", 6)),
        ("Otters[sea]", 0, 6, (6, 6, "", "", 6)),
        ("Otters (sea)", 0, 6, (6, 6, "", "", 6)),
        ("(sea", 0, 4, (4, 4, "", "", 4)),
    ],
)
def test_a_marker_stands_behind_the_last_word_of_its_span(
    text: str, start: int, end: int, change: Change | None
) -> None:
    assert change_of(text, A, start, end) == change


@pytest.mark.parametrize(
    ("blanks", "place"), [(0, 6), (1, 6), (255, 6), (256, 6), (257, 7), (300, 50)]
)
def test_blanks_at_the_end_of_a_span_are_looked_back_over_up_to_a_limit(
    blanks: int, place: int
) -> None:
    text = f"Otters{' ' * blanks}swim"

    assert change_of(text, A, 0, 6 + blanks) == (place, place, "", "", place)


@pytest.mark.parametrize("blanks", [1, 255, 256])
def test_a_span_of_nothing_but_blanks_is_no_place(blanks: int) -> None:
    assert change_of(f"Otters{' ' * blanks}swim", A, 6, 6 + blanks) is None


@pytest.mark.parametrize(
    ("link", "start", "end", "change"),
    [
        # All of a link, whether it names the source in words of its own or not.
        (BARE, 0, 0, (3, 38, "", "", None)),
        (WRAPPED, 0, 0, (3, 40, "", "", None)),
        (WORDS, 0, 0, (3, 36, "the Bee", "", 36)),
        (f"([the Bee]({B}))", 0, 0, (3, 38, "", "", None)),
        # With words before it, or not from its beginning on.
        (BARE, -3, 0, (3, 38, "", "", 3)),
        (BARE, -1, 0, (3, 38, "", "", 3)),
        (BARE, 1, 0, (3, 38, "", "", None)),
        (WRAPPED, -3, 0, (3, 40, "", "", 3)),
        (WRAPPED, 1, 0, (3, 40, "", "", None)),
        (WORDS, -3, 0, (3, 36, "the Bee", "", 36)),
        # To within the link, from its first character on.
        (BARE, -3, -34, (3, 38, "", "", 3)),
        (BARE, -3, -1, (3, 38, "", "", 3)),
        (WRAPPED, -3, -1, (3, 40, "", "", 3)),
        (WRAPPED, -3, -35, (3, 40, "", "", 3)),
        # With what follows it.
        (f"{BARE}.", 0, 0, (3, 38, "", "", None)),
        (f"{BARE},", 0, 0, (3, 38, "", "", None)),
        (f"{BARE};", 0, 0, (3, 38, "", "", None)),
        (f"{BARE}. ", 0, 0, (3, 38, "", "", None)),
        (f"{BARE}!", 0, 0, (39, 39, "", "", 39)),
        (f"{BARE}..", 0, 0, (40, 40, "", "", 40)),
        (f"{BARE} so", 0, 0, (41, 41, "", "", 41)),
    ],
)
def test_a_link_to_the_page_itself_is_replaced_wherever_the_span_begins(
    link: str, start: int, end: int, change: Change
) -> None:
    text = f"So {link} it is"

    assert change_of(text, B, 3 + start, 3 + len(link) + end) == change


@pytest.mark.parametrize(
    ("link", "start", "end", "change"),
    [
        (BARE, 0, 0, (3, 38, "", "", None)),
        (WRAPPED, 0, 0, (3, 40, "", "", None)),
        (WORDS, 0, 0, (3, 36, "the Bee", "", 36)),
        (BARE, 1, 0, (3, 38, "", "", None)),
        (BARE, -1, 0, (38, 38, "", "", 38)),
        (WRAPPED, -1, 0, (40, 40, "", "", 40)),
        (WRAPPED, -3, -1, (40, 40, "", "", 39)),
        (BARE, -3, -34, (38, 38, "", "", 4)),
    ],
)
def test_a_link_to_another_page_is_replaced_only_where_the_span_is_within_it(
    link: str, start: int, end: int, change: Change
) -> None:
    text = f"So {link} it is"

    assert change_of(text, A, 3 + start, 3 + len(link) + end) == change


@pytest.mark.parametrize(
    ("words", "url", "is_kept"),
    [
        ("b.example", B, False),
        ("www.b.example", B, False),
        ("B.Example", B, False),
        (" b.example ", B, False),
        ("WWW.B.EXAMPLE", B, False),
        (B, B, False),
        (B.upper(), B, False),
        ("https://b.example/page?utm_source=x", "https://b.example/page?utm_source=x", False),
        ("12", B, False),
        ("", B, False),
        (" ", B, False),
        ("12a", B, True),
        ("c.example", B, True),
        ("Bee", B, True),
    ],
)
def test_words_of_a_link_stay_unless_they_only_name_the_page(
    words: str, url: str, is_kept: bool
) -> None:
    link = f"[{words}]({B})"

    change = change_of(f"So {link}", url, 3, 3 + len(link))

    assert change is not None
    assert change[2] == (words if is_kept else "")


@pytest.mark.parametrize(
    ("text", "end", "change"),
    [
        ("Run `a b` now", 4, (3, 3, "", "", 3)),
        ("Run `a b` now", 5, (9, 9, "", "", 5)),
        ("Run `a b` now", 8, (9, 9, "", "", 8)),
        ("Run `a b` now", 9, (9, 9, "", "", 9)),
        ("Run `a b`(now)", 8, (9, 9, "", " ", 8)),
        ("See https://u.io/p. So", 3, (3, 3, "", "", 3)),
        ("See https://u.io/p. So", 5, (18, 18, " ", "", 5)),
        ("See https://u.io/p. So", 18, (18, 18, " ", "", 18)),
        ("See https://u.io/p. So", 19, (19, 19, " ", "", 19)),
        ("See https://u.io/p. So", 22, (22, 22, "", "", 22)),
        ("`a`\n```\nx\n```\nend", 9, (14, 14, "", "\n\n", 9)),
        ("```\nx\n```\nend", 3, (10, 10, "", "\n\n", 3)),
        ("```\nx\n```\n\nend", 5, (10, 10, "", "\n", 5)),
        ("```\nx\n```\n\r\nend", 5, (10, 10, "", "\n", 5)),
        ("```\nx\n```\n(end", 5, (10, 10, "", "\n\n", 5)),
        ("```\nx\n```", 5, (9, 9, "\n", "", 5)),
        ("```\nx\n```\n", 5, (10, 10, "", "", 5)),
        ("```\nx", 5, None),
        ("```\nx", 2, None),
        ("    x\nend", 5, (6, 6, "", "\n\n", 5)),
        ("    x", 5, (5, 5, "\n", "", 5)),
        ("```\nx\n```\nend", 11, (11, 11, "", "", 11)),
        ("So [x](u)(v)", 5, (9, 9, "", " ", 5)),
        ("So ([x](u))(v)", 10, (11, 11, "", " ", 10)),
        ("So ([x](u)) it", 3, (2, 2, "", "", 2)),
        ("ae\u0301a", 2, (3, 3, "", "", 2)),
        ("ae\u0301a", 1, (1, 1, "", "", 1)),
        ("a\r\nb", 1, (1, 1, "", "", 1)),
        ("`a`\u0301b", 2, (4, 4, "", "", 2)),
    ],
)
def test_a_marker_goes_behind_code_links_addresses_and_letters_and_stands_apart(
    text: str, end: int, change: Change | None
) -> None:
    assert change_of(text, A, 0, end) == change


@pytest.mark.parametrize(
    ("text", "position", "end"),
    [
        ("", 0, 0),
        ("e\u0301", 0, 0),
        ("e\u0301", 1, 2),
        ("e\u0301", 2, 2),
        ("e\u0301a", 2, 2),
        ("\r\n", 1, 2),
        ("\n\r", 1, 1),
        ("\n\n", 1, 1),
        ("\r\na", 2, 2),
        ("🇩🇪🇫🇷🇪🇸", 1, 2),
        ("🇩🇪🇫🇷🇪🇸", 2, 2),
        ("🇩🇪🇫🇷🇪🇸", 3, 4),
        ("🇩🇪🇫🇷🇪🇸", 4, 4),
        ("🇩🇪🇫🇷🇪🇸", 5, 6),
        ("ab\u200d\u0301c", 2, 4),
        ("ab\u200d\u0301c", 3, 4),
        ("क्\u200dषि", 1, 5),
        ("क्\u200dषि", 3, 5),
        ("क्षक", 2, 3),
        ("क्षक", 3, 3),
        ("\ud83d\ude00", 1, 2),
        ("\ude00\ud83d", 1, 1),
        # Longer than what is looked at around a place.
        ("e" + "\u0301" * 400, 1, 257),
        ("e" + "\u0301" * 400, 257, 401),
        ("e" + "\u0301" * 256, 1, 257),
        ("e" + "\u0301" * 255, 1, 256),
        ("e" + "\u0301" * 300 + "a", 300, 301),
        ("a" * 300 + "e\u0301\u0302b", 302, 303),
        ("a" * 300 + "e\u0301\u0302b", 301, 303),
        ("a" * 300 + "e\u0301\u0302b", 300, 300),
    ],
)
def test_a_letter_of_several_characters_ends_where_a_reader_sees_it_end(
    text: str, position: int, end: int
) -> None:
    assert end_of_cluster(lambda one, other: text[one:other], position, len(text)) == end


@pytest.mark.parametrize(
    ("position", "found"),
    [(0, None), (1, None), (2, "`a`"), (4, "`a`"), (5, "`a`"), (6, "`b`"), (9, "`b`")],
)
def test_the_last_region_that_begins_up_to_a_place_is_the_one_at_it(
    position: int, found: str | None
) -> None:
    text = "x `a` `b` y"

    region = ground_of(text).region_at(position)

    assert (region and text[region.start : region.end]) == found
