"""Pages as they come: in other languages, as notices, as PDF, very long ones."""

from __future__ import annotations

import pytest

import groundwire
from groundwire.checks import (
    Fit,
    NotCompared,
    PageIndex,
    check_claim,
    facts_in_words,
    find_in,
    index_page,
)
from groundwire.reader import read_document
from groundwire.reader.reader import Reader
from tests.reader.test_documents import pdf

ENGLISH = (
    "Sea otters hold each other's paws while they sleep, so that the current does not carry them "
    "apart. A resting group is called a raft, and the largest that was ever seen had 2,000 animals."
)
GERMAN = (
    "Seeotter halten sich im Schlaf an den Pfoten, damit die Strömung sie nicht auseinander treibt."
    " Eine ruhende Gruppe wird Floß genannt, und das größte war mit zwölf Millionen Haaren bedeckt."
    " Der Otter wurde 1911 unter Schutz gestellt und ist nicht mehr von der Jagd bedroht."
)
RUSSIAN = "Каланы держатся за лапы во сне, чтобы течение не разнесло их. Группа называется плотом."
CHINESE = "海獭睡觉时手拉手，以免被水流冲散。最大的一群有两千只。它们住在北太平洋的海岸边。"


@pytest.mark.parametrize(
    ("claim", "page"),
    [
        ("Otters hold their paws while they sleep in the sea", GERMAN),
        ("Die Otter halten sich an den Pfoten und werden nicht von der See getrieben", ENGLISH),
        ("Otters hold their paws while they sleep", RUSSIAN),
        ("Каланы спят в воде и держатся за лапы", ENGLISH),
        ("海獭睡觉时不手拉手", CHINESE),
        ("Otters hold their paws while they sleep", CHINESE),
    ],
)
def test_what_is_in_two_languages_or_in_one_without_spaces_is_not_compared(
    claim: str, page: str
) -> None:
    assert check_claim(claim, PageIndex(page)).not_compared is NotCompared.LANGUAGE


@pytest.mark.parametrize("page", [GERMAN, RUSSIAN, CHINESE])
def test_a_quotation_is_found_in_any_language(page: str) -> None:
    quote = page[:24].rpartition(" ")[0] or page[:9]

    check = check_claim(quote, PageIndex(page))

    assert check.quote is not None
    assert check.quote.fit is Fit.LETTER


def test_in_another_language_than_english_only_years_are_called_absent() -> None:
    # The page has twelve million in words, and nouns have capitals there.
    claim = "Der Otter wurde 1912 mit 12 Millionen Haaren im Zoo und nicht von den Jägern gesehen"

    check = check_claim(claim, PageIndex(GERMAN))

    assert (check.missing_numbers, check.missing_names) == (("1912",), ())
    assert facts_in_words(check)[0] == "1912 is not on this page."


def test_few_words_are_not_spoken_of_where_words_have_other_forms() -> None:
    claim = "Die Wölfe und der Bär sind nicht im Wald zur Ruhe gekommen"

    assert facts_in_words(check_claim(claim, PageIndex(GERMAN))) == ()


NOTICES = [
    "# Just a moment...\n\nEnable JavaScript and cookies to continue",
    (
        "Checking if the site connection is secure. example.org needs to review the security of "
        "your connection before proceeding. Ray ID: 7d2a"
    ),
    (
        '# Access Denied\n\nYou don\'t have permission to access "http://www.example.org/" on this '
        "server.\n\nReference #18.2d351ab8"
    ),
    "# Sorry, you have been blocked\n\nYou are unable to access example.org",
    (
        "Our systems have detected unusual traffic from your computer network. This page checks to "
        "see if it's really you sending the requests, and not a robot."
    ),
    "Please enable JS and disable any ad blocker",
    (
        "# Pardon Our Interruption\n\nAs you were browsing something about your browser made us "
        "think you were a bot."
    ),
    "Request unsuccessful. Incapsula incident ID: 443000270118",
    "Enter the characters you see below. Sorry, we just need to make sure you're not a robot.",
    "Press & Hold to confirm you are a human (and not a bot). Reference ID 8dfb",
    "# 403 Forbidden\n\nnginx",
    "# 429 Too Many Requests",
    "JavaScript is not available. We've detected that JavaScript is disabled in this browser.",
    "Verifying you are human. This may take a few seconds.",
    "You've been blocked by network security. To continue, log in to your account.",
    "Your access to this site has been limited by the site owner",
    "# 404\n\nPage not found. Go home.",
    (
        "We've detected unusual activity from your computer network. To continue, please click the "
        "box below to let us know you're not a robot."
    ),
]


@pytest.mark.parametrize("notice", NOTICES)
def test_a_block_notice_is_known_before_anything_is_called_absent(notice: str) -> None:
    check = check_claim("Otters weigh 45 kg in Alaska", PageIndex(notice))

    assert check.not_compared is NotCompared.BLOCKED


@pytest.mark.parametrize(
    "page",
    [
        "A CAPTCHA is a kind of test that tells people and machines apart. It was named in 2003.",
        "The reporter was denied access to the court, and the request of the press was refused.",
        "JavaScript is a language of the web. Cookies are small files that a browser keeps.",
        (
            "Forbidden Planet is a film of 1956. It was not found in the archive until last year, "
            "and the security of the building was checked."
        ),
        f"{ENGLISH} " * 8 + "Please enable JavaScript to write a comment.",
    ],
)
def test_a_page_about_such_things_is_no_notice(page: str) -> None:
    assert PageIndex(page).not_comparable is not NotCompared.BLOCKED


def test_a_passage_of_a_pdf_has_its_page_number() -> None:
    pytest.importorskip("pypdfium2")
    lines = ("Otters swim in the kelp near the shore", "", "Otters eat urchins, crabs and clams")
    url = "https://a.example/Otters.PDF?download=1#page=2"
    extracted = read_document(pdf(*lines), "application/pdf", url)

    page = PageIndex(extracted.markdown, has_pages=True)
    near = check_claim("Otters eat many urchins and clams", page).nearest

    assert near is not None
    assert (near.exact, near.page_number) == (lines[2], 3)
    assert index_page(extracted.markdown * 9, url).passage(0, 5).page_number == 1


async def test_a_pdf_is_known_by_its_reader_and_not_by_its_address() -> None:
    pytest.importorskip("pypdfium2")
    lines = (
        "Otters swim in the kelp near the shore and rest there at noon",
        "Otters eat urchins, crabs and clams, which they open with a stone on their chest",
    )
    reader = Reader()
    page = await reader.read(pdf(*lines), "application/pdf", "https://a.example/download?id=7")
    await reader.close()

    check = await groundwire.acheck_claim("Otters eat many urchins and clams", page)

    assert page.metadata.pages == 2
    assert check.nearest is not None
    assert check.nearest.page_number == 2


def test_a_pdf_that_somebody_read_without_page_ends_has_no_page_numbers() -> None:
    page = index_page(ENGLISH, "https://a.example/otters.pdf")

    assert page.passage(5, 10).page_number is None


def test_a_rule_in_a_page_of_the_web_starts_no_page() -> None:
    page = index_page(f"{ENGLISH}\n\n---\n\n{ENGLISH}", "https://a.example/otters.html")

    assert page.passage(len(ENGLISH) + 10, len(ENGLISH) + 20).page_number is None


def test_of_a_very_long_page_the_facts_say_how_much_was_compared() -> None:
    page = PageIndex(f"{ENGLISH}\n" * 2_300)

    facts = facts_in_words(check_claim("A raft of otters had 3,000 animals in 1911", page))

    assert facts == (
        "3,000 and 1911 are not in the part of this page that was compared.",
        "Only the first 400,000 characters of this page were compared.",
    )


def test_a_quote_at_two_places_says_so() -> None:
    page = PageIndex(f"{ENGLISH}\n\n{ENGLISH}\n\n{ENGLISH}")

    check = check_claim("A resting group is called a raft", page)

    assert facts_in_words(check) == ("Quoted to the letter, at three places.",)


@pytest.mark.parametrize(
    ("name", "page", "is_missing"),
    [
        ("FDA", "The Food and Drug Administration has a house in Maryland.", False),
        ("FDA", "A food and drug administration has a house in Maryland.", True),
        ("FAO", "The Food and Agriculture Organization has a house.", False),
        ("NASA", "The National Aeronautics and Space Administration.", False),
        ("UN", "The United Nations have a house.", False),
        ("UN", "Under no roof. Nations have a house.", True),
    ],
)
def test_a_short_name_is_there_if_the_page_spells_it_out(
    name: str, page: str, is_missing: bool
) -> None:
    check = check_claim(f"There the {name} has a house", PageIndex(page))

    assert bool(check.missing_names) is is_missing


def test_words_that_stand_on_a_notice_are_found_there() -> None:
    page = PageIndex(NOTICES[3])

    assert find_in(page, "you have been blocked").fit is Fit.LETTER
    assert check_claim("Sorry, you have been blocked", page).not_compared is None


def test_a_passage_has_what_stands_around_it() -> None:
    page = PageIndex(f"{'a' * 40}MIDDLE{'b' * 40}")

    passage = page.passage(40, 46)

    assert (passage.prefix, passage.exact, passage.suffix) == ("a" * 32, "MIDDLE", "b" * 32)
    assert (page.passage(5, 40).prefix, page.passage(40, 80).suffix) == ("a" * 5, "b" * 6)
