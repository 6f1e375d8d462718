"""Words that tell, and what their forms have in common."""

from __future__ import annotations

from groundwire.text.words import QUERY_STOP_WORDS, STOP_WORDS, is_weak


def test_a_query_keeps_the_stop_words_that_name_something() -> None:
    assert sorted(STOP_WORDS - QUERY_STOP_WORDS) == [
        *("as", "at", "by", "for", "from", "if", "let", "with")
    ]


def test_what_only_a_query_leaves_out_is_weak_everywhere_else() -> None:
    assert all(is_weak(word) for word in QUERY_STOP_WORDS - STOP_WORDS)
