"""The words for a check: literal facts, in four states, and none that pass a verdict."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.checks import (
    Check,
    CheckState,
    CitationCheck,
    Fit,
    NotCompared,
    Opinion,
    PageIndex,
    Passage,
    Quotation,
    QuoteMatch,
    RoundedNumber,
    Says,
    check_claim,
    facts_in_words,
    from_json,
    hash_of,
    label_of,
    not_read,
    state_of,
    summary_line,
    to_json,
)

FORBIDDEN = re.compile(
    r"(?i)\b(?:supported|supports?|verified|confirmed|true|false|contradict\w*|hallucinat\w*|"
    r"not quoted|evidence|trust\w*|correct|wrong|prove[ns]?|proof)\b|%"
)
LETTER = QuoteMatch(fit=Fit.LETTER, start=3, end=9, places=1)
TWICE = QuoteMatch(fit=Fit.WORDS, start=3, end=9, places=2)
CLOSE = QuoteMatch(fit=Fit.CLOSE, start=3, end=9, places=1, differing=("hands", "feet"))
NOWHERE = QuoteMatch(fit=Fit.NONE)


def _quotation(match: QuoteMatch) -> tuple[Quotation, ...]:
    return (Quotation(text="hold each other", match=match),)


# Each kind of check, its state, its label and its facts.
CHECKS: list[tuple[Check, CheckState, str, tuple[str, ...]]] = [
    (
        Check(quote=LETTER, coverage=1.0),
        CheckState.FOUND,
        "quoted to the letter",
        ("Quoted to the letter.",),
    ),
    (
        Check(quote=TWICE, coverage=1.0),
        CheckState.FOUND,
        "the same words are on the page",
        ("The same words stand on this page, at two places.",),
    ),
    (
        Check(quote=CLOSE, coverage=0.8),
        CheckState.FOUND,
        "close to a passage of the page",
        ("Close to a passage of this page; these words differ: hands, feet.",),
    ),
    (
        Check(quote=NOWHERE, coverage=0.8),
        CheckState.ABSENT,
        "something is not on the page",
        ("The passage that was named as its source is not on this page.",),
    ),
    (
        Check(quotations=_quotation(LETTER), coverage=0.8),
        CheckState.FOUND,
        "quoted to the letter",
        ("\u201chold each other\u201d is quoted to the letter.",),
    ),
    (
        Check(quotations=_quotation(TWICE), coverage=0.8),
        CheckState.FOUND,
        "the same words are on the page",
        ("\u201chold each other\u201d: the same words stand on this page, at two places.",),
    ),
    (
        Check(quote=CLOSE, quotations=_quotation(CLOSE), coverage=0.8),
        CheckState.ABSENT,
        "something is not on the page",
        (
            (
                "\u201chold each other\u201d is close to a passage of this page; "
                "these words differ: hands, feet."
            ),
        ),
    ),
    (
        Check(quotations=_quotation(NOWHERE), coverage=0.8),
        CheckState.ABSENT,
        "something is not on the page",
        ("\u201chold each other\u201d is not on this page.",),
    ),
    (Check(coverage=0.8), CheckState.PLAIN, "compared, nothing of note", ()),
    (
        Check(missing_numbers=("450", "2019", "450"), coverage=0.8),
        CheckState.ABSENT,
        "something is not on the page",
        ("450 and 2019 are not on this page.",),
    ),
    (
        Check(missing_numbers=("450",), coverage=0.8, is_cut=True),
        CheckState.ABSENT,
        "something is not on the page",
        (
            "450 is not in the part of this page that was compared.",
            "Only the first 400,000 characters of this page were compared.",
        ),
    ),
    (
        Check(rounded_numbers=(RoundedNumber(claimed="450", value=449.6),), coverage=0.8),
        CheckState.PLAIN,
        "compared, nothing of note",
        ("450: the page has 449.6.",),
    ),
    (
        Check(rounded_numbers=(RoundedNumber(claimed="1.2 million", value=1234567),), coverage=1),
        CheckState.PLAIN,
        "compared, nothing of note",
        ("1.2 million: the page has 1,234,567.",),
    ),
    (
        Check(numbers_elsewhere=("450",), coverage=0.8),
        CheckState.PLAIN,
        "compared, nothing of note",
        ("450 is on this page, but not in the nearest passage.",),
    ),
    (
        Check(missing_names=("Monterey",), coverage=0.8),
        CheckState.ABSENT,
        "something is not on the page",
        ("Monterey is not on this page.",),
    ),
    (
        Check(coverage=0.29),
        CheckState.ABSENT,
        "something is not on the page",
        ("Few of these words are on this page.",),
    ),
]
REASONS = [Check(not_compared=reason) for reason in NotCompared]


def test_why_a_page_was_not_read_is_told() -> None:
    check = not_read("a.example answered with HTTP  status 404")

    assert facts_in_words(check) == (
        "Not compared: the page could not be read (a.example answered with HTTP status 404).",
    )


@pytest.mark.parametrize(("check", "state", "label", "facts"), CHECKS)
def test_a_check_is_told_in_literal_facts(
    check: Check, state: CheckState, label: str, facts: tuple[str, ...]
) -> None:
    assert (state_of(check), label_of(check), facts_in_words(check)) == (state, label, facts)


@pytest.mark.parametrize("check", REASONS)
def test_what_was_not_compared_says_why_and_nothing_else(check: Check) -> None:
    facts = facts_in_words(check)

    assert state_of(check) is CheckState.NOT_COMPARED
    assert len(facts) == 1
    assert facts[0].startswith("Not compared: ")
    assert label_of(check) == facts[0][0].lower() + facts[0][1:-1]


@pytest.mark.parametrize("check", [*REASONS, *(row[0] for row in CHECKS)])
def test_no_word_for_a_check_passes_a_verdict(check: Check) -> None:
    citation = CitationCheck(number=1, position=0, claim="", url="u", check=check)

    said = [label_of(check), *facts_in_words(check), summary_line([citation])]

    assert [text for text in said if FORBIDDEN.search(text)] == []


def _citation(check: Check, url: str = "https://a.example/") -> CitationCheck:
    return CitationCheck(number=1, position=0, claim="Otters.", url=url, check=check)


def test_a_line_sums_up_what_stands_and_what_does_not() -> None:
    unreadable = Check(not_compared=NotCompared.UNREADABLE)
    checks = [
        *[_citation(Check(coverage=0.9))] * 5,
        *[_citation(Check(quote=LETTER, coverage=1.0))] * 2,
        _citation(Check(missing_numbers=("450",), coverage=0.9)),
        _citation(unreadable),
        _citation(unreadable),
    ]

    line = summary_line(checks[:9])

    assert line == (
        "7 of 9 citations stand on their pages; 1 number is not there; 1 page could not be read"
    )
    # One page that two markers cite is one page.
    assert summary_line(checks).endswith("; 1 page could not be read")


@pytest.mark.parametrize(
    ("checks", "line"),
    [
        ([], ""),
        ([Check(coverage=0.9)], "1 of 1 citation stands on its page"),
        (
            [Check(coverage=0.9, quotations=_quotation(CLOSE)), Check(coverage=0.1)],
            (
                "0 of 2 citations stand on their pages; 1 quotation differs; 1 claim has few words "
                "there"
            ),
        ),
        (
            [
                Check(coverage=0.9, quotations=(*_quotation(NOWHERE), *_quotation(NOWHERE))),
                Check(coverage=0.9, missing_names=("A", "B"), quote=NOWHERE),
                Check(not_compared=NotCompared.BLOCKED),
            ],
            (
                "0 of 3 citations stand on their pages; 2 quotations are not there; 1 named "
                "passage is not there; 2 names are not there; 1 page shows a block notice"
            ),
        ),
    ],
)
def test_the_line_counts_each_kind(checks: list[Check], line: str) -> None:
    assert summary_line([_citation(check) for check in checks]) == line


OPINION = Opinion(model="m", says=Says.PARTLY, words="they sleep", cost_usd=0.001)
PASSAGE = Passage(start=1, end=5, exact="abcd", prefix="x", suffix="y", heading="H", page_number=2)


@pytest.mark.parametrize("check", [*REASONS, *(row[0] for row in CHECKS)])
def test_a_citations_check_goes_through_json_and_back(check: Check) -> None:
    citation = CitationCheck(
        number=2,
        position=17,
        claim="Otters sleep.",
        url="https://a.example/",
        check=check,
        checked_at=datetime(2026, 11, 17, 8, 0, tzinfo=UTC),
        page_hash=hash_of("page"),
        opinion=OPINION,
    )

    assert from_json(json.loads(json.dumps(to_json(citation)))) == citation


def test_json_carries_state_words_and_places() -> None:
    check = Check(missing_numbers=("450",), coverage=0.51236, score=0.4, nearest=PASSAGE)

    data = to_json(_citation(check))

    assert data == {
        "number": 1,
        "position": 0,
        "claim": "Otters.",
        "url": "https://a.example/",
        "state": "absent",
        "label": "something is not on the page",
        "facts": ["450 is not on this page."],
        "quote": None,
        "quotations": [],
        "missing_numbers": ["450"],
        "rounded_numbers": [],
        "numbers_elsewhere": [],
        "missing_names": [],
        "coverage": 0.5124,
        "score": 0.4,
        "nearest": {
            "start": 1,
            "end": 5,
            "exact": "abcd",
            "prefix": "x",
            "suffix": "y",
            "heading": "H",
            "page_number": 2,
            "label": "Nearest passage",
        },
        "quote_is_named": False,
        "is_cut": False,
        "language": "",
        "not_compared": None,
        "detail": "",
        "checked_at": None,
        "page_hash": "",
        "title": "",
        "authors": [],
        "published": "",
        "modified": "",
        "site_name": "",
        "licence": "",
        "opinion": None,
        "no_opinion": "",
        "opinion_pending": False,
    }


def test_a_passage_comes_back_from_its_json_without_its_label() -> None:
    citation = _citation(Check(coverage=0.5, nearest=PASSAGE))

    assert from_json(json.loads(json.dumps(to_json(citation)))) == citation


@pytest.mark.parametrize("length", [159, 160, 161, 400])
def test_a_quotation_is_shown_up_to_160_characters(length: int) -> None:
    text = ("otter" * 100)[:length]
    shown = text if length <= 160 else f"{text[:159]}\u2026"

    (fact,) = facts_in_words(Check(quotations=(Quotation(text=text, match=NOWHERE),), coverage=1))

    assert fact == f"\u201c{shown}\u201d is not on this page."


PAGE = PageIndex(
    "Jonathan Smith studies otters. Sea otters hold each other's paws while they sleep. "
    "The World Health Organization has 450 rooms in it, and a raft of otters is named there."
)


@pytest.mark.parametrize(
    ("claim", "context", "missing"),
    [
        ("Monterey has otters", "They live near Monterey.", ("Monterey",)),
        ("Monterey has otters", "", ()),
        ("The WHO studies otters", "The World Health Organization has rooms.", ()),
        ("There Baxter studies otters", "Jonathan Baxter studies rafts.", ()),
        ("There Baxter studies otters", "", ("Baxter",)),
        ("She studies otters", "Maria Keller was there.", ()),
    ],
)
def test_the_sentence_before_tells_names_and_is_not_compared(
    claim: str, context: str, missing: tuple[str, ...]
) -> None:
    assert check_claim(claim, PAGE, context=context).missing_names == missing


def test_each_quotation_of_a_claim_is_looked_for() -> None:
    claim = "Otters \u201chold each other's paws\u201d and \"hold each other's wet hands\", he said"

    check = check_claim(claim, PAGE)

    assert [(each.text, each.match.fit) for each in check.quotations] == [
        ("hold each other's paws", Fit.LETTER),
        ("hold each other's wet hands", Fit.NONE),
    ]


@pytest.mark.parametrize(
    "claim",
    [
        'They were called "Rafts", from an old word of the sea, and "Kelps" later on',
        'The raft is 5" wide, as all of them are, and the other 6" wide',
        'The "raft" that he named in a book as "one of the largest',
        'He named "raft", and had it "Kelp"',
    ],
)
def test_what_stands_between_two_quotations_is_none(claim: str) -> None:
    assert check_claim(claim, PAGE).quotations == ()


def test_a_page_of_the_web_with_hardly_a_word_is_not_compared() -> None:
    page = PageIndex("Otters sleep. Menu, home.", min_words=20)

    assert check_claim("Otters have 450 rooms", page).not_compared is NotCompared.TOO_SHORT
    assert check_claim("Otters sleep", page).not_compared is None


def test_a_named_passage_that_is_there_says_nothing_of_other_words() -> None:
    page = PageIndex("Sea otters hold each other while they rest on the open water at night. " * 3)

    nonsense = check_claim(
        "This is a story that will make you laugh.",
        page,
        quote="Sea otters hold each other while they rest",
    )
    own = check_claim(
        "Sea otters hold each other while they rest on the open water at night.",
        page,
        quote="hold each other while they rest",
    )

    assert state_of(nonsense) is CheckState.ABSENT
    assert facts_in_words(nonsense) == (
        (
            "The passage that was named as its source stands on this page to the letter, "
            "at three places."
        ),
        "Few of these words are on this page.",
    )
    assert not own.quote_is_named
    assert state_of(own) is CheckState.FOUND


BRIDGE = """Notes of 12 May. The old bridge had cost all of us 15.3 million euros: [a
note](https://github.com/BerriAI/litellm/issues/20002) is open. Otters sleep in kelp near the
shore."""


@pytest.mark.parametrize(
    ("claim", "quote", "facts"),
    [
        ("com/BerriAI/litellm/issues/20002) is open.", "", ("Quoted to the letter.",)),
        (
            "The old bridge had cost all of us 15.",
            "",
            ("15: the page has 15.3.",),
        ),
        (
            "The old bridge had cost all of us 153 million euros",
            "",
            ("153 million is not on this page.",),
        ),
        (
            "Otters sleep in kelp, says Harold Finch",
            "Otters sleep in kelp",
            (
                "Harold Finch is not on this page.",
                "The passage that was named as its source stands on this page to the letter.",
            ),
        ),
        (
            "Otters sleep in kelp",
            "Otters sleep in kelp near the shore",
            ("Quoted to the letter.",),
        ),
    ],
)
def test_of_one_claim_it_is_never_said_that_it_stands_there_and_that_it_does_not(
    claim: str, quote: str, facts: tuple[str, ...]
) -> None:
    assert facts_in_words(check_claim(claim, PageIndex(BRIDGE), quote=quote)) == facts


SENTENCE = st.lists(
    st.sampled_from(
        ["15.3", "BerriAI", "MPL-2.0,", "of", "the 4th", "US", "1,440", "(1987)", "X's"]
    ),
    min_size=4,
    max_size=9,
).map(" ".join)


@given(st.lists(SENTENCE, min_size=1, max_size=3), st.data())
def test_what_is_cut_out_of_a_page_is_quoted_or_lacks_something_never_both(
    sentences: list[str], data: st.DataObject
) -> None:
    text = ". ".join(sentences)
    start = data.draw(st.integers(0, len(text) - 1))
    check = check_claim(text[start : data.draw(st.integers(start + 1, len(text)))], PageIndex(text))

    stands = check.quote is not None and check.quote.fit in (Fit.LETTER, Fit.WORDS)
    assert not (stands and (check.missing_numbers or check.missing_names or check.rounded_numbers))
