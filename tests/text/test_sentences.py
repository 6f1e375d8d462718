"""Where sentences end."""

from __future__ import annotations

import pytest

from groundwire.text.sentences import LONGEST, sentences


def said(text: str) -> list[str]:
    return [text[each.start : each.end] for each in sentences(text, 0, len(text))]


@pytest.mark.parametrize(
    "text",
    [
        "It was Prof. Otter of Fur Inc. Ltd. who saw e.g. Herons.",
        "See Fig. 3 (as J. R. Heron says. He is sure). ",
        "The value is 3.5 and not `a. B` here",
        "it ended. but no capital follows",
    ],
)
def test_no_sentence_ends_at_an_abbreviation_a_number_or_inside_brackets(text: str) -> None:
    assert said(text) == [text]


def test_marks_that_close_belong_to_the_sentence_before() -> None:
    assert said('"They swim." `They` sleep.) **Done!** 2 more') == [
        '"They swim."',
        "`They` sleep.)",
        "**Done!**",
        "2 more",
    ]


def test_full_width_marks_need_no_space() -> None:
    assert said("海獭睡觉。它们手拉手！对") == ["海獭睡觉。", "它们手拉手！", "对"]


def test_what_is_never_closed_is_cut_all_the_same() -> None:
    assert len(said("(" + "It goes on. " * LONGEST)) > 1
