"""Thinking, switched by agent and by message: what is sent, kept and asked again."""

from __future__ import annotations

from contextlib import aclosing

import pytest

from groundwire.chat.events import Noticed, ThinkingShown
from groundwire.errors import ConfigError
from tests.chat.program import Talk


async def _effort(talk: Talk, *, agent: str = "", message: str = "") -> str:
    await talk.change_agent(thinking=agent)
    await talk.turn("Hello", provider="openai-responses", search="off", thinking=message)
    effort: str = talk.asked().get("reasoning", {}).get("effort", "")
    return effort


async def test_the_message_goes_before_the_agent_and_the_agent_before_the_settings(
    talk: Talk,
) -> None:
    assert await _effort(talk) == ""
    assert await _effort(talk, agent="high") == "high"
    assert await _effort(talk, agent="high", message="low") == "low"
    assert await _effort(talk, agent="high", message="off") == "none"


async def test_switched_on_the_thoughts_are_shown_and_switched_off_they_are_not(
    talk: Talk,
) -> None:
    on = await talk.turn("Hello", provider="gemini", search="off", thinking="on")
    off = await talk.turn("Hello", provider="anthropic", search="off", thinking="off")

    assert on.of(ThinkingShown)
    assert on.message.thinking
    assert not off.of(ThinkingShown)


async def test_a_retry_thinks_as_the_answer_did(talk: Talk) -> None:
    first = await talk.turn("Hello", provider="openai-responses", search="off", thinking="high")

    async with aclosing(await talk.program.retry(first.message.id)) as batches:
        async for _ in batches:
            pass

    assert talk.asked()["reasoning"]["effort"] == "high"


async def test_a_model_that_cannot_be_told_is_asked_without_and_the_answer_says_so(
    talk: Talk,
) -> None:
    told = await talk.turn("Hello", provider="gemini", search="off", thinking="off")

    assert "generationConfig" not in talk.asked()
    assert [each.code for each in told.of(Noticed)] == ["thinking_dropped"]


async def test_a_temperature_that_the_model_refuses_is_left_out_and_the_answer_says_so(
    talk: Talk,
) -> None:
    await talk.change_agent(temperature=0.3)

    told = await talk.turn("Hello", provider="openai-responses", search="off")

    assert "temperature" not in talk.asked()
    assert [each.code for each in told.of(Noticed)] == ["temperature_dropped"]
    assert told.message.error == ""


async def test_a_word_that_is_no_choice_is_refused(talk: Talk) -> None:
    with pytest.raises(ConfigError, match="thinking cannot be 'hard': it is one of off, on, low"):
        await talk.turn(thinking="hard")
