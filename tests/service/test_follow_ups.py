"""Questions to go on with: about what the cited pages say besides, and nothing of their frame."""

from __future__ import annotations

import pytest

from groundwire.checks.records import SourcePage
from groundwire.service.follow_ups import MAX_LENGTH, from_headings, read_questions

BODY = "Otters do a lot of things, and this section tells about them at some length. " * 2


def page(number: int, title: str, *sections: str) -> SourcePage:
    """Return a page with a section for each heading."""
    text = "\n\n".join([f"# {title}", *(f"## {each}\n\n{BODY}" for each in sections)])
    return SourcePage(
        message_id="m", number=number, url="https://a.example/", title=title, text=text
    )


def test_sections_that_were_not_asked_for_become_questions() -> None:
    otter = page(1, "Sea otter - Wiki", "Sleep", "Diet", "See also", "References")

    assert from_headings("How do they sleep?", [otter]) == [
        "What does “Sea otter” say about “Diet”?"
    ]


def test_a_heading_that_is_a_question_is_asked_as_it_is() -> None:
    assert from_headings("otters", [page(1, "Otters", "Why do they hold hands?")]) == [
        "Why do they hold hands?"
    ]


def test_pages_take_turns_and_three_are_enough() -> None:
    first, second = page(1, "A", "One thing", "Two things", "Six things"), page(2, "B", "Tides")

    assert from_headings("otters", [first, second]) == [
        "What does “A” say about “One thing”?",
        "What does “B” say about “Tides”?",
        "What does “A” say about “Two things”?",
    ]


def test_an_empty_section_is_not_offered() -> None:
    bare = SourcePage(message_id="m", number=1, url="", title="A", text="## Diet\n\n## Sleep\n")

    assert from_headings("otters", [bare]) == []


@pytest.mark.parametrize(
    ("reply", "questions"),
    [
        (
            '{"questions": ["What do they eat?", " Where  do they live? "]}',
            ["What do they eat?", "Where do they live?"],
        ),
        (
            '```json\n{"questions": ["One?", "One?", "Two?", "Three?", "Four?"]}\n```',
            ["One?", "Two?", "Three?"],
        ),
        ('{"questions": [1, null, "", "%s"]}' % ("x" * (MAX_LENGTH + 1)), []),
        ('{"questions": "What?"}', []),
        ("I would ask: what do they eat?", []),
        ("[1]", []),
        ("", []),
    ],
)
def test_a_models_reply_is_read_or_dropped(reply: str, questions: list[str]) -> None:
    assert read_questions(reply) == questions
