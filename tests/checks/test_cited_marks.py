"""Signs that lead to sources: which are read, what they stand for, and where they stand."""

from __future__ import annotations

import pytest

from groundwire.checks import cited_text
from groundwire.checks.cited_answer import cited_answer, is_answer
from groundwire.checks.cited_text import CitedText, parse_cited

A, B, C = (f"https://{letter}.example/" for letter in "abc")
LIST = f"\n\nSources:\n1. {A}\n2. {B}\n"


def _cited(text: str) -> list[tuple[int, str, str]]:
    found = parse_cited(text).citations
    return [(each.number, each.url, each.claim.text) for each in found]


def test_a_text_that_cites_nothing_has_no_mentions_and_is_whole() -> None:
    nothing = CitedText(text="Otters sleep.", citations=(), mentions=0, is_cut=False)

    assert CitedText(text="Otters sleep.") == nothing
    assert parse_cited("Otters sleep.") == nothing
    assert cited_answer({"text": "Otters sleep.", "markers": [], "sources": []}) == nothing


@pytest.mark.parametrize(("marks", "is_cut"), [(0, False), (2, False), (3, False), (4, True)])
def test_a_text_with_more_marks_than_are_read_is_cut(
    monkeypatch: pytest.MonkeyPatch, marks: int, is_cut: bool
) -> None:
    monkeypatch.setattr(cited_text, "MAX_MARKS", 3)

    found = parse_cited(f"Otters sleep in kelp. {A} " * marks)

    assert (len(found.citations), found.is_cut) == (min(marks, 3), is_cut)


@pytest.mark.parametrize(("length", "is_cut"), [(39, False), (40, True), (41, True)])
def test_a_text_as_long_as_is_read_may_go_on_and_is_cut(
    monkeypatch: pytest.MonkeyPatch, length: int, is_cut: bool
) -> None:
    monkeypatch.setattr(cited_text, "MAX_CHARACTERS", 40)

    found = parse_cited("otters " * 9 if length > 60 else "x" * length)

    assert (len(found.text), found.is_cut) == (min(length, 40), is_cut)


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        # Numbers that lost their height are read where no other ones are.
        (f"Otters sleep at sea.1 So [Reuters]({A}) told all of us.{LIST}",
         [(1, A, "Otters sleep at sea."), (1, A, "So Reuters told all of us.")]),
        (f"Otters sleep at sea.1 They say so ({C}).{LIST}",
         [(1, A, "Otters sleep at sea."), (2, C, "They say so")]),
        (f"Otters sleep.[1] They weigh little at sea.2 So it is.{LIST}", [(1, A, "Otters sleep.")]),
        # An image is none, whatever the list has.
        (f"Otters sleep ![photo]({C}x.png) at sea.{LIST}", []),
        # An address may have a title.
        (f'Otters sleep in kelp ([a.example]({A} "The title")).', [(1, A, "Otters sleep in kelp")]),
        # A link may have code for its words.
        (f"They sleep, as [`otter.py`]({A}) shows to all.",
         [(1, A, "They sleep, as otter.py shows to all.")]),
        # Names that are defined at the end.
        (f"Otters sleep in kelp [Reuters][1].\n\n[1]: {A}", [(1, A, "Otters sleep in kelp")]),
        (f"Otters sleep in kelp [source][x].\n\n[x]: {A}", [(1, A, "Otters sleep in kelp")]),
        (f"Otters sleep in [kelp beds][x].\n\n[x]: {A}", [(1, A, "Otters sleep in kelp beds.")]),
        # A page keeps its number, whether it is named by it or not.
        (f"Otters sleep.[1]({A}) They eat crabs ([a.example]({A})).",
         [(1, A, "Otters sleep."), (1, A, "They eat crabs")]),
        (f"Otters sleep ([b.example]({B})). They eat crabs.[1]({A}) So they say ({B}).",
         [(2, B, "Otters sleep"), (1, A, "They eat crabs."), (2, B, "So they say")]),
        # An entry's second page has a number of its own.
        (f"Otters sleep.[1]\n\nSources:\n1. {A} and {B}\n",
         [(1, A, "Otters sleep."), (2, B, "Otters sleep.")]),
        # Who names several numbers at once has not lost the height of others.
        (f"Otters sleep [1, 2]. They weigh little at sea.2 So it is.{LIST}",
         [(1, A, "Otters sleep"), (2, B, "Otters sleep")]),
        # A number that leads to no page is none of another one.
        (f"Otters sleep [1]. They eat crabs ([c.example]({C})).\n\nSources:\n2. {B}\n",
         [(1, "", "Otters sleep"), (2, C, "They eat crabs")]),
        # The same page under two numbers has the one that is written.
        (f"Otters sleep.[1] They eat crabs.[2]\n\nSources:\n1. {A}\n2. {A}\n",
         [(1, A, "Otters sleep."), (2, A, "They eat crabs.")]),
    ],
)  # fmt: skip
def test_a_mark_leads_to_these_pages_and_no_others(
    text: str, cited: list[tuple[int, str, str]]
) -> None:
    assert _cited(text) == cited


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        (f"Otters sleep in kelp [Reuters][1].\n\n[1]: {A}", "Otters sleep in kelp ."),
        (f"Otters sleep in kelp [source][x].\n\n[x]: {A}", "Otters sleep in kelp ."),
        (f"Otters sleep in [kelp beds][x].\n\n[x]: {A}", "Otters sleep in kelp beds."),
        # A parenthesis at the end of a text opens none at its beginning.
        (f"[Reuters]({A})) said that otters sleep (", "Reuters) said that otters sleep ("),
        (f"([Reuters]({A}) said that otters sleep)", "(Reuters said that otters sleep)"),
    ],
)
def test_a_text_is_shown_without_its_signs_and_with_words_of_links(text: str, shown: str) -> None:
    assert parse_cited(text).text.rstrip() == shown


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        # A link whose own words end a sentence stands for that one, not for the next.
        (f"Otters rest in [kelp forests.]({A}) They eat crabs all day.",
         ["Otters rest in kelp forests."]),
        (f"Otters rest in [kelp forests]({A}). They eat crabs all day.",
         ["Otters rest in kelp forests."]),
        (f"Otters rest in [\u201ckelp forests.\u201d]({A}) They eat crabs all day.",
         ["Otters rest in \u201ckelp forests.\u201d"]),
        (f"They are fed by [Otter Inc.]({A}) The zoo does it too.",
         ["They are fed by Otter Inc. The zoo does it too."]),
        (f"They are fed by [Otter Inc.]({A}) in the north.",
         ["They are fed by Otter Inc. in the north."]),
        (f"[They sleep a lot. They eat]({A}) many crabs in kelp all day long.",
         ["They eat many crabs in kelp all day long."]),
        (f"Otters rest in [kelp forests.]({A})\nThey eat [crabs]({B}) all day.",
         ["Otters rest in kelp forests.", "They eat crabs all day."]),
        # Of two links in a sentence the first has what stands before the other.
        (f"[Otters]({A}) sleep, as [Reuters]({B}) said it all.",
         ["Otters sleep, as Reuters said it all."] * 2),
        (f"[Otters]({A}) sleep in kelp [Reuters]({B}) said so then.",
         ["Otters sleep in kelp", "Reuters said so then."]),
        # An address in a sentence, with three words behind it or fewer.
        (f"They dive. See {A} for otter facts.", ["See for otter facts."]),
        (f"They dive. See {A} for more.", ["They dive."]),
    ],
)  # fmt: skip
def test_a_link_stands_for_the_sentence_that_it_is_in(text: str, claims: list[str]) -> None:
    assert [each[2] for each in _cited(text)] == claims


@pytest.mark.parametrize(
    ("text", "lines"),
    [
        (f"\nOtters sleep.[1]{LIST}", [2]),
        (f"<!-- a\nb\nc -->\nOtters sleep.[1]{LIST}", [4]),
        (f"---\ntitle: x\n---\nOtters sleep.[1]{LIST}", [4]),
        (f"Otters sleep.[1]{LIST}\n# More\n\nThey eat crabs.[2]{LIST}", [1, 9]),
    ],
)
def test_what_is_not_read_leaves_every_claim_in_its_line(text: str, lines: list[int]) -> None:
    found = parse_cited(text)

    assert [each.line for each in found.citations] == lines
    assert all(each.claim.text in found.text for each in found.citations)
    assert len(found.text) == len(text) - 3 * len(lines)


# Answers of ours


def test_a_claim_of_an_answer_is_told_by_its_line() -> None:
    markers = [{"start": place, "end": place + 3, "numbers": [1]} for place in (14, 33)]
    answer = {
        "text": "\nOtters sleep.[1]\nThey eat crabs.[1]",
        "markers": markers,
        "sources": [{"number": 1, "url": A}],
    }

    assert is_answer(answer)
    assert [(each.line, each.position) for each in cited_answer(answer).citations] == [
        (2, 14),
        (3, 30),
    ]


def test_of_two_markers_at_one_place_both_stand_for_the_sentence() -> None:
    markers = [{"start": place, "end": place + 3, "numbers": [1]} for place in (13, 16, 34)]
    answer = {
        "text": "Otters sleep [1][1] and they eat  [1]",
        "markers": markers,
        "sources": [{"number": 1, "url": A}],
    }

    assert [each.claim.text for each in cited_answer(answer).citations] == [
        "Otters sleep",
        "Otters sleep",
        "and they eat",
    ]


@pytest.mark.parametrize(
    ("support", "is_ours"),
    [
        ({"number": 1, "start": 0}, True),
        ({"number": 1, "start": 0, "quote": "otters"}, True),
        ({"number": 1, "start": 0, "quote": 5}, False),
        ({"number": 1}, False),
        ({"start": 0}, False),
        ({"number": "1", "start": 0}, False),
        ({"number": 1, "start": None}, False),
    ],
)
def test_what_supports_a_marker_has_a_number_a_place_and_words(
    support: dict[str, object], is_ours: bool
) -> None:
    marker = {"start": 0, "end": 3, "numbers": [1], "supports": [support]}

    assert is_answer({"text": "[1]", "markers": [marker], "sources": []}) is is_ours


@pytest.mark.parametrize(
    ("start", "claim"), [(16, "They eat crabs"), (21, "eat crabs at night"), (20, "They eat crabs")]
)
def test_a_span_begins_behind_the_markers_before_it(start: int, claim: str) -> None:
    text = "Otters sleep.[1]They eat crabs[2]"
    first = {"start": 13, "end": 16, "numbers": [1]}
    second = {"start": 30, "end": 33, "numbers": [2]}
    if "night" in claim:
        text, second = f"{text[:30]} at night[2]", {**second, "start": 39, "end": 42}
    answer = {
        "text": text,
        "markers": [first, {**second, "supports": [{"number": 2, "start": start}]}],
        "sources": [{"number": 1, "url": A}, {"number": 2, "url": B}],
    }

    assert cited_answer(answer).citations[-1].claim.text == claim
