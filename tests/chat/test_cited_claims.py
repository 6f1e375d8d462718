"""Every marker of an answer stands for words: in its stream, and in the answer as it is kept."""

from __future__ import annotations

import random
from collections.abc import Sequence

from groundwire import citations
from groundwire.chat.cited_claims import (
    AnswerClaim,
    RecentText,
    StreamedClaims,
    cited_claims,
    marker_positions,
)
from groundwire.chat.events import ChatEvent, MarkerShown, SourceNumbered, TextShown
from groundwire.checks.claims import without_code
from groundwire.citations import MarkerStream, Piece, Source
from groundwire.model import Citation, Evidence

URL = "https://example.org/otter"
OTHER = "https://example.org/kelp"


def _cited(text: str, words: str, url: str = URL, quote: str = "") -> Citation:
    start = text.index(words)
    return Citation(url=url, start=start, end=start + len(words), quote=quote)


def test_a_claim_is_the_span_that_the_provider_names() -> None:
    text = "Otters sleep afloat, and they hold hands while they do so."
    marked = citations.place(text, [_cited(text, "they hold hands while they do so.")])

    (found,) = cited_claims(marked)

    assert found.claim == "they hold hands while they do so."
    assert (found.position, found.url) == (len(text), URL)


def test_positions_count_no_markers() -> None:
    text = "Otters hold hands. Kelp holds otters. Nobody holds kelp."
    cited = [
        _cited(text, "Otters hold hands."),
        _cited(text, "Kelp holds otters.", OTHER),
        _cited(text, "Nobody holds kelp.", OTHER),
    ]
    marked = citations.place(text, cited)

    found = cited_claims(marked)

    assert [each.position for each in found] == [18, 37, 56]
    assert [each.position for each in found] == marker_positions(marked)
    assert [text[: each.position].endswith(each.claim) for each in found] == [True] * 3


def test_the_code_in_an_answer_is_looked_for_once_for_all_of_its_claims() -> None:
    sentences = [f"Otter {number} holds hands with another." for number in range(50)]
    text = " ".join(sentences)
    marked = citations.place(text, [_cited(text, each) for each in sentences])
    before = without_code.cache_info().misses

    assert len(cited_claims(marked)) == 50
    assert without_code.cache_info().misses - before == 1


def test_a_claim_with_two_sources_is_told_once_for_each_with_its_own_quote() -> None:
    text = "Otters hold hands."
    cited = [_cited(text, text, quote="They hold hands."), _cited(text, text, OTHER, "Hands.")]

    found = cited_claims(citations.place(text, cited))

    assert [(each.number, each.url, each.quote) for each in found] == [
        (1, URL, "They hold hands."),
        (2, OTHER, "Hands."),
    ]
    assert {each.claim for each in found} == {text}


def test_a_marker_of_the_models_own_stands_for_the_sentence_before() -> None:
    text = "Otters swim. They hold hands [7]."
    known = {"7": Citation(url=URL, evidence=Evidence.READ)}

    (found,) = cited_claims(citations.place(text, [], known=known))

    assert found.claim == "They hold hands"
    assert found.context == "Otters swim."


def test_struck_and_unknown_markers_stand_for_nothing() -> None:
    text = "Otters swim [9]. They hold hands."
    removed = Citation(url=OTHER, start=17, end=33, evidence=Evidence.REMOVED)
    known = {"1": Citation(url=URL)}

    marked = citations.place(text, [removed], known=known)

    assert len(marked.markers) == 2
    assert cited_claims(marked) == ()


def test_an_answer_without_markers_has_no_claims() -> None:
    assert cited_claims(citations.place("Otters hold hands.", [])) == ()


def test_the_stream_tells_the_same_as_the_whole_answer() -> None:
    text = "Otters hold hands [1]. Kelp holds them [2], and they eat urchins [1].\n\n- A list [2]\n"
    known = {"1": Citation(url=URL), "2": Citation(url=OTHER)}
    stream, streamed = MarkerStream(known=known), StreamedClaims()

    found: list[AnswerClaim] = []
    for letter in text:
        found += streamed.take(_events(stream, stream.feed(letter)))
    finished = stream.finish()
    found += streamed.take(_events(stream, finished.pieces))

    assert tuple(found) == cited_claims(finished.marked)
    assert [each.claim for each in found] == [
        "Otters hold hands",
        "Kelp holds them",
        "and they eat urchins",
        "A list",
    ]


LONG = [
    "Otters hold hands [1]. Kelp holds them [2], and they eat urchins [1].\n\n",
    "What they eat:\n\n- urchins [2]\n- crabs, of which they like the small ones best [1]\n\n",
    "| animal | food |\n|---|---|\n| otter | urchins [1] |\n| kelp | light [2] |\n\n",
    "Who holds whom:\n\n"
    + "- an otter another, for as long as it sleeps and a little more [1]\n" * 28,
    "```\n# no claim of anybody\n" + "otters = hands\n" * 700 + "```\n",
    "~~~\nnor this [1]\n\n```\n~~~\nThey sleep afloat [2].\n",
    f"{'A long way to the end of a sentence that names nobody, ' * 300}and yet it ends [1].\n",
]


def test_a_long_answer_is_read_from_its_end_and_tells_the_same_as_the_whole() -> None:
    known = {"1": Citation(url=URL), "2": Citation(url=OTHER)}
    stream, streamed = MarkerStream(known=known), StreamedClaims()
    text = "".join(random.Random(5).choices(LONG, k=60))
    far = text.index("and they eat")

    found: list[AnswerClaim] = []
    for at in range(0, len(text), 97):
        found += streamed.take(_events(stream, stream.feed(text[at : at + 97])))
    # A span that begins long before what is kept at hand.
    late = Citation(url=URL, start=far, end=len(text), quote="Hands.")
    found += streamed.take(_events(stream, stream.cite([late])))
    finished = stream.finish()
    found += streamed.take(_events(stream, finished.pieces))

    assert len(text) > 200_000
    assert {each.key: each for each in found} == {
        each.key: each for each in cited_claims(finished.marked)
    }


def test_a_marker_of_a_long_answer_does_not_read_all_of_it_again() -> None:
    text, sentence = RecentText(), "Otters hold hands while they sleep, as otters do.\n"
    read = []

    for number in range(1, 4_001):
        text.add(sentence)
        base, recent = text.before(number * len(sentence))
        read.append(len(recent))
        assert base + len(recent) == number * len(sentence)

    assert max(read) < 60_000 < 4_000 * len(sentence)
    assert text.before(100) == (0, sentence * 4_000)


def _events(stream: MarkerStream, pieces: Sequence[Piece]) -> list[ChatEvent]:
    """Return the events of a draft: a source before its marker."""
    return [*(SourceNumbered(source=each) for each in stream.sources.take_new()), *pieces]


def test_the_stream_of_a_provider_that_names_spans_tells_the_same_as_the_whole_answer() -> None:
    text = "Otters sleep afloat, they hold hands while they do. Kelp holds both of them."
    cited = [
        _cited(text, "they hold hands while they do.", quote="They hold hands."),
        _cited(text, "Kelp holds both of them.", OTHER),
        _cited(text, "Kelp holds both of them.", quote="Kelp."),
    ]
    stream, streamed = MarkerStream(), StreamedClaims()
    found = streamed.take(_events(stream, stream.feed(text)))

    for each in cited:
        found += streamed.take(_events(stream, stream.cite([each])))
    finished = stream.finish()
    found += streamed.take(_events(stream, finished.pieces))

    assert {each.key: each for each in found} == {
        each.key: each for each in cited_claims(finished.marked)
    }
    assert {each.claim for each in found} == {
        "they hold hands while they do.",
        "Kelp holds both of them.",
    }
    assert {each.quote for each in found} == {"They hold hands.", "", "Kelp."}


def test_a_marker_without_its_source_waits_for_the_end() -> None:
    streamed = StreamedClaims()
    source = Source(number=1, url=URL, title="", domain="", evidence=Evidence.CITED)

    early = streamed.take([TextShown("They swim."), MarkerShown(position=10, numbers=(1,))])
    numbered: list[ChatEvent] = [
        SourceNumbered(source=source),
        MarkerShown(position=10, numbers=(1,)),
    ]

    assert early == []
    assert [each.claim for each in streamed.take(numbered)] == ["They swim."]
