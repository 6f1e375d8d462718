"""What a query asks for, and what is shown of a passage."""

from __future__ import annotations

import pytest

from groundwire.library.snippets import LENGTH, snippet, words_alike
from groundwire.library.words import MAX_WORDS, words_of
from groundwire.text.markdown import plain


@pytest.mark.parametrize(
    ("query", "phrases"),
    [
        ("sea otter", (("sea",), ("otter",))),
        ("How do I use asyncio.run()?", (("asyncio", "run"),)),
        ("get_event_loop", (("get", "event", "loop"),)),
        (
            '"sea" AND (otter* OR NOT heron) NEAR',
            (("sea",), ("otter",), ("not",), ("heron",), ("near",)),
        ),
        ("title:otter ^sea {a b} -heron", (("title", "otter"), ("sea",), ("b",), ("heron",))),
        ("what is it?", (("what",), ("is",), ("it",))),
        ("Cafe\u0301 CAFÉ", (("café",),)),
        ("हिन्दी", (("हिन्दी",),)),
        ("🦦 \x00 \" ' ; --", ()),
        ("", ()),
    ],
)
def test_only_the_words_of_a_query_count(query: str, phrases: tuple[tuple[str, ...], ...]) -> None:
    assert words_of(query).phrases == phrases


def test_of_a_long_query_the_first_words_count() -> None:
    query = " ".join(f"word{number}" for number in range(5_000))

    assert len(words_of(query).each) == MAX_WORDS


def test_plain_is_what_a_person_reads() -> None:
    markdown = (
        '## The [`run()`](https://example.org/a_(b) "Title") call\n\n**Never** a \\* b ![x](y)'
    )

    assert plain(markdown) == "The `run()` call\n\nNever a * b x"


def test_a_short_passage_is_its_own_snippet() -> None:
    assert snippet("# Fur\n\nDense   fur.", words_alike(words_of("fur"))) == "Fur Dense fur."


def test_a_snippet_shows_where_the_words_are() -> None:
    passage = "Nothing of note happens here. " * 30 + "Otters were sleeping. " + "More of it. " * 40

    shown = snippet(passage, words_alike(words_of("otter sleep")))

    assert "Otters were sleeping." in shown
    assert shown.startswith("… ")
    assert shown.endswith(" …")
    assert len(shown) <= LENGTH + 4


def test_a_snippet_of_a_passage_without_the_words_is_its_beginning() -> None:
    assert snippet("Herons wait. " * 60, words_alike(words_of("otter"))).startswith(
        "Herons wait. Herons"
    )
