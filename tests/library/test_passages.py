"""Cutting a text into passages."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.library import FoundPassage, cut
from groundwire.library.passages import TARGET
from groundwire.reader import read_document
from tests.library.folders import OTTER

PYTHON_DOCS = Path("/usr/share/doc/python3.11/html/library")
SENTENCE = "Otters hold hands while they sleep. "
MARKUP = st.sampled_from(
    [
        *"ab .|`#->*=\n\\",
        "\n\n",
        "# ",
        "```\n",
        "| a | b |\n",
        "é",
        "🦦",
        "- x\n",
        "x" * 700,
        "===\n",
    ]
)


def texts(text: str) -> list[str]:
    return [text[passage.start : passage.end] for passage in cut(text)]


def test_a_heading_begins_a_passage_and_is_known_to_it() -> None:
    passages = cut(OTTER)

    fur = OTTER.index("## Fur")
    assert passages == (
        FoundPassage(ordinal=0, start=0, end=fur - 2, headings=("Sea otters",)),
        FoundPassage(ordinal=1, start=fur, end=len(OTTER) - 1, headings=("Sea otters", "Fur")),
    )


def test_a_heading_of_a_higher_level_ends_those_below_it() -> None:
    text = "# A\n\na\n\n### B\n\nb\n\n## C\n\nc\n\n# D\n\nd"

    assert [passage.headings for passage in cut(text)] == [
        ("A",),
        ("A", "B"),
        ("A", "C"),
        ("D",),
    ]


def test_headings_that_follow_each_other_stand_in_one_passage() -> None:
    text = "# A\n\n## B\n\nb"

    assert [(text[one.start : one.end], one.headings) for one in cut(text)] == [(text, ("A", "B"))]


def test_underlined_lines_are_headings_as_in_plain_text() -> None:
    text = "Otters\n======\n\nThey swim.\n\nFur\n---\n\nDense.\n\n***\nOld\n***\n\nx"

    assert [passage.headings for passage in cut(text)] == [
        ("Otters",),
        ("Otters", "Fur"),
        ("Otters", "Fur", "Old"),
    ]


def test_a_heading_has_no_marks_and_no_addresses() -> None:
    (passage,) = cut("## The [`cut()`](https://example.org/a_(b)) function ##\n\nx")

    assert passage.headings == ("The `cut()` function",)


def test_paragraphs_are_gathered_up_to_the_target() -> None:
    paragraph = SENTENCE * 15  # 540 characters

    found = texts("\n\n".join([paragraph.strip()] * 5))

    assert [len(one) > TARGET // 2 for one in found] == [True, True, False]
    assert all(len(one) <= TARGET for one in found)


def test_code_that_fits_is_never_torn() -> None:
    code = "```python\n" + "x = 1\n\n# not a heading\n" * 30 + "```"
    text = f"{SENTENCE * 30}\n\n{code}\n\nafter"

    assert any(code in one for one in texts(text))
    assert all(passage.headings == () for passage in cut(text))


def test_long_code_is_cut_between_lines() -> None:
    lines = [f"call({number}, 'something long enough')" for number in range(200)]
    text = "```\n" + "\n".join(lines) + "\n```"

    found = texts(text)

    assert len(found) > 3
    assert "\n".join(found).split("\n") == text.split("\n")


def test_rows_of_tables_are_never_torn() -> None:
    row = f"| {'cell ' * 100}| {'other ' * 100}|"
    wide = f"| {'x' * (TARGET + 100)} |"
    text = "\n".join(["| a | b |", "| --- | --- |", *[row] * 4, wide, row])

    found = texts(text)

    assert "\n".join(found) == text
    assert all(line in text.split("\n") for one in found for line in one.split("\n"))


def test_prose_without_breaks_is_cut_between_sentences() -> None:
    found = texts((SENTENCE * 200).strip())

    assert {one[-6:] for one in found} == {"sleep."}
    assert all(TARGET // 2 <= len(one) <= TARGET for one in found[:-1])


@pytest.mark.parametrize("text", ["", "\n\n \n", "\u3000"])
def test_nothing_gives_nothing(text: str) -> None:
    assert cut(text) == ()


@given(st.lists(MARKUP, max_size=80).map("".join))
def test_passages_are_in_order_and_hold_every_character_that_is_not_space(text: str) -> None:
    passages = cut(text)

    edges = [edge for passage in passages for edge in (passage.start, passage.end)]
    assert edges == sorted(edges)
    assert [passage.ordinal for passage in passages] == [*range(len(passages))]
    assert all(text[passage.start : passage.end].strip() for passage in passages)
    assert "".join("".join(texts(text)).split()) == "".join(text.split())


def test_real_documentation_is_cut_to_the_target() -> None:
    if not PYTHON_DOCS.is_dir():
        pytest.skip("needs Debian's python3-doc")
    body = (PYTHON_DOCS / "asyncio-task.html").read_bytes()

    markdown = read_document(body, "text/html", "https://docs.python.org/3/library/").markdown

    found = texts(markdown)
    assert len(found) > 20
    assert all(len(one) <= TARGET for one in found)
    assert "".join("".join(found).split()) == "".join(markdown.split())
