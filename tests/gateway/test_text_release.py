"""Text that is never taken back: markers in their place, what comes too late at the end."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.chat.events import MarkerShown, PassageFolded
from groundwire.citations.marked import Support
from groundwire.gateway.text_release import Hold, MarkerStyle, TextRelease
from groundwire.wire.outbound import SentCitation, Text


def _cite(number: int, quote: str | None) -> SentCitation:
    url, title = f"https://example.org/{number}", f"Page {number}"
    return SentCitation(number=number, url=url, title=title, start=0, end=0, quote=quote or "")


def _release(style: MarkerStyle = MarkerStyle.LINKS, *, hold: Hold = Hold.SENTENCE) -> TextRelease:
    return TextRelease(style, _cite, hold=hold)


def _said(*groups: list[Text]) -> str:
    return "".join(text.text for group in groups for text in group)


def test_the_sentence_that_is_being_written_waits() -> None:
    release = _release()

    assert release.show("Otters sleep.") == []
    assert release.show(" They") == [Text("Otters sleep. ")]
    assert release.show(" swim") == []
    assert release.finish() == [Text("They swim")]


_PIECES = st.lists(st.text(alphabet="aB 1.!?\n(`。e g", min_size=1, max_size=4), max_size=40)


@pytest.mark.parametrize("hold", Hold)
@given(pieces=_PIECES)
def test_what_is_held_is_not_sent_and_can_as_well_come_later(hold: Hold, pieces: list[str]) -> None:
    at_once, together = _release(hold=hold), _release(hold=hold)
    sent: list[str] = []
    told: list[str] = []
    waiting = ""
    for piece in pieces:
        is_held = together.holds(piece)
        shown = _said(at_once.show(piece))
        assert not (is_held and shown)
        sent.append(shown)
        waiting += piece
        if not is_held:
            told.append(_said(together.show(waiting)))
            waiting = ""
            # Nothing comes later than it would have come piece by piece.
            assert "".join(told) == "".join(sent)
    told.append(_said(together.show(waiting) if waiting else [], together.finish()))
    sent.append(_said(at_once.finish()))
    assert "".join(told) == "".join(sent) == "".join(pieces)


def test_a_marker_of_a_sentence_that_waits_stands_in_its_place() -> None:
    release = _release()

    release.show("Otters sleep.")
    release.mark(MarkerShown(position=13, numbers=(1,)))
    sent = release.show(" They swim.")

    assert _said(sent) == "Otters sleep.[1](https://example.org/1) "
    assert _said(release.finish()) == "They swim."


def test_a_marker_that_comes_again_with_more_numbers_is_written_once() -> None:
    release = _release()

    release.show("Otters sleep")
    release.mark(MarkerShown(position=12, numbers=(1,)))
    release.mark(MarkerShown(position=12, numbers=(1, 2)))

    text = _said(release.show(". And so on"), release.finish())
    assert text == "Otters sleep[1](https://example.org/1)[2](https://example.org/2). And so on"


def test_without_holding_text_goes_at_once_and_only_the_last_marker_waits() -> None:
    release = _release(hold=Hold.NOTHING)

    assert _said(release.show("Otters sl")) == "Otters sl"
    assert _said(release.show("eep")) == "eep"
    release.mark(MarkerShown(position=12, numbers=(1,)))
    assert _said(release.show(" long")) == "[1](https://example.org/1) long"


def test_the_span_of_a_citation_is_its_marker_in_code_points() -> None:
    release = _release(MarkerStyle.NUMBERS)

    release.show("🦦 döst.")
    release.mark(MarkerShown(position=7, numbers=(1, 2)))
    sent = [*release.show("\nDann nicht."), *release.finish()]

    text = _said(sent)
    cited = [one for each in sent for one in each.citations]
    assert [text[one.start : one.end] for one in cited] == ["[1]", "[2]"]


def test_a_marker_comes_with_the_words_of_its_sentence() -> None:
    release = _release()

    release.show("One. Two")
    release.mark(MarkerShown(position=8, numbers=(1,)))
    sent = [*release.show("\nThree. "), *release.finish()]

    assert [(each.text, len(each.citations)) for each in sent if each.citations] == [
        ("Two[1](https://example.org/1)", 1)
    ]


def _late(*supports: Support, position: int, numbers: tuple[int, ...] = (1,)) -> MarkerShown:
    return MarkerShown(position=position, numbers=numbers, supports=supports)


def _cited(*groups: list[Text]) -> list[SentCitation]:
    return [one for group in groups for text in group for one in text.citations]


def test_what_comes_too_late_is_cited_for_its_words_and_named_at_the_end() -> None:
    release = _release()

    first = release.show("One is so. Two is so. Three")
    release.mark(_late(Support(number=1, start=0, end=10, quote="So it is."), position=10))
    last = release.finish()

    text = _said(first, last)
    assert text == "One is so. Two is so. Three\n\nSources: [1](https://example.org/1)"
    (one,) = _cited(last)
    assert text[one.start : one.end] == "One is so."
    assert (one.key, one.quote) == ((10, 1), "So it is.")


def test_all_places_of_a_page_that_comes_too_late_are_cited() -> None:
    release = _release()

    first = release.show("One is so. Two is so. Three")
    release.mark(_late(Support(number=1, start=11, end=21, quote="b"), position=21))
    release.mark(_late(Support(number=1, start=0, end=10, quote="a"), position=10))
    sent = [*first, *release.finish()]

    text = _said(sent)
    told = [(text[one.start : one.end], one.key, one.quote) for one in _cited(sent)]
    assert told == [("One is so.", (10, 1), "a"), ("Two is so.", (21, 1), "b")]
    assert text.count("[1]") == 1


def test_a_late_place_is_found_behind_markers_and_folded_words() -> None:
    release = _release()

    release.show("One is so.")
    release.mark(MarkerShown(position=10, numbers=(1,)))
    first = release.show(" Forbidden. Two is so. Three is so. Four")
    release.fold(PassageFolded(start=11, end=21, domains=("bad.example",), reason="no"))
    second = release.show(" is so. Five")
    release.mark(_late(Support(number=2, start=22, end=32), position=32, numbers=(2,)))
    release.mark(_late(Support(number=2, start=0, end=10), position=10, numbers=(1, 2)))
    sent = [*first, *second, *release.finish()]

    text = _said(sent)
    told = [(one.number, text[one.start : one.end]) for one in _cited(sent)]
    assert told == [(1, "[1](https://example.org/1)"), (2, "One is so."), (2, "Two is so.")]


def test_a_late_place_without_words_is_the_link_or_the_sentence_before_it() -> None:
    release = _release()

    first = release.show("One is so ([a](https://example.org/1)). Two is so. Three")
    release.mark(_late(position=38))
    release.mark(_late(position=50))
    sent = [*first, *release.finish()]

    text = _said(sent)
    told = [text[one.start : one.end] for one in _cited(sent)]
    assert told == ["([a](https://example.org/1))", "Two is so."]


def test_what_is_late_but_marked_elsewhere_is_cited_and_not_written_again() -> None:
    release = _release()

    first = release.show("One is so. Two is so.")
    release.mark(_late(Support(number=1, start=0, end=9), position=9))
    release.mark(MarkerShown(position=21, numbers=(1,)))
    sent = [*first, *release.finish()]

    text = _said(sent)
    assert text == "One is so. Two is so.[1](https://example.org/1)"
    told = [text[one.start : one.end] for one in _cited(sent)]
    assert told == ["[1](https://example.org/1)", "One is so"]


def test_a_place_is_cited_once_for_each_passage_that_is_named_there() -> None:
    release = _release(hold=Hold.ALL)

    release.show("One.")
    quotes = [Support(number=1, start=0, end=4, quote=each) for each in ("a", "", "b", "a")]
    release.mark(_late(*quotes, position=4))
    sent = release.finish()

    assert _said(sent) == "One.[1](https://example.org/1)"
    assert [(one.quote, one.start, one.end) for one in _cited(sent)] == [("a", 4, 30), ("b", 4, 30)]


@pytest.mark.parametrize("style", MarkerStyle)
def test_a_source_for_no_words_is_cited_once_in_every_style(style: MarkerStyle) -> None:
    release = _release(style)

    release.show("One")
    release.mark(MarkerShown(position=3, numbers=(1,)))
    release.name(1)
    release.name(2)
    sent = release.finish()

    assert [(one.number, one.key) for one in _cited(sent)] == [(1, (3, 1)), (2, None)]


def test_a_list_of_sources_has_all_that_were_marked() -> None:
    release = _release(MarkerStyle.NUMBERS_AND_LIST)

    release.show("One")
    release.mark(MarkerShown(position=3, numbers=(1,)))

    assert _said(release.finish()) == "One[1]\n\nSources:\n[1] Page 1 (https://example.org/1)"


def test_a_url_cannot_end_its_link() -> None:
    def cite(number: int, _: str | None) -> SentCitation:
        url = "https://example.org/a_(b)?q=<x> y"
        return SentCitation(number=number, url=url, title="", start=0, end=0)

    release = TextRelease(MarkerStyle.LINKS, cite, hold=Hold.NOTHING)
    release.show("One")
    release.mark(MarkerShown(position=3, numbers=(1,)))
    sent = release.finish()

    assert sent[-1].text == "[1](https://example.org/a_%28b%29?q=%3Cx%3E%20y)"
    assert sent[-1].citations[0].url == "https://example.org/a_(b)?q=<x> y"


def test_words_that_a_policy_is_against_are_not_sent_while_they_wait() -> None:
    release = _release()

    first = release.show("Fine. Forbidden words.")
    release.fold(PassageFolded(start=6, end=22, domains=("bad.example",), reason="no"))
    text = _said(first, release.show(" Fine again. "), release.finish())

    assert "Forbidden" not in text
    assert text.startswith("Fine. (Folded by policy: this rests on bad.example.) Fine again.")


def test_a_form_gets_no_marker_but_its_sources() -> None:
    release = _release(MarkerStyle.NONE)

    release.show('{"a": "b"}')
    release.mark(MarkerShown(position=8, numbers=(1,), before=" "))
    sent = release.finish()

    assert _said(sent) == '{"a": "b"}'
    assert [one.url for each in sent for one in each.citations] == ["https://example.org/1"]


def test_an_answer_that_comes_at_once_waits_for_all_its_sources() -> None:
    release = _release(hold=Hold.ALL)

    assert release.show("One is so. Two is so. Three") == []
    release.mark(MarkerShown(position=9, numbers=(1,)))

    assert _said(release.finish()) == "One is so[1](https://example.org/1). Two is so. Three"
