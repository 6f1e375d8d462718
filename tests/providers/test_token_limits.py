"""A reply that ended because no tokens were left says so, in the same words on every wire."""

from __future__ import annotations

import json

import pytest

from groundwire import registry
from groundwire.events import Done, Warned
from groundwire.model import Json
from groundwire.wire.contract import Answers

RESPONSE = {
    "status": "incomplete",
    "incomplete_details": {"reason": "max_output_tokens"},
    "output": [{"type": "message", "content": [{"type": "output_text", "text": "Otters sl"}]}],
}
MESSAGE = {"content": [{"type": "text", "text": "Otters sl"}], "stop_reason": "max_tokens"}
CHOICE = {"index": 0, "message": {"content": "Otters sl"}, "finish_reason": "length"}
CANDIDATE = {"content": {"parts": [{"text": "Otters sl"}]}, "finishReason": "MAX_TOKENS"}

BODIES: dict[str, Json] = {
    "anthropic": MESSAGE,
    "gemini": {"candidates": [CANDIDATE]},
    "openai": {"choices": [CHOICE]},
    "openai-responses": RESPONSE,
    "openrouter": {"choices": [CHOICE]},
    "codex": RESPONSE,
}
STREAMS: dict[str, list[Json]] = {
    "anthropic": [
        {"type": "message_start", "message": {}},
        {"type": "message_delta", "delta": {"stop_reason": "model_context_window_exceeded"}},
        {"type": "message_stop"},
    ],
    "gemini": [{"candidates": [CANDIDATE]}],
    "openai": [{"choices": [{"delta": {"content": "Otters sl"}, "finish_reason": "length"}]}],
    "openai-responses": [{"type": "response.incomplete", "response": RESPONSE}],
}


def _answers(name: str) -> Answers:
    provider = registry.get(name)
    assert isinstance(provider, Answers)
    return provider


@pytest.mark.parametrize("name", BODIES)
def test_a_whole_reply_that_was_cut_is_warned_about(name: str) -> None:
    decoder = _answers(name).answer_decoder()

    events = [*decoder.feed_body(BODIES[name]), *decoder.finish()]

    warned = [event for event in events if isinstance(event, Warned)]
    message = f"the reply of {name} reached its limit of tokens"
    assert warned == [Warned(message, "incomplete")]
    assert isinstance(events[-1], Done)


@pytest.mark.parametrize("name", STREAMS)
def test_a_streamed_reply_that_was_cut_is_warned_about_before_its_end(name: str) -> None:
    decoder = _answers(name).answer_decoder()

    events = [event for data in STREAMS[name] for event in decoder.feed_data(json.dumps(data))]
    events += decoder.finish()

    message = f"the reply of {name} reached its limit of tokens"
    assert events[-2] == Warned(message, "incomplete")
    assert isinstance(events[-1], Done)
