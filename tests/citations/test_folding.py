"""Words that rest on a removed source: which they are, and what is shown instead."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.citations import (
    Folded,
    Marked,
    MarkerStream,
    PassageFolded,
    TextShown,
    place,
    to_html,
    to_json,
    to_markdown,
    to_plain,
    to_terminal,
)
from groundwire.citations.passages import MAX_SENTENCE
from groundwire.model import Citation, Evidence
from tests.citations.examples import mixed_citations, pieces_of, removed, shown_text, texts

A, X = "https://a.example/page", "https://x.example/page"
NOTE = "(Folded by policy: this rests on x.example.)"


def folded_in(marked: Marked) -> list[str]:
    """Return the words that are folded."""
    return [marked.text[each.start : each.end] for each in marked.folded]


@pytest.mark.parametrize(
    ("text", "words", "folded"),
    [
        ("One. Two. Three.", "Two.", "Two."),
        ("One is. Otters are heavy animals. Three.", "heavy", "Otters are heavy[removed] animals."),
        ("Otters weigh 4.5 kg at most. Three.", "4.5 kg", "Otters weigh 4.5 kg[removed] at most."),
        ("- One two\n- Three four\n- Five", "Three four", "Three four"),
        ("1. One\n2) Two\n", "Two", "Two"),
        ("> ## Otters sleep\nMore", "sleep", "Otters sleep"),
        ("Run `a. b` now. Next.", "now.", "Run `a. b` now."),
        ("See https://q.example/a. b for it. Next.", "it.", "See https://q.example/a. b for it."),
        ("海獭很重。海獭睡觉。好。", "睡觉", "海獭睡觉"),
        ("“Otters sleep.” She left.", "She left", "She left"),
        ("Otters sleep.\n\nShe left", "She", "She[removed] left"),
        (f"Otters sleep. ([x.example]({X})) More.", f"([x.example]({X}))", "Otters sleep."),
        (f"Otters sleep ([x.example]({X})). More.", f"([x.example]({X}))", "Otters sleep"),
        (f"One. ([a.example]({A})) Two. ([x.example]({X}))", f"([x.example]({X}))", "Two."),
        (f"Otters sleep.\n([x.example]({X}))", f"([x.example]({X}))", "Otters sleep."),
        (
            f"One. In [the Ox]({X}), otters sleep. More.",
            f"[the Ox]({X})",
            "In the Ox[removed], otters sleep.",
        ),
        ("```py\na. b\n```\nDone.", "a. b", "```py\na. b\n```\n"),
        ("See `x`. Two is so. Three.", "Two is so.", "Two is so."),
        (f"See [this]({A}) and two is so. So.", "two is so.", f"See [this]({A}) and two is so."),
        (f"See ([a.example]({A})) and two is. So.", "two is.", "and two is."),
        ("One. Two is (so.) Three.", "is", "Two is[removed] (so.)"),
        ("# One\nTwo is so", "is so", "Two is so"),
        ("1. One. Two", "Two", "Two"),
        ("One `a. b` two. Three", "One", "One[removed] `a. b` two."),
        (f"One is so.\n([x.example]({X})) Two.", f"([x.example]({X}))", "One is so."),
        ("One! Two? Three… Four", "Three", "Three"),
        ("One e.g.this two. Three", "two", "One e.g.this two"),
    ],
)
def test_the_sentences_that_a_span_touches_are_folded(text: str, words: str, folded: str) -> None:
    start = text.index(words)

    marked = place(text, [removed(X, start, start + len(words))])

    assert folded_in(marked) == [folded]
    assert marked.folded[0].domains == ("x.example",)
    assert marked.unmark() == text


@pytest.mark.parametrize("before", ["", " ", "\n", "> "])
def test_a_removed_link_with_no_words_before_it_folds_nothing(before: str) -> None:
    text = f"{before}([x.example]({X})) Otters sleep."
    start = text.index("(")

    marked = place(text, [removed(X, start, text.index("))") + 2)])

    assert folded_in(marked) == []
    assert marked.text == f"{before}[removed] Otters sleep."


@pytest.mark.parametrize("length", [598, 599, 600, 601, 700])
def test_a_sentence_without_an_end_is_folded_up_to_its_limit(length: int) -> None:
    words = ("otters" * 200)[:length]
    text = f"{words} sleeps"

    before, after = (
        place(text, [removed(X, len(words) + 1, len(text))]),
        place(f"sleeps {words}", [removed(X, 0, 6)]),
    )

    most = MAX_SENTENCE
    (one,), (other,) = folded_in(before), folded_in(after)
    assert one == text[max(0, len(words) + 1 - most) :].lstrip()
    assert other == f"sleeps[removed] {words}"[: most + len("sleeps[removed]")].rstrip()


def test_a_sentence_that_also_rests_on_an_allowed_source_is_folded_all_the_same() -> None:
    cited = [Citation(url=A, start=0, end=4), removed(X, 0, 4), removed(f"{A}/other", 0, 4)]

    marked = place("One. Two.", cited)

    assert marked.folded == (Folded(start=0, end=4, domains=("x.example", "a.example")),)


def test_a_source_that_was_removed_without_a_place_folds_nothing() -> None:
    assert place("One. Two.", [removed(X)], known={"1": removed(X)}).folded == ()


FOLDED = place("One. Two & more. Three.", [removed(X, 5, 16)])


def test_every_rendering_says_in_words_that_something_is_folded() -> None:
    shown = f"One. {NOTE}[removed] Three."

    assert to_markdown(FOLDED).startswith(f"{shown}\n")
    assert to_plain(FOLDED).startswith(f"{shown}\n")
    assert to_terminal(FOLDED).startswith(f"{shown}\n")
    assert to_html(FOLDED).startswith(f'One. <span class="folded-note">{NOTE}</span><sup')
    assert all(
        "more" not in rendered
        for rendered in (
            to_markdown(FOLDED),
            to_plain(FOLDED),
            to_terminal(FOLDED),
            to_html(FOLDED),
        )
    )


def test_json_keeps_the_words_and_says_which_are_folded() -> None:
    rendered = json.loads(json.dumps(to_json(FOLDED)))

    assert rendered["text"] == "One. Two & more.[removed] Three."
    assert rendered["folded"] == [{"start": 5, "end": 16, "domains": ["x.example"]}]


def test_a_stream_tells_what_is_folded_and_more_of_it_when_it_comes() -> None:
    stream = MarkerStream()
    stream.feed("One. Otters are")

    first = stream.cite([removed(X, 5, 11)])
    within = stream.feed(" heavy")
    whole = stream.feed(" animals. Thr")
    behind = stream.feed("ee.")

    assert first[1:] == [PassageFolded(start=5, end=15, domains=("x.example",))]
    assert within == [TextShown(text=" heavy")]
    assert whole == [
        TextShown(text=" animals. Thr"),
        PassageFolded(start=5, end=30, domains=("x.example",)),
    ]
    assert behind == [TextShown(text="ee.")]


sentences = st.lists(
    st.tuples(st.integers(1, 4), st.sampled_from([". ", "! ", "\n", "\n\n- ", ", ", "。"])),
    min_size=1,
    max_size=8,
)
spans = st.lists(
    st.tuples(st.integers(0, 60), st.integers(0, 60), st.booleans()), min_size=1, max_size=5
)
seeds = st.integers(min_value=0, max_value=1000)


def prose(shape: list[tuple[int, str]]) -> str:
    """Return sentences in which every word is another one."""
    words = iter(range(1000))
    return "".join(" ".join(f"w{next(words):03}" for _ in range(n)) + end for n, end in shape)


def cited_in(given: list[tuple[int, int, bool]]) -> list[Citation]:
    return [
        Citation(
            url=X if is_removed else A,
            start=start,
            end=end,
            evidence=Evidence.REMOVED if is_removed else Evidence.CITED,
        )
        for start, end, is_removed in given
    ]


@given(shape=sentences, given_spans=spans)
def test_no_word_of_a_removed_span_is_shown_outside_of_a_fold(
    shape: list[tuple[int, str]], given_spans: list[tuple[int, int, bool]]
) -> None:
    text = prose(shape)

    shown = to_plain(place(text, cited_in(given_spans)))

    for start, end, is_removed in given_spans:
        if is_removed and start < end:
            inside = text[start:end].split()[1:-1]
            assert not [word for word in inside if len(word) == 4 and word in shown]


@given(text=texts, cited=mixed_citations)
def test_folds_are_in_order_apart_and_inside_and_the_pieces_are_the_whole(
    text: str, cited: list[Citation]
) -> None:
    marked = place(text, cited)

    borders = [border for each in marked.folded for border in (each.start, each.end)]
    assert borders == sorted(borders)
    assert all(each.start < each.end <= len(marked.text) for each in marked.folded)
    pieces = [
        piece
        if isinstance(piece, str)
        else marked.text[piece.start : piece.end]
        if isinstance(piece, Folded)
        else piece.text
        for piece in marked.shown_pieces()
    ]
    assert "".join(pieces) == marked.text


@given(shape=sentences, given_spans=spans, seed=seeds, late=st.booleans())
def test_a_stream_folds_what_the_whole_folds_at_any_cut(
    shape: list[tuple[int, str]],
    given_spans: list[tuple[int, int, bool]],
    seed: int,
    late: bool,
) -> None:
    text, cited = prose(shape), cited_in(given_spans)
    stream = MarkerStream()
    pieces = [] if late else stream.cite(cited)

    for piece in pieces_of(text, seed):
        pieces += stream.feed(piece)
    pieces += stream.cite(cited) if late else []
    finished = stream.finish()

    pieces += finished.pieces
    screen = shown_text(pieces)
    told = [piece for piece in pieces if isinstance(piece, PassageFolded)]
    places = sorted({place for each in told for place in range(each.start, each.end)})
    whole = place(text, cited)
    assert finished.marked.folded == whole.folded
    letters = [letter for piece in _inside_folds(whole) for letter in piece if not letter.isspace()]
    assert [screen[place] for place in places if not screen[place].isspace()] == letters


def _inside_folds(marked: Marked) -> list[str]:
    """Return the words inside folds, without markers."""
    found, at = [], 0
    for piece in marked.pieces():
        text = piece if isinstance(piece, str) else piece.text
        if isinstance(piece, str):
            found += [
                text[max(0, fold.start - at) : max(0, fold.end - at)] for fold in marked.folded
            ]
        at += len(text)
    return found
