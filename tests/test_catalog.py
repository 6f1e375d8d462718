"""The table of models: who can do what, at what price, until when."""

from datetime import date

import pytest

from groundwire import catalog
from groundwire.catalog import ModelTraits, Thinking

TODAY = date(2026, 11, 15)


@pytest.mark.parametrize(
    ("model", "thinking"),
    [
        ("claude-3-7-sonnet-20250219", Thinking.BUDGET),
        ("claude-sonnet-4-20250514", Thinking.BUDGET),
        ("claude-haiku-4-5", Thinking.BUDGET),
        ("claude-opus-4-1-20250805", Thinking.BUDGET),
        ("claude-opus-4-6", Thinking.ADAPTIVE),
        ("claude-opus-4-8", Thinking.ADAPTIVE),
        ("claude-sonnet-5-5", Thinking.ADAPTIVE),
        ("claude-fable-5-2", Thinking.ADAPTIVE),
        ("claude-newer-than-this-table-9", Thinking.ADAPTIVE),
        ("gpt-5.5", Thinking.ADAPTIVE),
        ("gpt-5-chat-latest", Thinking.NONE),
        ("gpt-4o", Thinking.NONE),
    ],
)
def test_thinking_goes_by_generation(model: str, thinking: Thinking) -> None:
    assert catalog.traits_of(model).thinking is thinking


@pytest.mark.parametrize(
    ("model", "is_in_chat"),
    [
        ("gpt-4o-search-preview-2025-03-11", True),
        ("gpt-4o-mini-search-preview", True),
        ("gpt-5-search-api", True),
        ("gpt-5.5", False),
        ("gpt-4o", False),
        ("smollm2", False),
    ],
)
def test_only_search_models_search_in_chat_completions(model: str, is_in_chat: bool) -> None:
    assert catalog.traits_of(model).searches_in_chat is is_in_chat


def test_gemini_takes_search_beside_tools_from_its_third_generation_on() -> None:
    assert not catalog.traits_of("models/gemini-2.5-pro").searches_beside_tools
    assert catalog.traits_of("gemini-3.8-flash").searches_beside_tools
    assert catalog.traits_of("gemini-flash-latest").searches_beside_tools


def test_a_makers_prefix_is_ignored() -> None:
    assert catalog.traits_of("openai/gpt-5.5") == catalog.traits_of("gpt-5.5")


def test_of_an_unknown_model_nothing_is_claimed() -> None:
    assert catalog.traits_of("smollm2-135m") == ModelTraits()


@pytest.mark.parametrize(
    ("model", "successor"),
    [
        ("gpt-4-turbo", "gpt-5.5"),
        ("claude-sonnet-4-20250514", "claude-sonnet-5-5"),
        ("gemini-2.5-flash", "gemini-3.8-flash"),
        ("openai/gpt-5.1-codex", "gpt-5.5"),
        ("o4-mini", "gpt-5.5"),
    ],
)
def test_a_retired_id_is_told_with_its_successor(model: str, successor: str) -> None:
    notice = catalog.retirement_notice(model, TODAY)

    assert f"{model!r} was shut down on 2026-" in notice
    assert repr(successor) in notice


def test_an_id_with_an_announced_end_is_not_retired_before_it() -> None:
    assert catalog.retirement_notice("gpt-4o", date(2027, 1, 13)) == ""
    assert catalog.retirement_notice("gpt-4o", date(2027, 1, 14)) != ""


@pytest.mark.parametrize("model", catalog.DEFAULT_MODELS.values())
def test_a_default_model_searches_and_lives(model: str) -> None:
    traits = catalog.traits_of(model)

    assert traits.searches
    assert not catalog.retirement_notice(model, TODAY)


def test_the_table_says_its_own_date() -> None:
    assert date(2026, 11, 1) <= catalog.TABLE_DATE
