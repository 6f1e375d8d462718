"""Which words of a claim are names, and what a name of the page is taken for."""

from __future__ import annotations

import pytest

from groundwire.checks import PageIndex, check_claim
from groundwire.checks.names import claim_names
from groundwire.checks.page_names import initials_of
from groundwire.checks.words import words_of


@pytest.mark.parametrize(
    ("claim", "names"),
    [
        ("They saw Bob. Alice left", {"Bob": ("bob",)}),
        ("They saw J. Smith there", {"J. Smith": ("smith",)}),
        ("They saw J.Smith there", {"J.Smith": ("smith",)}),
        ("They saw J Smith there", {"Smith": ("smith",)}),
        ("They saw a. Smith there", {}),
        (
            "So J. R. R. Tolkien of Oxford and",
            {"J. R. R. Tolkien of Oxford": ("tolkien", "oxford")},
        ),
        ("Otters of the World sleep", {"Otters of the World": ("otters", "world")}),
        ("It was O'Neill-Smith there", {"O'Neill-Smith": ("neill", "smith")}),
        ("Then IV came, and B2B", {"B2B": ("b2b",)}),
        ("It is on Monday in May", {}),
        ("The Mr. Bean of New York", {"Bean of New York": ("bean", "new", "york")}),
        ("They saw X", {}),
        ("They saw Bo there", {"Bo": ("bo",)}),
        ("They saw Bob and Alice", {"Bob and Alice": ("bob", "alice")}),
        ("They saw Bob and eve", {"Bob": ("bob",)}),
        ("They saw University of", {"University": ("university",)}),
        ("It is ACME-Corp Ltd", {"ACME-Corp Ltd": ("acme", "corp", "ltd")}),
        ("Otters sleep", {}),
        ("(Otters sleep", {}),
        ("They sleep: Otters do", {}),
        ("They sleep, Otters do", {"Otters": ("otters",)}),
        ("Sea Otters sleep", {"Sea Otters": ("sea", "otters")}),
    ],
)
def test_names_are_runs_of_words_with_capitals(
    claim: str, names: dict[str, tuple[str, ...]]
) -> None:
    found = claim_names(claim)

    assert {each.text: each.words for each in found} == names
    assert [claim[each.start :].startswith(each.text) for each in found] == [True] * len(names)


@pytest.mark.parametrize(
    ("claim", "context", "longer"),
    [
        ("Smith left. Brown came", "Adam Smith was here.", {"Smith": ("adam", "smith")}),
        ("The Smith House", "Smith was here", {"Smith House": ()}),
        ("So Bob said", "There Bob Brown met Bob White", {"Bob": ("bob", "brown")}),
        ("So WTO said", "The World Trade Organization met",
         {"WTO": ("world", "trade", "organization")}),
        ("So Adam said", "There Adam met Eve", {"Adam": ()}),
        ("So W said Wx", "There World met", {"Wx": ()}),
        ("So Smith said", "There Bob Brown met Eve", {"Smith": ()}),
        ("So BB said", "There Bob Brown met Eve", {"BB": ("bob", "brown")}),
    ],
)  # fmt: skip
def test_the_sentence_before_tells_what_a_name_is_short_for(
    claim: str, context: str, longer: dict[str, tuple[str, ...]]
) -> None:
    assert {each.text: each.longer for each in claim_names(claim, context)} == longer


@pytest.mark.parametrize(
    ("name", "page", "is_there"),
    [
        # The first five letters, or four of a word of four.
        ("Berlin", "The Berliners stay.", True),
        ("Berlin", "The Berlioz stay.", True),
        ("Berlin", "The Berry stays.", False),
        ("Iran", "The Iranians stay.", True),
        ("Paris", "The Parisians stay.", True),
        ("Texas", "The tex as stays.", True),
        ("Iran", "The Ira stays.", False),
        ("Ira", "The Iran stays.", False),
        ("Otters", "The otter stays.", True),
        ("Eus", "The eu stays.", True),
        # Across words, but not a short one.
        ("Facebook", "The face book stays.", True),
        ("Face", "The fa ce stays.", False),
        # With digits.
        ("G20", "The G-20 stays.", True),
        ("G20", "The G stays.", True),
        ("B2B", "The B stays.", False),
        # In short, and spelt out.
        ("Transport for Greater Manchester", "The TfGM stays.", True),
        ("Greater Manchester", "The GM stays.", False),
        ("Transport for Leeds", "The TfL stays.", True),
        ("NATO", "The North Atlantic Treaty Organization stays.", True),
        ("NATO", "The north atlantic treaty organization stays.", False),
        ("EU", "Each Uncle stays.", True),
        ("XU", "They Xray Under trees.", False),
        ("XU", "Xray Under trees.", True),
        ("AB CD", "Al Be stay.", False),
        ("ABCDEFGH", "Al Be Ce De Ee Fa Ga Ha stay.", True),
        ("ABCDEFGHI", "Al Be Ce De Ee Fa Ga Ha In stay.", False),
        # What is also called so.
        ("Holland", "The Dutch stay.", True),
        ("United States", "America stays.", True),
        ("USA", "The Americans stay.", True),
        ("Wales", "The Irish stay.", False),
        ("UK", "The Britons stay.", False),
        ("Britain", "The United Kingdom stays.", True),
        ("Holland", "The Dutchman stays.", True),
        ("Holland", "The Dut chman stays.", True),
        ("Ireland", "The I rish stay.", True),
        # With one letter off, anywhere, in any word of it.
        ("Mohter", "The mother stays.", True),
        ("Motehr", "The mother stays.", True),
        ("Jon Mohter", "The mother stays.", True),
        ("Modale", "The Macdale stays.", False),
        ("Macdale", "The Modale stays.", False),
        ("Macdale", "The Moddale stays.", False),
        ("Modale", "The Madale stays.", True),
        ("Mdale", "The Modale stays.", True),
        ("Moodale", "The Modale stays.", True),
    ],
)
def test_a_name_is_there_where_a_reader_could_take_something_for_it(
    name: str, page: str, is_there: bool
) -> None:
    check = check_claim(f"So it is in {name} now", PageIndex(page))

    assert check.missing_names == (() if is_there else (name,))


@pytest.mark.parametrize(
    ("text", "initials"),
    [
        ("World Health Organization", " who who "),
        ("Bank of England and so on", " be boea "),
        ("the Bank. The Mill", " btm tbtm "),
        ("Bank, Mill", " bm bm "),
        ("Bank -- Mill", " b m m "),
        ("no names", "   "),
        ("so so World Health", " wh wh "),
        ("a World Health", " wh wh "),
        ("Bank & Mill", " b m m "),
        ("A B", " ab ab "),
        ("A. B", " ab ab "),
    ],
)
def test_initials_are_those_of_runs(text: str, initials: str) -> None:
    assert initials_of(text, words_of(text)) == initials
