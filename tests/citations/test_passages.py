"""The sentences that one citation of a removed page is tied to: where they begin and end."""

from __future__ import annotations

import pytest

from groundwire.citations.markdown import scan
from groundwire.citations.passages import passage_of
from groundwire.citations.positions import Ground, locate
from groundwire.model import Citation

X = "https://x.example/page"
LINK = f"([x.example]({X}))"
OTHER = "([y.example](https://y.example/))"


def passage(
    text: str, start: int, end: int, *, is_final: bool = True
) -> tuple[int, int, bool] | None:
    """Return where the passage of a span begins and ends, and whether that is sure."""
    regions = scan(text)
    ground = Ground(
        window=lambda one, other: text[max(0, one) : max(0, other)],
        length=len(text),
        regions=regions,
        starts=[each.start for each in regions],
    )
    citation = Citation(url=X, start=start, end=end)
    change = locate(ground, citation)
    assert change is not None
    found = passage_of(ground, citation, change, is_final=is_final)
    return None if found is None else (found.start, found.end, found.is_whole)


def words_of(text: str, words: str) -> str | None:
    """Return the passage of the first place of some words."""
    start = text.index(words)
    found = passage(text, start, start + len(words))
    return found and text[found[0] : found[1]]


@pytest.mark.parametrize(
    ("text", "words", "folded"),
    [
        # The end of the sentence before.
        ("A. B c.", "c", "B c"),
        ("A! B c.", "c", "B c"),
        ("A? B c.", "c", "B c"),
        ("A… B c.", "c", "B c"),
        ('A." B c.', "c", "B c"),
        ("A.’) B c.", "c", "B c"),
        ("A.** B c.", "c", "B c"),
        ("A.x B c.", "c", "A.x B c"),
        ("A, B c.", "c", "A, B c"),
        ("海。獭c", "c", "獭c"),
        ("海！獭c", "c", "獭c"),
        ("海？」獭c", "c", "獭c"),
        ("A\nB c.", "c", "B c"),
        ("A.\n\n  B c.", "c", "B c"),
        ("A. B. C d.", "d", "C d"),
        # The beginning of a line.
        ("- B c.", "c", "B c"),
        ("* + B c.", "c", "B c"),
        ("12. B c.", "c", "B c"),
        ("12) B c.", "c", "B c"),
        ("> B c.", "c", "B c"),
        ("> - B c.", "c", "B c"),
        ("### B c.", "c", "B c"),
        ("A\n- B c.", "c", "B c"),
        ("A\n\n- B c.", "c", "B c"),
        ("A. - B c.", "c", "- B c"),
        ("-B c.", "c", "-B c"),
        ("A.\n1. B c.", "c", "B c"),
        # What a span may begin with.
        ("A. B c.", " B c", "B c"),
        ("A. B c.", ". B c", "A. B c"),
        ("A. B c.", "A. B", "A. B c."),
        ("A. B c.", "A", "A"),
        ("A. B c.", "A.", "A."),
        ("A. B c.", "B c.", "B c."),
        ("A. B c. D.", "B c. D", "B c. D"),
        # The end of its own.
        ("。 B c", "。", "。"),
        (". B c", ".", "."),
        ("。獭c", "c", "獭c"),
        ("B c. D.", "B", "B c."),
        ("B c! D.", "B", "B c!"),
        ("B c? D.", "B", "B c?"),
        ("B c… D.", "B", "B c…"),
        ("B c.” D.", "B", "B c.”"),
        ("B c\nD.", "B", "B c"),
        ("B c \n\nD.", "B", "B c"),
        ("B 海。獭", "B", "B 海。"),
        ("B 海！」獭", "B", "B 海！」"),
        ("B c", "B", "B c"),
        ("B c ", "B", "B c"),
        ("B ...", "B", "B"),
        ("B, -", "B", "B"),
        ("B - c", "B", "B - c"),
        ("B.", "B", "B"),
        ("B 1.", "B", "B 1."),
        ("B c.", "B c.", "B c."),
        ("B c.) D", "B c.)", "B c.)"),
        ("B c.”’)]*_* D", "B c.”’)]*_*", "B c.”’)]*_*"),
        ("B c.”’)]*_** D", "B c.”’)]*_**", "B c.”’)]*_** D"),
        ("B c.\"')))) D", "B c.\"'))))", "B c.\"'))))"),
        # Code, addresses and links are never cut.
        ("A `b. c` d. E", "d", "A `b. c` d"),
        ("A. `b. c` d. E", "c", "`b. c` d."),
        ("A. `b. c` d. E", "d", "`b. c` d"),
        ("A b `c. d` e. F", "A", "A b `c. d` e."),
        ("A b https://u.io/c. d e. F", "A", "A b https://u.io/c. d e."),
        ("A [b. c](u) d. E", "d", "A [b. c](u) d"),
        ("A ([b. c](u)) d. E", "A", "A ([b. c](u)) d."),
        ("A ([b](u)) c d. E", "c", "c d."),
        ("A. ([b](u)) c d. E", "d", "c d"),
        ("A ([b](u))([c](v)) d. E", "d", "d"),
        ("A ([b](u)) `c` d. E", "d", "`c` d"),
        ("A [b](u) c d. E", "d", "A [b](u) c d"),
        ("A ([b](u))c d. E", "c", "c d."),
        ("A ([b](u)) `c d` e. E", "`c d`", "`c d` e."),
        ("A ([b](u)) ([c](v)) d", "d", "d"),
        ("A ([b](u)) c ([d](v)) e", "c", "c ([d](v)) e"),
        ("A ([b](u)) c. D e.", "e", "D e"),
        ("```\na. b\n```\nC d.", "d", "```\na. b\n```\nC d"),
        ("```\na. b\n```\nC d.", "b", "```\na. b\n```\n"),
    ],
)
def test_a_passage_is_the_sentences_of_its_words(text: str, words: str, folded: str) -> None:
    assert words_of(text, words) == folded


@pytest.mark.parametrize(
    ("before", "behind", "folded"),
    [
        ("Otters sleep ", "", "Otters sleep"),
        ("Otters sleep ", ".", "Otters sleep"),
        ("Otters sleep. ", "", "Otters sleep."),
        ("Otters sleep.", "", "Otters sleep."),
        ("Otters sleep. They eat ", "", "They eat"),
        ("Otters sleep. They eat. ", "", "They eat."),
        ("Otters sleep.\n", "", "Otters sleep."),
        ("Otters sleep. \t\n \t", "", "Otters sleep."),
        ("Otters sleep\n", "", "Otters sleep"),
        ("Otters sleep.\n\n", "", "Otters sleep.\n"),
        ("海獭睡觉。", "", "海獭睡觉。"),
        ("\n", "", None),
        ("", "", None),
        (" ", "", None),
        ("", " They eat.", None),
        ("O", "", "O"),
        ("O\n", "", "O"),
        ("Otters sleep ", " a lot. They eat.", "Otters sleep {} a lot."),
        ("Otters sleep. ", " A lot. They eat.", "Otters sleep."),
        (f"A. {OTHER} Otters sleep ", "", "Otters sleep"),
        (f"A. {OTHER} ", " Otters sleep.", None),
        (f"A. B {OTHER}", "", None),
    ],
)
def test_a_link_in_parentheses_is_tied_to_the_words_before_it(
    before: str, behind: str, folded: str | None
) -> None:
    text = f"{before}{LINK}{behind}"

    found = passage(text, len(before), len(before) + len(LINK))

    words = found and text[found[0] : found[1]]
    assert words == (folded and folded.format(LINK))


@pytest.mark.parametrize("within", [0, 1, 2, 5, 12, 20])
def test_a_link_with_no_words_before_it_is_tied_to_none_wherever_its_span_begins(
    within: int,
) -> None:
    assert passage(f"{LINK} Otters sleep.", within, len(LINK)) is None
    assert passage(f" {LINK} Otters sleep.", 1 + within, 1 + len(LINK)) is None


def test_a_link_of_words_is_tied_to_its_own_sentence() -> None:
    link = f"[the Ox]({X})"

    assert words_of(f"A. In {link} they sleep. B.", link) == f"In {link} they sleep."
    assert words_of(f"A. In {link}. B.", link) == f"In {link}"
    assert words_of(f"{link} says so. B.", link) == f"{link} says so."


@pytest.mark.parametrize(
    ("text", "span", "is_final", "found"),
    [
        ("Otters", (0, 6), False, (0, 6, False)),
        ("Otters", (0, 6), True, (0, 6, True)),
        ("Otters.", (0, 7), False, (0, 7, True)),
        ("Otters.", (0, 6), False, (0, 6, False)),
        ("Otters. ", (0, 6), False, (0, 6, True)),
        ("Otters swim", (0, 6), False, (0, 11, False)),
        ("Otters swim.", (0, 6), False, (0, 12, False)),
        ("Otters swim. ", (0, 6), False, (0, 12, True)),
        ("Otters swim\n", (0, 6), False, (0, 11, True)),
        ("海獭。", (0, 1), False, (0, 3, True)),
    ],
)
def test_a_sentence_is_whole_once_its_end_is_there(
    text: str, span: tuple[int, int], is_final: bool, found: tuple[int, int, bool]
) -> None:
    assert passage(text, *span, is_final=is_final) == found


@pytest.mark.parametrize("more", [-2, -1, 0, 1, 50])
def test_a_sentence_is_followed_so_far_and_no_further(more: int) -> None:
    count = 600 + more
    behind, before = f"Ox{'o' * count}", f"{'o' * count}Ox"

    found = passage(behind, 0, 2, is_final=False)

    assert found == (0, 2 + min(count, 600), count >= 600)
    assert passage(before, count, count + 2) == (max(0, more), count + 2, True)


@pytest.mark.parametrize(("more", "start"), [(-1, 0), (0, 0), (1, 1), (2, 2), (3, 3)])
def test_what_would_begin_a_line_is_left_out_only_where_a_line_begins(
    more: int, start: int
) -> None:
    text = f"{'- ' * 2}{'o' * (600 - 4 + more)}Ox"
    count = len(text) - 2

    found = passage(text, count, count + 2)

    assert found is not None
    assert found[0] == (4 if start == 0 else start if text[start] != " " else start + 1)


@pytest.mark.parametrize(("before", "start"), [(598, 0), (599, 0), (600, 600), (650, 650)])
def test_a_link_is_where_a_passage_begins_only_near_it(before: int, start: int) -> None:
    text = f"{OTHER} {'o' * (before - len(OTHER))} Ox swims"
    first = text.index("Ox")

    found = passage(text, first, first + 2)

    assert found is not None
    assert found[0] == (len(OTHER) + 1 if start == 0 else first - 600)


def test_a_passage_far_behind_in_a_text_begins_with_the_sentence_of_its_first_word() -> None:
    before = "Otters swim. " * 70
    text = f"{before}They eat. They sleep. They dive."

    assert words_of(text, "eat. They sleep") == "They eat. They sleep"
    assert words_of(text, "They eat. They sleep.") == "They eat. They sleep."
    assert words_of(f"{text} {LINK}", LINK) == "They dive."


@pytest.mark.parametrize("more", [-1, 0, 1, 30])
def test_the_words_before_a_link_are_looked_for_so_far_and_no_further(more: int) -> None:
    before = f"Otters{' ' * (600 + more)}"
    text = f"{before}{LINK}"

    found = passage(text, len(before), len(text))

    assert found == (0, 6 + max(0, more), True)
