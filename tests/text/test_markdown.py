"""Markdown as blocks: what each is, what it says, and that nothing is lost."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.text.markdown import BlockKind, blocks, fence_for, headings, plain

MARKUP = st.sampled_from(
    [*"ab .|`#->*=~\n\\\t1)", "\n\n", "# ", "```\n", "| a | b |\n", "- x\n", "===\n", "> ", "é"]
)


def said(text: str) -> list[tuple[BlockKind, str]]:
    return [(each.kind, text[each.said.start : each.said.end]) for each in blocks(text)]


def test_every_kind_of_block_is_told_apart() -> None:
    text = (
        "# Head ##\nWords go\non.\n- one\n2) two\n  more\n\n> quoted\n***\n| a | b |\n|---|---|\n"
        "~~~sh\n# no heading\n~~~\n"
    )

    assert said(text) == [
        (BlockKind.HEADING, "Head"),
        (BlockKind.PROSE, "Words go\non."),
        (BlockKind.ITEM, "one"),
        (BlockKind.ITEM, "two\n  more"),
        (BlockKind.PROSE, "quoted\n***"),
        (BlockKind.ROW, "| a | b |"),
        (BlockKind.RULE, "|---|---|"),
        (BlockKind.CODE, "# no heading"),
    ]


def test_a_block_is_joined_to_what_no_blank_line_parts_it_from() -> None:
    assert [each.is_joined for each in blocks("a\n- b\n\nc\n```\nd\n```\n")] == [
        False,
        True,
        False,
        True,
    ]


@pytest.mark.parametrize(
    ("text", "title", "level"),
    [
        ("# C#\n", "C#", 1),
        ("###\n", "", 3),
        ("## a ##  \n", "a", 2),
        ("Otters\n======\n", "Otters", 1),
        ("Fur\n---\n", "Fur", 2),
        ("***\nOld\n***\n", "Old", 3),
    ],
)
def test_a_heading_has_its_level_and_no_marks(text: str, title: str, level: int) -> None:
    (heading,) = headings(text)

    assert (text[heading.said.start : heading.said.end], heading.level) == (title, level)


@pytest.mark.parametrize("text", ["#no\n", "- item\n---\n", "> quote\n---\n", "a\nb\n---\n"])
def test_what_only_looks_like_a_heading_is_none(text: str) -> None:
    assert [*headings(text)] == []


@given(st.lists(MARKUP, max_size=80).map("".join))
def test_blocks_are_in_order_and_hold_every_character_that_is_not_space(text: str) -> None:
    found = [*blocks(text)]

    assert all(a.end < b.start for a, b in pairwise(found))
    assert "".join("".join(text[one.start : one.end] for one in found).split()) == "".join(
        text.split()
    )
    assert all(
        one.start <= one.said.start <= one.said.end <= max(one.end, one.said.start) for one in found
    )


@given(st.lists(st.sampled_from(["`", "```", "\n", "a", " ", "> "]), max_size=30).map("".join))
def test_a_fence_is_closed_by_nothing_in_its_code(code: str) -> None:
    fence = fence_for(code)

    (block,) = blocks(f"{fence}\n{code}\n{fence}")
    assert block.kind is BlockKind.CODE


def test_what_a_person_reads_of_a_link_may_have_brackets() -> None:
    assert plain("see [the [new] page](https://example.org/a_(b)) \\* **now**") == (
        "see the [new] page * now"
    )
