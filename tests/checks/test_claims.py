"""Which words a marker stands for: a sentence, a list item, a table row, a provider's span."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.checks import Claim, claim_at
from groundwire.checks.claims import sentence_end, without_code

ANSWER = """# Otters

Sea otters **hold hands** while they sleep. They weigh 45 kg and eat *urchins* and crabs.

Key facts:
- Otters live in the *North Pacific*. The largest raft had 2,000 animals
- Dr. Smith of the U.S. counted 3.5 million hairs per sq. inch in 1999
  and wrote it [down](https://a.example/down).

| Animal | Weight | Seen |
|---|---|---|
| Otter | 45 kg | 1999 |
| Seal | 90 kg | 2001 |

Call it so:

```python
x = claim(1)
```

**Where they live**
In kelp, see `otters.kelp` and <b>rocks</b> &amp; sand\\_banks.

> Quoted from a friend: otters are clever.

水獭睡觉时手拉手。它们住在海里。
"""


def _claim_after(words: str, **given: int) -> Claim:
    return claim_at(ANSWER, ANSWER.index(words) + len(words), **given)


@pytest.mark.parametrize(
    ("words", "claim"),
    [
        ("they sleep", "Sea otters hold hands while they sleep"),
        ("they sleep.", "Sea otters hold hands while they sleep."),
        ("they sleep. ", "Sea otters hold hands while they sleep."),
        ("crabs.", "They weigh 45 kg and eat urchins and crabs."),
        ("*urchins*", "They weigh 45 kg and eat urchins"),
        ("# Otters", "Otters"),
        ("*North Pacific*.", "Otters live in the North Pacific."),
        ("2,000 animals", "The largest raft had 2,000 animals"),
        ("2,000 animals\n", "The largest raft had 2,000 animals"),
        ("in 1999", "Dr. Smith of the U.S. counted 3.5 million hairs per sq. inch in 1999"),
        ("/down)", ("Dr. Smith of the U.S. counted 3.5 million hairs per sq. inch in 1999 and "
         "wrote it down")),
        ("| Seal", "Seal 90 kg 2001"),
        ("90 kg", "Seal 90 kg"),
        ("| 2001", "Seal 90 kg 2001"),
        ("| 2001 |\n\n", "Seal 90 kg 2001"),
        ("claim(1)\n```\n", "Call it so:"),
        ("rocks</b>", "In kelp, see otters.kelp and rocks"),
        ("banks.", "In kelp, see otters.kelp and rocks & sand_banks."),
        ("clever.", "Quoted from a friend: otters are clever."),
        ("手拉手", "水獭睡觉时手拉手"),
        ("它们住在海里。", "它们住在海里。"),
    ],
)  # fmt: skip
def test_the_claim_is_the_sentence_before_the_marker(words: str, claim: str) -> None:
    assert _claim_after(words).text == claim


def test_the_place_of_a_claim_is_in_the_given_text() -> None:
    claim = _claim_after("they sleep.")

    assert ANSWER[claim.start : claim.end] == "Sea otters **hold hands** while they sleep."


@pytest.mark.parametrize(
    ("words", "context"),
    [
        ("they sleep.", "Otters"),
        ("crabs.", "Sea otters hold hands while they sleep."),
        ("*North Pacific*.", "Key facts:"),
        ("2,000 animals", "Otters live in the North Pacific."),
        ("in 1999", "Key facts:"),
        ("90 kg", "Animal Weight Seen"),
        ("它们住在海里。", "水獭睡觉时手拉手。"),
    ],
)
def test_the_context_is_what_a_reader_has_just_read(words: str, context: str) -> None:
    assert _claim_after(words).context == context


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("- “Otters sleep. They hold hands.”", "They hold hands."),
        ("- “Otters hold hands.”", "“Otters hold hands.”"),
        ("„Otter schlafen“ und „sie ruhen”", "„Otter schlafen“ und „sie ruhen”"),
    ],
)
def test_the_end_of_a_quotation_that_began_before_a_claim_is_none_of_it(
    text: str, claim: str
) -> None:
    assert claim_at(text, len(text)).text == claim


def test_a_span_that_the_provider_names_is_the_claim() -> None:
    claim = _claim_after("in 1999", start=ANSWER.index("3.5 million"))

    assert (claim.text, claim.context) == (
        "3.5 million hairs per sq. inch in 1999",
        "Dr. Smith of the U.S. counted",
    )


@pytest.mark.parametrize("start", [-1, 0, 10_000, ANSWER.index("sleep")])
def test_a_span_without_words_of_its_own_leaves_it_at_the_sentence(start: int) -> None:
    answer = ANSWER[2:]

    claim = claim_at(answer, answer.index("they sleep") + 10, start=start or 10_000)

    assert claim.text == "Sea otters hold hands while they sleep"


def test_of_two_markers_in_a_sentence_the_second_stands_for_the_rest_alone() -> None:
    first = ANSWER.index("45 kg") + 5

    claim = _claim_after("and crabs", after=first)

    assert (claim.text, claim.context) == ("and eat urchins and crabs", "They weigh 45 kg")


@pytest.mark.parametrize("after", ["urchins*", "crabs", "hold hands"])
def test_a_marker_beside_another_stands_for_the_same_sentence(after: str) -> None:
    # Two sources at one place, a single word between, or the one before in another sentence.
    claim = _claim_after("and crabs", after=ANSWER.index(after) + len(after))

    assert claim.text == "They weigh 45 kg and eat urchins and crabs"


@pytest.mark.parametrize("text", ["", "\n\n", "   ", "```\ncode\n```", "---"])
def test_a_marker_without_words_before_it_has_no_claim(text: str) -> None:
    assert claim_at(text, len(text)).text == ""


@pytest.mark.parametrize(
    ("written", "claim"),
    [
        ("Otters swim [1][2] well 【3†source】", "Otters swim well"),
        ("Otters swim[^note] and [3, 4] dive[5?]", "Otters swim and dive"),
        ("Otters \ue200cite\ue202turn0search1\ue201 swim", "Otters swim"),
        ("Otters ![photo](https://a.example/o.png) swim", "Otters swim"),
        ("Otters swim ([a.example](https://a.example/x))", "Otters swim"),
        ("Otters [swim](https://a.example/x_(y) \"title\") well", "Otters swim well"),
        ("Otters [swim][ref] at https://a.example/ often", "Otters swim at often"),
        ("~~Otters~~ __swim__ and 2*3*4 is file_name_x", "Otters swim and 2*3*4 is file_name_x"),
        ("1. [x] Otters swim", "Otters swim"),
        ("Otters swim in `kelp`, AT&amp;T says", "Otters swim in kelp, AT&T says"),
    ],
)  # fmt: skip
def test_markers_links_code_signs_and_emphasis_are_taken_off(written: str, claim: str) -> None:
    assert claim_at(written, len(written)).text == claim


def test_a_claim_of_a_text_without_end_is_bounded() -> None:
    claim = claim_at("word " * 100_000, 500_000)

    assert 1_000 < len(claim.text) <= 5_000


@given(st.text(max_size=400), st.integers(-5, 500), st.integers(0, 500))
def test_any_text_and_place_has_a_claim_within_it(text: str, position: int, after: int) -> None:
    claim = claim_at(text, position, after=after)

    assert 0 <= claim.start <= claim.end <= len(text)


_HOSTILE = ("[", "](", "[a](", "|", "| ", "- ", "> ", "```\n", "*", "_", "<a", "&amp;", "\n", ". A")


@pytest.mark.parametrize("piece", _HOSTILE, ids=repr)
def test_a_hostile_answer_has_claims_like_any_other(piece: str) -> None:
    text = piece * (200_000 // len(piece))

    assert len(claim_at(text, len(text)).text) <= 5_000


@pytest.mark.parametrize(
    ("before", "length"), [(1_900, None), (1_999, None), (2_100, 2_000), (5_000, 2_000)]
)
def test_a_claim_begins_no_further_back_than_two_thousand_characters(
    before: int, length: int | None
) -> None:
    text = "otter, " * (before // 7)

    claim = claim_at(text, len(text.rstrip()))

    assert claim.end - claim.start == (length or len(text.rstrip()))


def test_the_context_of_a_claim_is_at_most_six_hundred_characters() -> None:
    long = "otter " * 200

    behind = claim_at(f"{long}sleep. They hold hands.", len(long) + 23)
    above = claim_at(f"{long}sleep.\n\nThey hold hands.", len(long) + 24)
    within = claim_at(f"{long} and they hold hands", len(long) + 20, after=len(long))

    assert behind.text == above.text == "They hold hands."
    for each in (behind, above):
        assert each.context.endswith("otter sleep.")
        assert 594 < len(each.context) <= 600
    assert within.text == "and they hold hands"
    assert 594 < len(within.context) <= 600


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("They sleep. They eat.", "They sleep."),
        ("They sleep now", "They sleep now"),
        ("They sleep\nnow. They eat.", "They sleep\nnow."),
        ("They sleep\n\nnow.", "They sleep"),
        ("They sleep\n- now.", "They sleep"),
        ("They sleep\n# now.", "They sleep"),
        ("They sleep\n1. now.", "They sleep"),
        ("They sleep\n```\nnow.", "They sleep"),
        ("They | sleep\nnow.", "They | sleep"),
        ("They sleep\n| now.", "They sleep"),
        ("", ""),
    ],
)
def test_a_sentence_ends_within_its_block(text: str, end: str) -> None:
    assert sentence_end(text, 0) == len(end)
    assert sentence_end(f"So. {text}", 4) == 4 + len(end)


@pytest.mark.parametrize(
    ("text", "claim", "context"),
    [
        # A row up to the marker; of the first cell all of it.
        ("| A | B |\n|---|---|\n| One | two", "One two", "A B"),
        ("| A | B |\n|---|---|\n| One", "One", "A B"),
        ("Name | Food | Kin | Age\n---|---|---|---\nOtter | crab | seal | ten",
         "Otter crab seal ten", "Name Food Kin Age"),
        # An item's context stands above the list, past other items and their lines.
        ("They eat:\n- crabs\n  and so on\n- urchins", "urchins", "They eat:"),
        ("They eat. So:\n\n1. crabs\n2) urchins", "urchins", "So:"),
        ("So:\n\n1. They rest. They eat", "They eat", "They rest."),
        # Lines of one paragraph.
        ("They eat\ncrabs", "They eat crabs", ""),
        ("Food:\nThey eat crabs", "They eat crabs", "Food:"),
        ("**Food**\nThey eat crabs", "They eat crabs", "Food"),
        ("# Food\nThey eat crabs", "They eat crabs", "Food"),
        ("> They eat\n>\n> crabs and more", "crabs and more", "They eat"),
        ("One. Two\nthree. Four", "Four", "Two three."),
    ],
)  # fmt: skip
def test_a_claim_lies_within_its_row_item_or_paragraph(text: str, claim: str, context: str) -> None:
    found = claim_at(text, len(text))

    assert (found.text, found.context) == (claim, context)


@pytest.mark.parametrize(
    ("text", "claim"),
    [
        ("a [x] c\n```\ny", ""),
        ("Otters.\n```\ny\n```", "Otters."),
        ("```\nx\n```\nOtters", "Otters"),
        ("```\nx\n```\nOtters\n~~~\ny\n~~~", "Otters"),
        ("``\nOtters", "Otters"),
    ],
)
def test_code_is_no_claim(text: str, claim: str) -> None:
    shown = without_code(text)

    assert len(shown) == len(text)
    assert "y" not in shown
    assert claim_at(text, len(text)).text == (claim or "a [x] c")
