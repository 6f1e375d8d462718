"""The pieces of a marked text: what a reader is shown, and what it was before."""

from __future__ import annotations

import pytest

from groundwire.citations import Folded, Marked, Marker, MarkerShown, Support

ONE, TWO = (Marker(start=start, numbers=(number,)) for start, number in ((0, 1), (3, 2)))
LINK = Marker(start=2, numbers=(1,), before="Bee", after=" ", replaced="[Bee](u)")


def fold(start: int, end: int) -> Folded:
    return Folded(start=start, end=end, domains=("x.example",))


@pytest.mark.parametrize(
    ("text", "changes", "pieces"),
    [
        ("", (), []),
        ("Otters", (), ["Otters"]),
        ("[1]", (ONE,), [ONE]),
        ("[1] So", (ONE,), [ONE, " So"]),
        ("[1][2]", (ONE, TWO), [ONE, TWO]),
        ("So.[2]", (TWO,), ["So.", TWO]),
        ("So.[2] No.", (TWO,), ["So.", TWO, " No."]),
        ("A Bee[1] is", (LINK,), ["A ", LINK, "is"]),
    ],
)
def test_a_marked_text_has_no_empty_pieces(
    text: str, changes: tuple[Marker, ...], pieces: list[str | Marker]
) -> None:
    marked = Marked(text=text, changes=changes)

    assert [*marked.pieces()] == pieces
    assert [*marked.shown_pieces()] == pieces


@pytest.mark.parametrize(
    ("text", "changes", "folds", "pieces"),
    [
        ("Otters", (), [(0, 6)], [(0, 6)]),
        ("Otters", (), [(0, 3)], [(0, 3), "ers"]),
        ("Otters", (), [(3, 6)], ["Ott", (3, 6)]),
        ("Otters", (), [(1, 2), (4, 5)], ["O", (1, 2), "te", (4, 5), "s"]),
        ("Otters", (), [(1, 3), (3, 5)], ["O", (1, 3), (3, 5), "s"]),
        ("So.[2] No. Yes.", (TWO,), [(0, 3)], [(0, 3), TWO, " No. Yes."]),
        ("So.[2] No. Yes.", (TWO,), [(6, 10)], ["So.", TWO, (6, 10), " Yes."]),
        ("So.[2] No. Yes.", (TWO,), [(7, 10)], ["So.", TWO, " ", (7, 10), " Yes."]),
        ("So.[2] No. Yes.", (TWO,), [(7, 15)], ["So.", TWO, " ", (7, 15)]),
        ("So.[2] No. Yes.", (TWO,), [(0, 10)], [(0, 10), " Yes."]),
        ("So.[2] No. Yes.", (TWO,), [(1, 15)], ["S", (1, 15)]),
        ("So.[2] No. Yes.", (TWO,), [(3, 6)], ["So.", (3, 6), " No. Yes."]),
        ("So.[2] No.", (TWO,), [(1, 3), (6, 8)], ["S", (1, 3), TWO, (6, 8), "o."]),
    ],
)
def test_what_is_folded_is_one_piece_with_all_inside_it(
    text: str,
    changes: tuple[Marker, ...],
    folds: list[tuple[int, int]],
    pieces: list[str | Marker | tuple[int, int]],
) -> None:
    marked = Marked(text=text, changes=changes, folded=tuple(fold(*each) for each in folds))

    assert [*marked.shown_pieces()] == [
        fold(*each) if isinstance(each, tuple) else each for each in pieces
    ]


@pytest.mark.parametrize(("end", "words"), [(4, ""), (5, "")])
def test_the_words_of_a_link_are_folded_without_its_marker(end: int, words: str) -> None:
    marked = Marked(text="A Bee[1] is", changes=(LINK,), folded=(fold(0, end),))

    shown = [*marked.shown_pieces()]

    rest = Marker(start=2, numbers=(1,), before=words, after=" ", replaced="[Bee](u)")
    assert shown == [fold(0, end), rest, "is"]
    assert marked.unmark() == "A [Bee](u)is"


def test_a_marker_tells_its_text_and_where_its_label_begins() -> None:
    marker = Marker(start=4, numbers=(1, 2), struck=("u",), unknown=("7",), before="Bee", after=" ")

    assert (marker.label, marker.text, marker.position) == (
        "[1][2][removed][7?]",
        "Bee[1][2][removed][7?] ",
        7,
    )
    taken_out = Marker(start=4, replaced="\ue203")
    assert Marked(text="Otters", changes=(marker, taken_out)).markers == (marker,)


def test_two_markers_are_the_same_whatever_they_rest_on_and_print_so() -> None:
    supports = (Support(number=1, start=0, end=3),)

    marker = MarkerShown(position=3, numbers=(1,), supports=supports)

    assert marker == MarkerShown(position=3, numbers=(1,))
    assert "supports" not in repr(marker)
