"""What a domain policy removed: no number, no source, its marker struck."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from groundwire.citing import (
    Marked,
    Marker,
    MarkerPlaced,
    MarkerStream,
    Removed,
    Shown,
    Source,
    Support,
    canonical_url,
    place,
    sources_to_html,
    to_html,
    to_json,
    to_markdown,
    to_plain,
    to_terminal,
)
from groundwire.citing.inline import Kind, Region
from groundwire.citing.markdown import scan
from groundwire.model import Citation, Evidence
from tests.citing.examples import (
    known_of_any_evidence,
    lessons,
    mixed_citations,
    pieces_of,
    screen,
    texts,
)

A, B, X = "https://a.example", "https://b.example/page", "https://x.example/page"
seeds = st.integers(min_value=0, max_value=1000)


def removed(url: str = X, start: int | None = None, end: int | None = None) -> Citation:
    return Citation(url=url, start=start, end=end, evidence=Evidence.REMOVED)


def test_a_removed_citation_has_a_struck_marker_and_no_number() -> None:
    text = "One. Two."
    cited = [
        replace(removed(X, 0, 4), title="Page X"),
        removed(f"{X}#part", 0, 4),
        Citation(url=A, start=0, end=4),
        Citation(url=B, start=5, end=9),
    ]

    marked = place(text, cited)

    assert marked.text == "One.[1][removed] Two.[2]"
    assert marked.changes == (
        Marker(start=4, numbers=(1,), struck=(X,), supports=(Support(number=1, start=0, end=4),)),
        Marker(start=21, numbers=(2,), supports=(Support(number=2, start=17, end=21),)),
    )
    assert marked.markers == marked.changes
    assert [source.url for source in marked.sources] == [A, B]
    assert marked.removed == (Removed(url=X, title="Page X", domain="x.example"),)
    assert marked.unmark() == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("So. ([x.example](https://x.example/page))\n", "So. [removed]\n"),
        ("So [x.example](https://x.example/page).", "So [removed]."),
        ("So [4](https://x.example/page).", "So [removed]."),
        ("So [the Ox](https://x.example/page?utm_source=openai).", "So the Ox[removed]."),
        ("[the](https://x.example/page)[Ox](https://x.example/page)", "the[removed]Ox[removed]"),
        ("`[a](https://x.example/page)`", "`[a](https://x.example/page)`"),
        ("So [the Bee](https://b.example/page).", "So [the Bee](https://b.example/page)."),
    ],
)
@pytest.mark.parametrize("has_span", [True, False])
def test_a_link_to_a_removed_page_loses_its_address_with_or_without_a_span(
    text: str, expected: str, *, has_span: bool
) -> None:
    links = [each for each in scan(text) if each.kind is Kind.LINK and "x.example" in each.url]
    spans = [(each.outer_start, each.outer_end) for each in links] if has_span else []

    marked = place(text, [removed(X, *span) for span in spans] or [removed()])

    assert marked.text == expected
    assert marked.unmark() == text
    assert [each.url for each in marked.removed] == [X]


def test_a_models_own_marker_of_a_removed_source_is_struck() -> None:
    known = {"1": Citation(url=A), "3": removed(), "4": removed(B)}

    marked = place("A [3], b [1, 3, 4, 9], c [4].", [], known=known)

    assert marked.text == "A [removed], b [1][removed][9?], c [removed]."
    assert [marker.struck for marker in marked.markers] == [(X,), (X, B), (B,)]
    assert [each.url for each in marked.removed] == [X, B]


def test_removed_sources_are_listed_by_first_place_and_then_those_without_one() -> None:
    cited = [removed(A), removed(B, 4, 7), removed(X, 0, 3), removed(f"{A}/#again")]

    marked = place("One two", cited, known={"3": removed("https://unused.example")})

    assert [each.url for each in marked.removed] == [X, B, A]
    assert marked.sources == ()


def test_a_removed_source_has_the_first_url_and_the_first_title_that_it_was_given() -> None:
    cited = [removed(f"{X}#one"), replace(removed(f"{X}#two"), title="Two"), removed(f"{X}#three")]

    marked = place(f"[The Ox]({X}).", cited)

    assert marked.removed == (Removed(url=f"{X}#one", title="Two", domain="x.example"),)
    assert [marker.struck for marker in marked.markers] == [(f"{X}#one",)]


@pytest.mark.parametrize("order", [1, -1])
def test_a_page_that_comes_once_removed_and_once_allowed_is_removed(order: int) -> None:
    cited = [Citation(url=X, start=0, end=3), removed(f"{X}#part", 4, 7)][::order]

    marked = place("One two", cited)

    assert marked.text == "One[removed] two[removed]"
    assert marked.sources == ()


STRUCK = place(
    "One. Two.",
    [
        Citation(url=A, title="Page A", start=0, end=4),
        replace(removed(X, 0, 4), title="Page X"),
        removed("https://x.example/other", 5, 9),
        Citation(url=B, evidence=Evidence.FOUND),
        removed("https://www.[y]<i>.example"),
    ],
)


def test_markdown_plain_text_and_a_terminal_say_removed_and_list_only_the_domains() -> None:
    lists = (
        "\n\nSources:\n[1] Page A (https://a.example)"
        "\n\nFound, not cited:\n[2] b.example (https://b.example/page)"
        "\n\nRemoved by policy:\n- x.example\n- "
    )

    assert to_plain(STRUCK) == f"One.[1][removed] Two.[removed]{lists}[y]<i>.example"
    assert to_terminal(STRUCK) == to_plain(STRUCK)
    assert to_markdown(STRUCK) == f"One.[1][removed] Two.[removed]{lists}\\[y\\]\\<i>.example"
    assert "x.example/" not in to_terminal(STRUCK, hyperlinks=True)


def test_html_strikes_the_marker_in_words_and_links_nowhere() -> None:
    marked = place("So [1]", [removed('https://x.example/"')], known={"1": removed()})

    assert to_html(marked) == (
        'So <sup class="citation removed"><del role="img" '
        'aria-label="Source removed by policy: x.example">[removed]</del></sup>'
    )
    assert sources_to_html(marked) == (
        '<ul class="removed" aria-label="Removed by policy">'
        '<li><span class="domain">x.example</span></li></ul>'
    )


def test_json_has_what_is_struck_and_what_was_removed() -> None:
    rendered = json.loads(json.dumps(to_json(STRUCK)))

    assert [marker["struck"] for marker in rendered["markers"]] == [
        [X],
        ["https://x.example/other"],
    ]
    assert rendered["removed"] == [
        {"url": X, "title": "Page X", "domain": "x.example"},
        {"url": "https://x.example/other", "title": "x.example", "domain": "x.example"},
        {
            "url": "https://www.[y]<i>.example",
            "title": "https://www.[y]<i>.example",
            "domain": "https://www.[y]<i>.example",
        },
    ]


def test_a_stream_strikes_what_is_removed_while_text_arrives() -> None:
    stream = MarkerStream({"1": Citation(url=A), "3": removed()})

    pieces = [stream.feed(piece) for piece in ("Go [1, 3", "] on [b](", f"{X}) .", " End.")]
    late = stream.cite([removed(X, 0, 2)])

    assert pieces == [
        [Shown(text="Go ")],
        [MarkerPlaced(position=3, numbers=(1,), struck=(X,)), Shown(text=" on ")],
        [Shown(text="b"), MarkerPlaced(position=8, numbers=(), struck=(X,)), Shown(text=" .")],
        [Shown(text=" End.")],
    ]
    assert late == [MarkerPlaced(position=2, numbers=(), struck=(X,))]
    assert stream.finish().marked.text == "Go[removed] [1][removed] on b[removed] . End."


def test_a_link_that_is_held_back_is_struck_by_a_removal_that_follows_it() -> None:
    stream = MarkerStream()

    held = stream.feed(f"So. ([x.example]({X})) ")
    cited = stream.cite([removed()])

    assert held == [Shown(text="So. ")]
    assert cited == [MarkerPlaced(position=4, numbers=(), struck=(X,)), Shown(text=" ")]
    assert stream.finish().marked.text == "So. [removed] "


def test_a_link_on_the_screen_gets_a_struck_marker_behind_it_and_goes_at_the_end() -> None:
    stream = MarkerStream()
    link = f"[the Ox]({X})"
    stream.feed(f"{link} is")
    stream.feed(" big")

    late = stream.cite([removed()])

    assert late == [MarkerPlaced(position=len(link), numbers=(), struck=(X,))]
    assert stream.finish().marked.text == "the Ox[removed] is big"


def test_ids_become_known_while_the_answer_arrives() -> None:
    stream = MarkerStream()
    before = stream.feed("A [1] b. ")
    stream.learn({"1": Citation(url=A, title="A", evidence=Evidence.FOUND)})

    first = stream.feed("C [1] d [2")
    stream.learn({"2": Citation(url=B, title="B", evidence=Evidence.READ)})
    second = stream.feed("] e.")

    assert before == [Shown(text="A [1] b. ")]
    assert first == [
        Shown(text="C "),
        MarkerPlaced(position=11, numbers=(1,)),
        Shown(text=" d "),
    ]
    assert second == [MarkerPlaced(position=14, numbers=(2,)), Shown(text=" e.")]
    assert stream.finish().marked.text == "A [1] b. C [1] d [2] e."


def test_an_id_that_is_learnt_before_its_marker_is_shown_is_known() -> None:
    stream = MarkerStream({})
    held = stream.feed("([b](https://b.example)) [1] c")

    stream.learn({"1": Citation(url=A)})

    assert held == []
    assert stream.feed(".") == [
        Shown(text="([b](https://b.example)) "),
        MarkerPlaced(position=25, numbers=(1,)),
        Shown(text=" c."),
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
        Shown(text="D "),
        MarkerPlaced(position=11, numbers=(), struck=(A,)),
        Shown(text=" e."),
    ]
    assert again == [MarkerPlaced(position=2, numbers=(2,), struck=(A,))]
    assert marked.text == "A [2][removed] b [2] c. D [removed] e."
    assert [(source.number, source.url) for source in marked.sources] == [(2, B)]
    assert marked.removed == (Removed(url=A, title="", domain="a.example"),)


def test_a_page_stays_removed_when_its_id_is_given_to_another() -> None:
    stream = MarkerStream({"1": removed(A)})
    stream.learn({"1": removed(B)})

    stream.feed(f"A [1], [the bay]({A}).")

    assert stream.finish().marked.text == "A [removed], the bay[removed]."


def test_new_sources_are_given_once_when_their_number_is_first_shown() -> None:
    stream = MarkerStream({"1": Citation(url=A, title="A"), "3": removed()})
    read = Citation(url=B, quote="bees", evidence=Evidence.READ)
    taken = [stream.take_new_sources()]

    for text in ("A [1", "] b [1] [3] ", "c [2] "):
        stream.feed(text)
        taken.append(stream.take_new_sources())
        stream.learn({"2": read})
    stream.cite([Citation(url="https://unplaced.example")])
    stream.finish()

    assert [*taken, stream.take_new_sources()] == [
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


@settings(deadline=None)
@given(text=texts, cited=mixed_citations, ids=known_of_any_evidence)
def test_nothing_removed_is_a_source_or_a_link(
    text: str, cited: list[Citation], ids: dict[str, Citation]
) -> None:
    marked = place(text, cited, known=ids)

    forbidden = {
        canonical_url(each.url)
        for each in (*cited, *ids.values())
        if each.evidence is Evidence.REMOVED
    }
    named = [canonical_url(each.url) for each in marked.removed]
    struck = {canonical_url(url) for marker in marked.markers for url in marker.struck}
    numbers = [source.number for source in marked.sources]
    assert marked.unmark() == text
    assert "".join(p if isinstance(p, str) else p.text for p in marked.pieces()) == marked.text
    assert forbidden.isdisjoint(canonical_url(source.url) for source in marked.sources)
    assert numbers == list(range(1, len(numbers) + 1))
    assert len(named) == len(set(named))
    assert struck <= set(named) <= forbidden
    assert {canonical_url(each.url) for each in cited} & forbidden <= set(named)
    links = {canonical_url(link.url) for link in _links_left(text, marked.changes)}
    assert forbidden.isdisjoint(links)


def _links_left(text: str, changes: tuple[Marker, ...]) -> list[Region]:
    """Return the links of a text that no change replaced."""
    replaced: set[int] = set()
    original = at = 0
    for change in changes:
        original += change.start - at
        replaced.update(range(original, original + len(change.replaced)))
        original += len(change.replaced)
        at = change.start + len(change.text)
    return [
        region for region in scan(text) if region.kind is Kind.LINK and region.start not in replaced
    ]


@settings(deadline=None)
@given(text=texts, cited=mixed_citations, ids=known_of_any_evidence, seed=seeds)
def test_a_stream_that_knows_all_that_is_removed_equals_the_whole(
    text: str, cited: list[Citation], ids: dict[str, Citation], seed: int
) -> None:
    stream = MarkerStream()
    stream.learn(ids)
    pieces = stream.cite(cited)

    for piece in pieces_of(text, seed):
        pieces += stream.feed(piece)
    finished = stream.finish()

    assert finished.marked == place(text, cited, known=ids)
    if not any("](" in change.replaced for change in finished.marked.changes):
        assert screen([*pieces, *finished.pieces]) == finished.marked.text


PLAIN = [*"aé. \n", "word ", "`b`", "👨‍👩‍👧", "- "]
plain_texts = st.lists(st.sampled_from(PLAIN), max_size=20).map("".join)


@settings(deadline=None)
@given(first=plain_texts, text=texts, cited=mixed_citations, ids=known_of_any_evidence, seed=seeds)
def test_a_stream_that_learns_ids_before_they_are_used_shows_the_whole(
    first: str, text: str, cited: list[Citation], ids: dict[str, Citation], seed: int
) -> None:
    forbidden = {canonical_url(c.url) for c in cited if c.evidence is Evidence.REMOVED}
    consistent = {
        id_: each
        for id_, each in ids.items()
        if canonical_url(each.url) in forbidden or each.evidence is not Evidence.REMOVED
    }
    stream = MarkerStream({})
    pieces = stream.cite(cited)

    for piece in pieces_of(first, seed):
        pieces += stream.feed(piece)
    stream.learn(consistent)
    for piece in pieces_of(text, seed + 1):
        pieces += stream.feed(piece)
    finished = stream.finish()

    numbered = [source.url for source in stream.take_new_sources()]
    assert finished.marked == place(first + text, cited, known=consistent, numbered=numbered)
    if not any("](" in change.replaced for change in finished.marked.changes):
        assert screen([*pieces, *finished.pieces]) == finished.marked.text


@settings(deadline=None)
@given(
    text=texts,
    cited=mixed_citations,
    learnt=lessons,
    seed=seeds,
)
def test_a_stream_with_late_removals_and_ids_equals_the_whole_with_the_numbers_shown(
    text: str, cited: list[Citation], learnt: list[dict[str, Citation]], seed: int
) -> None:
    stream = MarkerStream()
    pieces = []
    sources: list[Source] = []
    waiting, to_learn = list(cited), list(learnt)

    for piece in pieces_of(text, seed):
        pieces += stream.feed(piece)
        pieces += stream.cite(waiting[:1])
        if to_learn:
            stream.learn(to_learn.pop(0))
        waiting = waiting[1:]
        sources += stream.take_new_sources()
    for lesson in to_learn:
        stream.learn(lesson)
    pieces += stream.cite(waiting)
    finished = stream.finish()

    sources += stream.take_new_sources()
    numbered = [source.url for source in sources]
    told = [piece for piece in [*pieces, *finished.pieces] if isinstance(piece, MarkerPlaced)]
    assert [source.number for source in sources] == list(range(1, len(sources) + 1))
    assert {number for marker in told for number in marker.numbers} == set(
        range(1, len(sources) + 1)
    )
    assert finished.marked == _placed(text, cited, learnt, numbered)


def _placed(
    text: str, cited: list[Citation], learnt: list[dict[str, Citation]], numbered: list[str]
) -> Marked:
    """Place with what was learnt in the end."""
    ranks = [Evidence.REMOVED, Evidence.CITED, Evidence.READ, Evidence.FOUND]
    known: dict[str, Citation] = {}
    for id_, citation in ((id_, c) for lesson in learnt for id_, c in lesson.items()):
        last = known.get(id_, citation)
        if ranks.index(citation.evidence) <= ranks.index(last.evidence):
            known[id_] = citation
    return place(text, cited, known=known if learnt else None, numbered=numbered)
