"""What is removed, or becomes known, while an answer arrives."""

import pytest

from groundwire.citations import (
    MarkerShown,
    MarkerStream,
    PassageFolded,
    Removed,
    Source,
    TextShown,
)
from groundwire.model import Citation, Evidence
from tests.citations.examples import removed, screen

A, B, X = "https://a.example", "https://b.example/page", "https://x.example/page"


def test_a_stream_strikes_what_is_removed_while_text_arrives() -> None:
    stream = MarkerStream({"1": Citation(url=A), "3": removed(X)})

    pieces = [stream.feed(piece) for piece in ("Go [1, 3", "] on [b](", f"{X}) .", " End.")]
    late = stream.cite([removed(X, 0, 2)])

    assert pieces == [
        [TextShown(text="Go ")],
        [MarkerShown(position=3, numbers=(1,), struck=(X,)), TextShown(text=" on ")],
        [
            TextShown(text="b"),
            MarkerShown(position=8, numbers=(), struck=(X,)),
            TextShown(text=" ."),
        ],
        [TextShown(text=" End.")],
    ]
    assert late == [
        MarkerShown(position=2, numbers=(), struck=(X,)),
        PassageFolded(start=0, end=10, domains=("x.example",)),
    ]
    assert stream.finish().marked.text == "Go[removed] [1][removed] on b[removed] . End."


def test_a_link_that_is_held_back_is_struck_by_a_removal_that_follows_it() -> None:
    stream = MarkerStream()

    held = stream.feed(f"So. ([x.example]({X})) ")
    cited = stream.cite([removed(X)])

    assert held == [TextShown(text="So. ")]
    assert cited == [MarkerShown(position=4, numbers=(), struck=(X,)), TextShown(text=" ")]
    assert stream.finish().marked.text == "So. [removed] "


def test_a_link_on_the_screen_gets_a_struck_marker_behind_it_and_goes_at_the_end() -> None:
    stream = MarkerStream()
    link = f"[the Ox]({X})"
    stream.feed(f"{link} is")
    stream.feed(" big")

    late = stream.cite([removed(X)])

    assert late == [MarkerShown(position=len(link), numbers=(), struck=(X,))]
    assert stream.finish().marked.text == "the Ox[removed] is big"


def test_a_marker_that_is_struck_later_no_longer_tells_what_its_page_says() -> None:
    stream = MarkerStream()
    stream.feed("Oxen are big. ")
    said = ((X, "They are."), (A, "Big."))

    first = stream.cite([Citation(url=url, start=0, end=13, quote=quote) for url, quote in said])
    late = stream.cite([removed(X, 0, 13)])

    quotes = [
        [support.quote for support in piece.supports]
        for piece in (*first, *late)
        if isinstance(piece, MarkerShown)
    ]
    assert quotes == [["They are.", "Big."], ["Big."]]


def test_ids_become_known_while_the_answer_arrives() -> None:
    stream = MarkerStream()
    before = stream.feed("A [1] b. ")
    stream.learn({"1": Citation(url=A, title="A", evidence=Evidence.FOUND)})

    first = stream.feed("C [1] d [2")
    stream.learn({"2": Citation(url=B, title="B", evidence=Evidence.READ)})
    second = stream.feed("] e.")

    assert before == [TextShown(text="A [1] b. ")]
    assert first == [
        TextShown(text="C "),
        MarkerShown(position=11, numbers=(1,)),
        TextShown(text=" d "),
    ]
    assert second == [MarkerShown(position=14, numbers=(2,)), TextShown(text=" e.")]
    assert stream.finish().marked.text == "A [1] b. C [1] d [2] e."


def test_an_id_that_is_learnt_before_its_marker_is_shown_is_known() -> None:
    stream = MarkerStream({})
    held = stream.feed("([b](https://b.example)) [1] c")

    stream.learn({"1": Citation(url=A)})

    assert held == []
    assert stream.feed(".") == [
        TextShown(text="([b](https://b.example)) "),
        MarkerShown(position=25, numbers=(1,)),
        TextShown(text=" c."),
    ]


@pytest.mark.parametrize(
    ("first", "then", "last"),
    [
        (Evidence.FOUND, Evidence.READ, Evidence.READ),
        (Evidence.READ, Evidence.FOUND, Evidence.READ),
        (Evidence.READ, Evidence.CITED, Evidence.CITED),
    ],
)
def test_an_id_keeps_the_strongest_evidence(
    first: Evidence, then: Evidence, last: Evidence
) -> None:
    stream = MarkerStream({"1": Citation(url=A, evidence=first)})

    stream.learn({"1": Citation(url=A, evidence=then)})
    stream.feed("A [1].")

    assert [source.evidence for source in stream.finish().marked.sources] == [last]


def test_a_removal_that_is_learnt_late_strikes_the_rest_and_the_whole_at_the_end() -> None:
    stream = MarkerStream({"1": Citation(url=A), "2": Citation(url=B)})
    stream.feed("A [1] b [2] c. ")
    stream.learn({"1": removed(A)})
    stream.learn({"1": Citation(url=A)})

    after = stream.feed("D [1] e.")
    again = stream.cite([Citation(url=B, start=0, end=5)])
    marked = stream.finish().marked

    assert after == [
        TextShown(text="D "),
        MarkerShown(position=11, numbers=(), struck=(A,)),
        TextShown(text=" e."),
    ]
    assert again == [MarkerShown(position=2, numbers=(2,), struck=(A,))]
    assert marked.text == "A [2][removed] b [2] c. D [removed] e."
    assert [(source.number, source.url) for source in marked.sources] == [(2, B)]
    assert marked.removed == (Removed(url=A, title="", domain="a.example"),)


def test_a_page_stays_removed_when_its_id_is_given_to_another() -> None:
    stream = MarkerStream({"1": removed(A)})
    stream.learn({"1": removed(B)})

    stream.feed(f"A [1], [the bay]({A}).")

    assert stream.finish().marked.text == "A [removed], the bay[removed]."


@pytest.mark.parametrize(
    ("first", "then", "expected"),
    [
        (Citation(url=A), Citation(url=B), "See [1]. B"),
        (Citation(url=A), Citation(url=B, evidence=Evidence.READ), "See [1]. A"),
        (Citation(url=A), removed(B), "See [removed]. B"),
        (removed(A), Citation(url=B), "See [removed]. A"),
        (removed(A), removed(B), "See [removed]. B"),
    ],
)
def test_an_id_goes_to_a_page_with_no_less_evidence_and_never_back_from_one_removed(
    first: Citation, then: Citation, expected: str
) -> None:
    stream = MarkerStream({"1": first})

    stream.learn({"1": then})
    stream.feed("See [1].")

    marked = stream.finish().marked
    named = [*(each.url for each in marked.sources), *(each.url for each in marked.removed)]
    assert f"{marked.text} {'A' if named == [A] else 'B'}" == expected


def test_a_link_that_is_held_back_and_removed_before_it_is_cited_is_struck_once() -> None:
    stream = MarkerStream()
    text = f"So. ([x.example]({X})) "
    stream.feed(text)
    stream.learn({"1": removed(X)})

    cited = stream.cite([Citation(url=X, start=4, end=len(text) - 1)])

    assert cited == [
        MarkerShown(position=4, numbers=(), struck=(X,)),
        TextShown(text=" "),
        PassageFolded(start=0, end=3, domains=("x.example",)),
    ]


def test_what_follows_a_removed_link_is_shown_at_once() -> None:
    stream = MarkerStream({"1": removed(X)})

    shown = [stream.feed(piece) for piece in (f"So ([x.example]({X}))", "`", "`", "`a", "``` b")]

    assert shown == [
        [TextShown(text="So "), MarkerShown(position=3, numbers=(), struck=(X,))],
        [TextShown(text="`")],
        [TextShown(text="`")],
        [TextShown(text="`a")],
        [TextShown(text="``` b")],
    ]


def test_words_behind_a_link_that_is_held_back_are_folded_when_they_are_shown() -> None:
    stream = MarkerStream()
    stream.feed("One. ")
    stream.feed(f"[the Bee]({B}) dives. ")

    held = stream.cite([removed(X, 5, 5 + len(f"[the Bee]({B}) dives."))])
    shown = stream.feed("So.")

    end = 5 + len(f"[the Bee]({B}) dives.")
    assert held == []
    assert shown == [
        TextShown(text=f"[the Bee]({B}) dives."),
        MarkerShown(position=end, numbers=(), struck=(X,)),
        TextShown(text=" So."),
        PassageFolded(start=5, end=end, domains=("x.example",)),
    ]


def test_a_fold_names_the_domain_that_the_removal_gave() -> None:
    cause = Citation(url=X, domain="ox.example", evidence=Evidence.REMOVED)
    stream = MarkerStream()
    stream.feed("One. Two. ")
    stream.cite([cause])

    told = stream.cite([removed(X, 0, 4)])

    assert told[1:] == [PassageFolded(start=0, end=4, domains=("ox.example",))]
    assert [each.domains for each in stream.finish().marked.folded] == [("ox.example",)]


def test_new_sources_are_given_once_when_their_number_is_first_shown() -> None:
    stream = MarkerStream({"1": Citation(url=A, title="A"), "3": removed(X)})
    read = Citation(url=B, quote="bees", evidence=Evidence.READ)
    taken = [stream.sources.take_new()]

    for text in ("A [1", "] b [1] [3] ", "c [2] "):
        stream.feed(text)
        taken.append(stream.sources.take_new())
        stream.learn({"2": read})
    stream.cite([Citation(url="https://unplaced.example")])
    stream.finish()

    assert [*taken, stream.sources.take_new()] == [
        (),
        (),
        (_source(1, A, title="A"),),
        (_source(2, B, evidence=Evidence.READ, quotes=("bees",)),),
        (),
    ]


def _source(
    number: int,
    url: str,
    *,
    title: str = "",
    evidence: Evidence = Evidence.CITED,
    quotes: tuple[str, ...] = (),
) -> Source:
    domain = Citation(url=url).domain
    return Source(
        number=number,
        url=url,
        title=title,
        domain=domain,
        evidence=evidence,
        quotes=quotes,
        is_marked=True,
    )


def test_a_link_waits_for_its_citation_also_behind_one_that_is_struck() -> None:
    stream = MarkerStream()
    first, second = "[w s](https://y.com/b)", "([x.com](https://x.com/a))"
    stream.cite([Citation(url="https://x.com/a", start=0, end=35)])
    pieces = [*stream.feed(first), *stream.feed(second)]

    pieces += stream.cite([removed("https://y.com/b", 0, 30)])

    assert [each.text for each in pieces if isinstance(each, TextShown)] == [first]
    pieces += stream.cite([Citation(url="https://x.com/a", start=0, end=len(first + second))])
    assert "x.com" not in screen([*pieces, *stream.finish().pieces])
