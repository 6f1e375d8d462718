"""How much is looked at, and from where on something counts: one less and one more is tried."""

from __future__ import annotations

import pytest

from groundwire.checks import (
    Check,
    Fit,
    PageIndex,
    QuoteMatch,
    RoundedNumber,
    check_claim,
    facts_in_words,
    find_in,
    index_page,
    label_of,
)
from groundwire.checks.cited_text import parse_cited
from groundwire.checks.claim_numbers import claim_numbers
from groundwire.checks.names import claim_names
from groundwire.checks.page import passages_near
from groundwire.checks.plain_text import plain

A = "https://a.example/"
OTTERS = (
    "Sea otters eat crabs and rest in kelp near the coast. They sleep in rafts. "
    "Nobody comes. Nobody goes. Nobody stays. Boats sail by."
)


@pytest.mark.parametrize(
    ("claim", "coverage", "score"),
    [
        ("Sea otters eat crabs", 1.0, 1.0),
        ("Sea otters eat crabs in rafts", 1.0, 1.0),
        ("Sea otters eat boats", 1.0, 0.9),  # three of four in the nearest passage
        ("Sea otters eat snails of Zanzibar", 0.6, 0.48),
        ("Sea otters eat 99 snails", 0.6, 0.42),
        ("Sea otters eat 99 snails of Zanzibar", 0.5, 0.25),
        ("Sea otters eat crabs, snails and boats", 0.8333, 0.7667),
        ("Whales sing", 0.0, 0.0),
    ],
)
def test_a_score_is_what_is_there_less_what_is_missing(
    claim: str, coverage: float, score: float
) -> None:
    check = check_claim(claim, PageIndex(OTTERS))

    assert (round(check.coverage, 4), check.score) == (coverage, score)


@pytest.mark.parametrize(
    ("claim", "passage"),
    [
        ("Crabs rest", "Alpha crabs rest."),
        ("Crabs rest, seals dive", "Alpha crabs rest. Seals dive."),
        ("Crabs rest, seals dive, whales sing", "Alpha crabs rest. Seals dive. Whales sing."),
        # A fourth sentence is not taken, and a word more has to be worth a sentence more.
        ("Crabs, seals, whales, boats", "Alpha crabs rest. Seals dive. Whales sing."),
        ("Crabs and boats", "Alpha crabs rest."),
        ("Boats and gulls", "Boats sail. So it is. Gulls fly."),
        ("Whales and gulls", "Whales sing."),
    ],
)  # fmt: skip
def test_a_passage_is_of_one_to_three_sentences(claim: str, passage: str) -> None:
    page = "Alpha crabs rest. Seals dive. Whales sing. Boats sail. So it is. Gulls fly."

    nearest = check_claim(claim, PageIndex(page)).nearest

    assert nearest is not None
    assert nearest.exact == passage


def test_the_whole_of_a_short_page_is_near_and_a_part_of_a_long_one() -> None:
    filler = "Nobody knows it. " * 200
    said = "Otters eat crabs."
    long = f"{filler}{said} {filler}"
    place = long.index(said)

    whole = PageIndex("x" * 6_000)
    assert passages_near("Otters eat", whole) == whole.text
    cut = PageIndex("x" * 6_001)
    assert passages_near("Otters eat", cut) == "x" * 6_000
    near = passages_near("Otters eat crabs", PageIndex(long))
    assert near == long[place - 1_500 : place + len(said) + 1_500]
    first = PageIndex(f"{said} {filler * 2}")
    assert passages_near("Otters eat crabs", first) == first.text[: len(said) + 1_500]


def test_a_heading_is_shown_up_to_300_characters() -> None:
    page = PageIndex(f"# {'x' * 400}\n\nOtters sleep.")

    assert page.passage(410, 415).heading == "x" * 300
    assert page.passage(0, 2).heading == ""


def test_of_a_claim_ten_quotations_are_looked_for() -> None:
    claim = " ".join(f'"otters eat {number}"' for number in range(12))

    found = check_claim(claim, PageIndex("otters eat 3")).quotations

    assert [each.text for each in found] == [f"otters eat {number}" for number in range(10)]
    assert [each.match.fit for each in found].index(Fit.LETTER) == 3


@pytest.mark.parametrize(
    ("claim", "is_shown"),
    [
        ("otters eat", False),
        ("otters eat crabs", True),
        ("\u6d77\u736d\u7761\u89ba\u6642", False),
        ("\u6d77\u736d\u7761\u89ba\u6642\u6703", True),
    ],
)
def test_three_words_or_six_letters_are_a_quotation(claim: str, is_shown: bool) -> None:
    check = check_claim(claim, PageIndex(f"There {claim} at night."))

    assert (check.quote is not None) == is_shown


@pytest.mark.parametrize(
    ("number", "missing"), [(999, ()), (1000, ("1000",)), (2100, ("2100",)), (2101, ())]
)
def test_of_another_language_years_alone_are_missing(number: int, missing: tuple[str, ...]) -> None:
    page = PageIndex("Der Otter wird nicht von der Jagd bedroht und ist unter Schutz.")

    check = check_claim(f"Der Otter wird nicht seit {number} von der Jagd bedroht", page)

    assert (check.language, check.missing_numbers) == ("de", missing)


@pytest.mark.parametrize(
    ("url", "text", "pages"),
    [
        (f"{A}x.pdf", "One.\n\n---\n\nTwo.", [1, 2]),
        (f"{A}x.PDF?page=2#top", "One.\n\n---\n\nTwo.", [1, 2]),
        (f"{A}x.pdf", "One.\n\nTwo.", [None, None]),
        (f"{A}x", "One.\n\n---\n\nTwo.", [None, None]),
        (f"{A}x?f=y.pdf", "One.\n\n---\n\nTwo.", [None, None]),
    ],
)
def test_the_address_tells_a_pdf_and_its_rules_the_pages(
    url: str, text: str, pages: list[int | None]
) -> None:
    page = index_page(text, url)

    found = [page.passage(place, place + 3) for place in (0, text.index("Two"))]
    assert [each.page_number for each in found] == pages


@pytest.mark.parametrize(
    ("claim", "page", "missing"),
    [
        ("The flat has 15 rooms", "The flat has 15 rooms", ()),
        ("The flat has 15", "The flat has 15,500 rooms", ("15",)),
        ("5 rooms are there", "It is 1.5 rooms are there", ("5",)),
        ("5 rooms are there", "5 rooms are there", ()),
        ("5 rooms are there for all of us", "15 rooms are there for all of us", ("5",)),
        ("The flat has 1.5 rooms", "The flat has 15 rooms", ("1.5",)),
    ],
)
def test_digits_that_go_on_are_another_number(
    claim: str, page: str, missing: tuple[str, ...]
) -> None:
    assert check_claim(claim, PageIndex(page)).missing_numbers == missing


# Quotes

SIX = "alpha beta gamma delta epsilon zeta"


@pytest.mark.parametrize(("filler", "fit"), [(3_000, Fit.LETTER), (3_001, Fit.CLOSE)])
def test_the_parts_of_a_quote_are_no_further_apart(filler: int, fit: Fit) -> None:
    between = "and".center(filler)
    page = PageIndex(f"alpha beta gamma{between}delta epsilon zeta")

    assert find_in(page, "alpha beta gamma ... delta epsilon zeta").fit is fit


@pytest.mark.parametrize(
    ("quote", "fit"),
    [
        (SIX, Fit.LETTER),
        (SIX.upper(), Fit.WORDS),
        ("alpha beta gamma delta epsilon", Fit.NONE),
        ("ALPHA BETA GAMMA DELTA EPSILON", Fit.NONE),
        ("beta gamma delta epsilon zet", Fit.NONE),
        ("beta gamma delta epsilon", Fit.LETTER),
    ],
)
def test_a_quote_of_six_words_may_begin_inside_a_word(quote: str, fit: Fit) -> None:
    # Close ones aside: of five words four may be there.
    found = find_in(PageIndex(f"Then x{SIX}y came"), quote)

    assert (found.fit if found.fit is not Fit.CLOSE else Fit.NONE) is fit


@pytest.mark.parametrize(
    ("quote", "fit"),
    [("lpha beta", Fit.NONE), ("alpha bet", Fit.NONE), ("alpha beta", Fit.LETTER)],
)
def test_at_the_ends_of_a_page_words_are_whole(quote: str, fit: Fit) -> None:
    assert find_in(PageIndex("alpha beta"), quote).fit is fit
    assert find_in(PageIndex("(alpha beta)"), quote).fit is fit


def test_so_many_places_of_a_quote_are_counted_and_looked_at() -> None:
    often = PageIndex("Otters sleep. " * 70)

    assert find_in(often, "OTTERS SLEEP").places == 64
    assert find_in(often, "Otters sleep").places == 70
    fits = [
        find_in(
            PageIndex("Otters, sleep now; " * others + "Otters sleep now"), "Otters\u00ad sleep now"
        )
        for others in (7, 8)
    ]
    assert [(each.fit, each.places) for each in fits] == [(Fit.LETTER, 8), (Fit.WORDS, 9)]


TEN = ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"]


@pytest.mark.parametrize(
    ("page", "start", "end", "differing"),
    [
        # Words that the page has more, in the middle of a long quote.
        ([*TEN[:5], *"abcdefg", *TEN[5:]], "one", "ten", ()),
        # The first three and the last three lie apart; four are never left off.
        ([*TEN[:3], *"abcd", *TEN[3:]], "four", "ten", ("one", "two", "three")),
        ([*TEN[:4], *"abcd", *TEN[4:]], "one", "ten", ()),
        ([*TEN[:7], *"abcd", *TEN[7:]], "one", "seven", ("eight", "nine", "ten")),
        ([*TEN[:6], *"abcd", *TEN[6:]], "one", "ten", ()),
        ([*TEN[:4], "x", *TEN[5:]], "one", "ten", ("five",)),
        ([*TEN[:4], "x", "y", *TEN[6:]], "one", "ten", ("five", "six")),
    ],
)  # fmt: skip
def test_a_close_quote_leaves_off_what_lies_apart(
    page: list[str], start: str, end: str, differing: tuple[str, ...]
) -> None:
    text = " ".join(("so", "it", "is", *page, "and", "so", "on"))

    found = find_in(PageIndex(text), " ".join(TEN))

    assert (found.fit, found.places, found.differing) == (Fit.CLOSE, 1, differing)
    assert text[found.start : found.end].split()[0] == start
    assert text[found.start : found.end].split()[-1] == end


@pytest.mark.parametrize(
    ("page", "quote", "fit"),
    [
        # Three runs of ten words are told, whatever stands between them.
        ("a1 b1 c1 y1 d1 e1 f1 x1 g1 h1", "a1 b1 c1 x1 d1 e1 f1 y1 g1 h1", Fit.CLOSE),
        # Of four, half of the other words may stand around; with more of them it is shuffled.
        ("a1 b1 p1 c1 d1 q1 e1 f1 r1 g1 h1", "a1 b1 x1 c1 d1 y1 e1 f1 g1 h1", Fit.CLOSE),
        ("a1 b1 p1 c1 d1 q1 e1 f1 r1 g1 h1 x1", "a1 b1 x1 c1 d1 y1 e1 f1 g1 h1", Fit.CLOSE),
        ("a1 b1 p1 c1 d1 q1 e1 f1 r1 g1 h1 x1 y1", "a1 b1 x1 c1 d1 y1 e1 f1 g1 h1", Fit.NONE),
    ],
)
def test_short_runs_are_a_quote_unless_they_are_shuffled(page: str, quote: str, fit: Fit) -> None:
    found = find_in(PageIndex(f"so it is {page} and so on"), quote)

    assert found.fit is fit
    assert {*found.differing} == ({"x1", "y1"} if fit is Fit.CLOSE else set())


# Citations of a text

LIST = "\n\nSources:\n" + "".join(f"{number}. {A}{number}\n" for number in range(1, 31))


@pytest.mark.parametrize(
    ("mark", "pages"),
    [
        ("[3]", [3]),
        ("[1-21]", [*range(1, 22)]),
        ("[1-22]", [1]),
        ("[2\u20134]", [2, 3, 4]),
        ("[4-2]", [4]),
        ("[1, 3; 5]", [1, 3, 5]),
        ("[3, 3]", [3]),
    ],
)
def test_a_mark_of_several_numbers_names_their_pages(mark: str, pages: list[int]) -> None:
    found = parse_cited(f"Otters sleep in kelp {mark}.{LIST}").citations

    assert [each.url for each in found] == [f"{A}{number}" for number in pages]
    assert {each.claim.text for each in found} == {"Otters sleep in kelp"}


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        (f"Otters sleep in kelp.[123]({A})", [123]),
        (f"Otters sleep in kelp.[1234]({A})", [1]),
        (f"Otters sleep [12](#n).{LIST}", [12]),
        (f"Otters sleep [123](#n).{LIST}", [123]),
        (f"Otters sleep [1234](#n).{LIST}", []),
        (f"Otters sleep in kelp [source]({A}).", [1]),
        (f"Otters sleep in kelp ([a.example]({A})).", [1]),
    ],
)
def test_three_digits_at_most_are_the_number_of_a_source(text: str, numbers: list[int]) -> None:
    assert [each.number for each in parse_cited(text).citations] == numbers


@pytest.mark.parametrize(
    ("gap", "shown"),
    [
        (" ", "Otters sleep in kelp ."),
        (", ", "Otters sleep in kelp ."),
        (" and ", "Otters sleep in kelp ."),
        ("  ,  ", "Otters sleep in kelp ."),
        (" or ", "Otters sleep in kelp (Reuters or Times)."),
        (" by the ", "Otters sleep in kelp (Reuters by the Times)."),
    ],
)
def test_links_in_parentheses_with_nothing_but_links_are_signs(gap: str, shown: str) -> None:
    text = f"Otters sleep in kelp ([Reuters]({A}1){gap}[Times]({A}2))."

    assert parse_cited(text).text == shown


@pytest.mark.parametrize(
    ("name", "claim"),
    [
        ("a.example", "Otters sleep in kelp"),
        ("www.a.example", "Otters sleep in kelp"),
        ("b.example", "Otters sleep in kelp b.example now."),
    ],
)
def test_a_link_that_names_its_own_site_is_a_sign(name: str, claim: str) -> None:
    found = parse_cited(f"Otters sleep in kelp [{name}]({A}) now.").citations

    assert [each.claim.text for each in found] == [claim]


# Names and numbers of a claim


def test_of_a_claim_thirty_names_and_sixty_numbers_are_read() -> None:
    letters = "abcdefghijklmnopqrstuvwxyzabcdefghijklmnop"
    names = [f"{letter.upper()}{place:02d}x" for place, letter in enumerate(letters)]

    assert len(claim_names(" is ".join(f"near Q{name}" for name in names))) == 30
    assert len(claim_numbers(" and ".join(map(str, range(5, 70))))) == 60
    assert len(claim_numbers(" and ".join(f"10^{number}" for number in range(5, 70)))) == 60


def test_a_letter_before_an_apostrophe_is_no_word_of_a_name() -> None:
    page = PageIndex("The house is o so far away, near it.")

    assert check_claim("It is near the O'Brien house", page).missing_names == ("O'Brien",)


# Words for a check


@pytest.mark.parametrize(
    ("fit", "label", "fact"),
    [
        (
            Fit.LETTER,
            "the passage named as its source is on the page",
            "The passage that was named as its source stands on this page to the letter.",
        ),
        (
            Fit.WORDS,
            "the passage named as its source is on the page",
            "The passage that was named as its source stands on this page in the same words.",
        ),
        (
            Fit.CLOSE,
            "the passage named as its source is on the page",
            (
                "The passage that was named as its source is close to one of this page; this word "
                "differs: x."
            ),
        ),
        (
            Fit.NONE,
            "something is not on the page",
            "The passage that was named as its source is not on this page.",
        ),
    ],
)
def test_a_named_passage_is_spoken_of_as_such(fit: Fit, label: str, fact: str) -> None:
    match = QuoteMatch(fit=fit, differing=("x",), places=1)
    check = Check(quote=match, quote_is_named=True, coverage=0.9)

    assert (label_of(check), facts_in_words(check)) == (label, (fact,))


@pytest.mark.parametrize(
    ("places", "words"),
    [
        (0, ""), (1, ""), (2, ", at two places"), (9, ", at nine places"), (10, ", at 10 places"),
    ],
)  # fmt: skip
def test_small_counts_are_told_in_words(places: int, words: str) -> None:
    check = Check(quote=QuoteMatch(fit=Fit.LETTER, places=places), coverage=0.9)

    assert facts_in_words(check) == (f"Quoted to the letter{words}.",)


@pytest.mark.parametrize(
    ("value", "shown"),
    [(9_999.0, "9999"), (10_000.0, "10,000"), (-12_345.5, "-12,345.5"), (0.25, "0.25")],
)
def test_figures_from_ten_thousand_on_have_commas(value: float, shown: str) -> None:
    rounded = (RoundedNumber(claimed="about", value=value),)

    assert facts_in_words(Check(rounded_numbers=rounded, coverage=0.9)) == (
        f"about: the page has {shown}.",
    )


@pytest.mark.parametrize(
    ("check", "facts"),
    [
        (Check(missing_numbers=("1", "1"), coverage=0.9), ("1 is not on this page.",)),
        (Check(missing_numbers=("1", "2"), coverage=0.9), ("1 and 2 are not on this page.",)),
        (
            Check(missing_names=("A", "B", "C", "A"), coverage=0.9),
            ("A, B and C are not on this page.",),
        ),
        (
            Check(missing_numbers=("1",), is_cut=True, coverage=0.9),
            (
                "1 is not in the part of this page that was compared.",
                "Only the first 400,000 characters of this page were compared.",
            ),
        ),
        (
            Check(numbers_elsewhere=("1", "2"), coverage=0.3),
            ("1 and 2 are on this page, but not in the nearest passage.",),
        ),
        (Check(coverage=0.299), ("Few of these words are on this page.",)),
        (Check(coverage=0.1, language="de"), ()),
    ],
)
def test_what_is_missing_is_listed(check: Check, facts: tuple[str, ...]) -> None:
    assert facts_in_words(check) == facts


def test_a_close_quote_may_have_all_of_its_words() -> None:
    check = Check(quote=QuoteMatch(fit=Fit.CLOSE, places=1), coverage=0.9)

    assert facts_in_words(check) == ("Close to a passage of this page.",)


@pytest.mark.parametrize(("name", "said"), [("a.example", "x"), ("b.example", "b.example x")])
def test_a_link_that_names_its_own_site_says_nothing(name: str, said: str) -> None:
    assert plain(f"[{name}]({A}) x") == said
