"""Where the rules of a comparison begin and end: just enough words, letters and gaps."""

from __future__ import annotations

from itertools import pairwise

import pytest

from groundwire.checks import (
    Fit,
    NotCompared,
    PageIndex,
    check_claim,
    find_in,
)
from groundwire.checks.cited_answer import cited_answer, cited_answers, is_answer
from groundwire.checks.cited_html import html_to_markdown
from groundwire.checks.cited_text import parse_cited
from groundwire.checks.claims import claim_at
from groundwire.checks.language import language_of, script_of
from groundwire.checks.notices import is_block_notice
from groundwire.checks.passages import claim_weights
from groundwire.checks.source_lists import source_lists
from groundwire.checks.words import words_of
from groundwire.model import Json

A, B = "https://a.example/", "https://b.example/"


@pytest.mark.parametrize(
    ("claim", "other"),
    [
        ("Smyth", "Smith"), ("Jhonson", "Johnson"), ("Brwon", "Brown"), ("Bron\u00ebs", "Brons"),
        ("Mller", "Miller"), ("Miiller", "Miller"), ("Brown", "Browns"), ("Browns", "Brown"),
        ("Bro", "BRO"), ("Bronx", "Bron"), ("Iran", "Iranians"), ("HS2", "HS-2"), ("G20", "G"),
    ],
)  # fmt: skip
def test_a_name_with_one_letter_off_is_the_same_name(claim: str, other: str) -> None:
    page = PageIndex(f"The house of {other} stands near it.")

    assert check_claim(f"It is near the house of {claim}", page).missing_names == ()


@pytest.mark.parametrize(
    ("claim", "other"),
    [
        ("Smyyth", "Smith"), ("Johsnno", "Johnson"), ("Bworn", "Brown"), ("Mllr", "Miller"),
        ("Bro", "Brown"), ("Ira", "Iran"), ("Xrown", "Brown"), ("Brwno", "Brown"),
    ],
)  # fmt: skip
def test_a_name_with_more_than_one_letter_off_is_another(claim: str, other: str) -> None:
    page = PageIndex(f"The house of {other} stands near it.")

    assert check_claim(f"It is near the house of {claim}", page).missing_names == (claim,)


def test_what_a_claim_lacks_lowers_its_score_and_leaves_some_of_it() -> None:
    page = PageIndex("Sea otters eat crabs and rest in kelp near the coast for 12 hours.")
    lacking = ["", " of Zanzibar", " of 99 days", " of Zanzibar in 99 days"]

    scores = [check_claim(f"Sea otters eat crabs in kelp{each}", page).score for each in lacking]

    assert all(one > other > 0 for one, other in pairwise(scores))


def test_words_of_two_letters_and_single_digits_tell_and_single_letters_do_not() -> None:
    weights = claim_weights(words_of("The EU has x otters, 7 of an UN"))

    assert {"eu", "7", "un"} <= weights.keys()
    assert "x" not in weights


WORDS = "alpha beta gamma delta epsilon zeta eta theta iota kappa"


@pytest.mark.parametrize(
    ("between", "first", "differing"),
    [(3, "alpha", ()), (4, "gamma", ("alpha", "beta"))],
)
def test_a_run_at_the_end_of_a_quote_may_be_three_words_away(
    between: int, first: str, differing: tuple[str, ...]
) -> None:
    page = WORDS.replace("beta ", f"beta {'word ' * between}")
    there = find_in(PageIndex(page), WORDS)
    tail = " ".join(reversed(WORDS.split()))
    behind = find_in(PageIndex(" ".join(reversed(page.split()))), tail)

    assert (there.fit, there.differing) == (Fit.CLOSE, differing)
    assert page[there.start :].startswith(first)
    assert (behind.fit, {*behind.differing}) == (Fit.CLOSE, {*differing})


@pytest.mark.parametrize(
    ("quote", "fit"),
    [
        ("alpha beta gamma delta epsilon zeta eta x y z", Fit.CLOSE),
        ("alpha beta gamma delta epsilon zeta w x y z", Fit.NONE),
        ("alpha beta gamma x", Fit.CLOSE),
        ("alpha beta x", Fit.NONE),
    ],
)
def test_seven_of_ten_words_in_order_are_close(quote: str, fit: Fit) -> None:
    assert find_in(PageIndex(f"Here: {WORDS}."), quote).fit is fit


@pytest.mark.parametrize(
    ("between", "fit"), [(("one", "two", "three"), Fit.CLOSE), (("elk", "cat", "ox"), Fit.NONE)]
)
def test_words_between_short_runs_are_others_than_those_around(
    between: tuple[str, ...], fit: Fit
) -> None:
    said = "alpha beta {} gamma delta {} epsilon zeta {} eta"

    match = find_in(PageIndex(said.format(*between)), said.format("ox", "elk", "cat"))

    assert (match.fit, match.differing) == (fit, () if fit is Fit.NONE else ("ox", "elk", "cat"))


@pytest.mark.parametrize(
    ("quote", "fit"),
    [("ters sleep", Fit.NONE), ("otters slee", Fit.NONE), ("otters sleep", Fit.LETTER)],
)
def test_a_short_quote_begins_and_ends_where_words_do(quote: str, fit: Fit) -> None:
    assert find_in(PageIndex("The otters sleep."), quote).fit is fit


@pytest.mark.parametrize(
    ("text", "position", "context"),
    [
        ("- Otters sleep.\n\nMore words here.\nEnd.", 15, ""),
        ("Otters sleep.\n\nMore words here.\nEnd.", 13, ""),
        ("They eat.\n\n- Otters sleep.\n- They dive.", 39, "They eat."),
        ("| Name | Food |\n|---|---|\n| Otter | Crab |\n| Seal | Fish |", 58, "Name Food"),
        ("One. Two is here. Otters sleep.", 31, "Two is here."),
        ("# One\n\nOne. Two.\n\nOtters sleep.", 34, "Two."),
    ],
)
def test_the_context_of_a_claim_stands_above_it(text: str, position: int, context: str) -> None:
    assert claim_at(text, position).context == context


@pytest.mark.parametrize(
    ("start", "claim"),
    [(0, "Otters hold hands"), (7, "Otters hold hands"), (23, "They eat crabs")],
)
def test_a_span_of_three_words_is_a_claim_of_its_own(start: int, claim: str) -> None:
    text = "Otters hold hands now. They eat crabs"
    end = 17 if start < 20 else len(text)

    assert claim_at(text, end, start=start).text == claim


@pytest.mark.parametrize(
    ("fences", "claim"),
    [
        ("```\nx\n```", "Otters sleep."), ("~~~\nx\n~~~", "Otters sleep."),
        ("````\n```\nx\n````", "Otters sleep."), ("```\n~~~\nx\n```", "Otters sleep."),
        ("```\nx\n`````", "Otters sleep."), ("````\nx\n```", ""), ("```\nx\n~~~", ""),
    ],
)  # fmt: skip
def test_a_block_of_code_ends_with_the_sign_that_began_it(fences: str, claim: str) -> None:
    text = f"{fences}\n\nOtters sleep."

    assert claim_at(text, len(text)).text == claim


@pytest.mark.parametrize(
    ("text", "script"),
    [
        ("", ""), ("12 + 3", ""), ("otters", "latin"),
        ("\u0432\u044b\u0434\u0440\u0430", "cyrillic"),
        ("\u0432\u044b otte", "latin"), ("\u0432\u044b\u0434 otte", "latin"),
        ("\u0432\u044b ot", ""),
        ("\u0432\u044b\u0434 ot", "cyrillic"), ("1234567 \u0432\u044b", "cyrillic"),
        ("\u6d77\u736d", "han"), ("\u03b2\u03b9\u03b4", "greek"),
    ],
)  # fmt: skip
def test_the_script_of_a_text_is_that_of_most_letters(text: str, script: str) -> None:
    assert script_of(text) == script


@pytest.mark.parametrize(
    ("words", "language"),
    [
        ("the otter", ""), ("the otter and kelp", "en"), ("der Otter und", ""),
        ("der Otter und nicht", "de"), ("der Otter und nicht the", "de"),
        ("der Otter und nicht the and", ""), ("der und nicht" + " Otter" * 22, "de"),
        ("der und nicht" + " Otter" * 23, ""), ("the and" + " otter" * 90, "en"),
        ("le loutre et dans les", "fr"),
    ],
)  # fmt: skip
def test_a_language_is_told_by_enough_of_its_frequent_words(words: str, language: str) -> None:
    assert language_of(words_of(words).folded, "latin") == language


@pytest.mark.parametrize(
    ("text", "words", "is_notice"),
    [
        ("Just a moment\n", 80, True), ("Just a moment\n", 81, False),
        ("Please enable JavaScript", 250, True), ("Please enable JavaScript", 251, False),
    ],
)  # fmt: skip
def test_a_page_with_more_words_than_a_notice_is_none(
    text: str, words: int, *, is_notice: bool
) -> None:
    assert is_block_notice(text, words) is is_notice


@pytest.mark.parametrize(("words", "reason"), [(19, NotCompared.TOO_SHORT), (20, None)])
def test_a_page_of_twenty_words_is_compared(words: int, reason: NotCompared | None) -> None:
    page = PageIndex("otter " * words, min_words=20)

    assert check_claim("Seals dive deep", page).not_compared is reason


MARKER = {"start": 0, "end": 3, "numbers": [1]}
SHOWN = {"position": 3, "label": "[1]", "numbers": [1]}
SOURCE = {"number": 1, "url": A}


@pytest.mark.parametrize(
    ("value", "is_ours"),
    [
        ({"text": "", "markers": [], "sources": []}, True),
        ({"text": "[1][1]", "markers": [SHOWN, MARKER], "sources": [SOURCE]}, True),
        ({"text": "[1][1", "markers": [MARKER, SHOWN], "sources": [SOURCE]}, False),
        ({"text": "[1][1]", "markers": [MARKER, MARKER], "sources": [SOURCE]}, False),
        ({"text": "[1]", "markers": [{**MARKER, "start": -1}], "sources": []}, False),
        ({"text": "[1]", "markers": [{**MARKER, "numbers": 1}], "sources": []}, False),
        ({"text": "[1]", "markers": [{**MARKER, "numbers": [{}]}], "sources": []}, False),
        ({"text": "[1]", "markers": [{**MARKER, "unknown": [None]}], "sources": []}, False),
        ({"text": "[1]", "markers": [{**MARKER, "supports": [{}]}], "sources": []}, False),
        ([], False),
        ({"text": 1, "markers": [], "sources": []}, False),
        ({"text": "", "markers": {}, "sources": []}, False),
        ({"text": "", "markers": []}, False),
        ({"text": "", "markers": [MARKER, "x"], "sources": []}, False),
        ({"text": "", "markers": [MARKER, {}], "sources": []}, False),
        ({"text": "", "markers": [{"start": 0}], "sources": []}, False),
        ({"text": "", "markers": [{"position": 0}], "sources": []}, False),
        ({"text": "", "markers": [], "sources": [{"number": 1}]}, False),
        ({"text": "", "markers": [], "sources": [SOURCE, {"number": "1", "url": A}]}, False),
    ],
)
def test_an_answer_of_ours_is_known_by_its_parts(value: Json, *, is_ours: bool) -> None:
    assert is_answer(value) is is_ours


def test_claims_of_an_answer_have_their_lines_and_unknown_numbers() -> None:
    answer = {
        "text": "Otters sleep.[1]\n\nThey eat crabs.[x?][7?]",
        "markers": [
            {"position": 13, "label": "[1]", "numbers": [1]},
            {"start": 33, "end": 37, "numbers": [], "unknown": ["x"]},
            {"start": 37, "end": 41, "numbers": [], "unknown": ["7"]},
        ],
        "sources": [SOURCE],
    }

    one, both = cited_answer(answer), cited_answers([answer, answer])

    assert one.text == "Otters sleep.\n\nThey eat crabs."
    assert [(each.number, each.line, each.url, each.claim.text) for each in one.citations] == [
        (1, 1, A, "Otters sleep."), (0, 3, "", "They eat crabs."), (7, 3, "", "They eat crabs."),
    ]  # fmt: skip
    assert [each.line for each in both.citations] == [1, 3, 3, 5, 7, 7]
    assert [both.text[each.claim.start : each.claim.end] for each in both.citations] == [
        *(each.claim.text for each in one.citations),
    ] * 2


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        ("<p>One<br>two</p>", "One\ntwo"), ("<p>One<hr>two</p>", "Onetwo"),
        ("<h1>A</h1><h6>B</h6><p>C", "# A\n\n###### B\n\nC"),
        ("<p>A</p><script>x<b>y</b></script><p>B</p>", "A\n\nB"),
        ("<table><tr><td>A</td><td>B</td></tr></table>", "|  A | B |"),
        ("<ol start=5><li>A<li value=9>B<li>C</ol>", "5. A\n9. B\n10. C"),
        (f"<p>See <a href={A}>it</a>, <a href='mailto:x'>us</a>", f"See [it]({A}), us"),
        (f"<p>See <a href='{A}(x)'>it</a> &amp; <a href='#top'>up</a>", "See it & up"),
        ("<ul><li>A<ul><li>B</ul><li>C</ul><p>D", "- A\n\n- B\n\n- C\n\nD"),
    ],
)  # fmt: skip
def test_html_is_read_as_its_reader_sees_it(html: str, markdown: str) -> None:
    assert html_to_markdown(html) == f"{markdown}\n"


@pytest.mark.parametrize(
    ("line", "entries"),
    [
        (f"[1] Otters, {A}", {1: (A,)}), (f"[2] [Otters]({A})", {2: (A,)}),
        (f"[3] <{A}>", {3: (A,)}), (f"[4] {A} says that otters sleep.", None),
        ("[5] Otters sleep (all day)", None), ("[6]", None), (f"[7]: {A}", {7: (A,)}),
    ],
)  # fmt: skip
def test_an_entry_without_a_title_above_ends_with_its_address(
    line: str, entries: dict[int, tuple[str, ...]] | None
) -> None:
    found = [each.entries for each in source_lists(line).numbered]

    assert found == ([] if entries is None else [entries])


def _cited(text: str) -> list[tuple[int, int, str, str]]:
    found = parse_cited(text).citations
    return [(each.number, each.line, each.url, each.claim.text) for each in found]


LIST = f"\n\nSources:\n1. {A}\n2. {B}\n"


@pytest.mark.parametrize(
    ("text", "cited"),
    [
        (f"Otters sleep [1, 2].{LIST}", [(1, 1, A), (2, 1, B)]),
        (f"Otters sleep [1-2].{LIST}", [(1, 1, A), (2, 1, B)]),
        (f"Otters sleep [2-1].{LIST}", [(2, 1, B)]),
        (f"Otters sleep.2{LIST}", [(2, 1, B)]),
        (f"Otters sleep [9].{LIST}", [(9, 1, "")]),
        (f"Hm.\n\nOtters sleep [2](#note).{LIST}", [(2, 3, B)]),
        (f"`a[1]` Otters sleep.[2]{LIST}", [(2, 1, B)]),
        (f"Otters `a[1]`[2] sleep.{LIST}", [(2, 1, B)]),
        (f"Otters often sleep\u00b2 there.{LIST}", [(2, 1, B)]),
        (f"Otters sleep.[12]({A})", [(12, 1, A)]),
        (f"Otters sleep.[a.example]({A}) They eat.[1]({B})", [(2, 1, A), (1, 1, B)]),
        (f"Otters sleep in kelp [x][x].\n\n[x]: {A}\n", [(1, 1, A)]),
        (f"<!-- Seals dive.[1] --> Otters sleep.[2]{LIST}", [(2, 1, B)]),
    ],
)
def test_a_mark_leads_to_its_sources_by_their_numbers(
    text: str, cited: list[tuple[int, int, str]]
) -> None:
    assert [each[:3] for each in _cited(text)] == cited


@pytest.mark.parametrize(
    ("text", "claims"),
    [
        (f"Otters [sleep]({A}) in the kelp.", ["Otters sleep in the kelp."]),
        (f"Otters [sleep]({A}) there.", []),
        (f"Otters [sleep]({A}) there now.", ["Otters sleep there now."]),
        (f"See {A} for otters that sleep.", ["See for otters that sleep."]),
        (f"Otters sleep. Source: {A}", ["Otters sleep."]),
        (
            f"Otters that [sleep]({A}) in kelp and seals that [dive]({B}) so very deep.",
            ["Otters that sleep in kelp and seals that", "dive so very deep."],
        ),
    ],
)
def test_a_link_is_a_citation_if_its_sentence_says_more(text: str, claims: list[str]) -> None:
    assert [each[3] for each in _cited(text)] == claims
