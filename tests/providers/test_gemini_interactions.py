"""Gemini Interactions: the other way to ask the same models."""

import json

import pytest

from groundwire.catalog import ThinkingChoice
from groundwire.events import (
    Citations,
    Done,
    Error,
    RawBlocks,
    SearchSuggestions,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    Usage,
    WebFetchResult,
    WebSearchStart,
)
from groundwire.model import (
    AssistantMessage,
    Attachment,
    Citation,
    ToolCall,
    ToolResultMessage,
    UserMessage,
)
from groundwire.providers.gemini import provider
from tests.providers.gemini_wire import HOST, LOOK, REDIRECT, access, ask, body_for, decode, stream

THOUGHT = {"type": "thought", "signature": "c2ln"}
MESSAGES = (
    UserMessage(
        content="Look.",
        attachments=(
            Attachment(type="image", mime_type="image/png", base64_data="aW1n"),
            Attachment(type="file", mime_type="application/pdf", base64_data="cGRm"),
        ),
    ),
    AssistantMessage(content="", raw_blocks={"steps": [THOUGHT]}, raw_provider="gemini"),
    AssistantMessage(
        content="Looking.", tool_calls=(ToolCall(id="c1", name="look", arguments="{}"),)
    ),
    ToolResultMessage(tool_call_id="c1", content="seen"),
)
STEPS = [
    {
        "type": "user_input",
        "content": [
            {"type": "image", "mime_type": "image/png", "data": "aW1n"},
            {"type": "document", "mime_type": "application/pdf", "data": "cGRm"},
            {"type": "text", "text": "Look."},
        ],
    },
    THOUGHT,
    {"type": "model_output", "content": [{"type": "text", "text": "Looking."}]},
    {"type": "function_call", "id": "c1", "name": "look", "arguments": {}},
    {
        "type": "function_result",
        "call_id": "c1",
        "name": "look",
        "result": {"output": "seen"},
    },
]


def test_a_question_can_be_asked_as_an_interaction() -> None:
    question = ask(
        *MESSAGES,
        model="models/gemini-3-flash",
        system_prompt="Be brief.",
        tools=(LOOK,),
        web_search=True,
        max_tokens=90,
    )
    options = {"surface": "interactions", "thinking": {"thinking_level": "low"}}

    request = provider.answer_request(question, access(**options))

    assert request.url == f"{HOST}/v1beta/interactions"
    assert request.headers == {
        "Content-Type": "application/json",
        "x-goog-api-key": "AIza-secret",
        "Api-Revision": "2026-05-20",
    }
    assert json.loads(request.body or b"") == {
        "model": "gemini-3-flash",
        "input": STEPS,
        "stream": True,
        "store": False,
        "system_instruction": "Be brief.",
        "tools": [
            {
                "type": "function",
                "name": "look",
                "description": "Look.",
                "parameters": LOOK.parameters,
            },
            {"type": "google_search"},
        ],
        "generation_config": {
            "max_output_tokens": 90,
            "thinking_summaries": "auto",
            "thinking_level": "low",
        },
    }


def test_raw_parts_of_the_other_surface_are_not_replayed() -> None:
    steps = AssistantMessage(content="a", raw_blocks={"steps": []}, raw_provider="gemini")
    parts = AssistantMessage(content="b", raw_blocks=[{"text": "b"}], raw_provider="gemini")

    contents = body_for(ask(steps))["contents"]
    body = body_for(ask(parts), surface="interactions")

    assert contents == [{"role": "model", "parts": [{"text": "a"}]}]
    assert body["input"] == [{"type": "model_output", "content": [{"type": "text", "text": "b"}]}]


def test_an_interaction_is_read_like_any_other_reply() -> None:
    events = stream("gemini-interaction.sse")

    told = [event for event in events if not isinstance(event, RawBlocks)]
    assert told == [
        ThinkingDelta("Search first."),
        TextDelta("Öl. "),
        TextDelta("Otter können "),
        TextDelta("tauchen."),
        WebSearchStart("otters"),
        ToolCallStart("f1", "look"),
        ToolCallDelta("f1", '{"at": "sea"}'),
        ToolCallEnd("f1"),
        Citations(
            (
                Citation(
                    url=f"{REDIRECT}AAA",
                    title="otters.example.org",
                    domain="otters.example.org",
                    start=10,
                    end=16,
                ),
            )
        ),
        SearchSuggestions("<b>otters</b>"),
        Usage(
            input_tokens=11,
            output_tokens=8,
            cached_input_tokens=0,
            thinking_tokens=5,
            searches=1,
        ),
        Done("requires_action"),
    ]


def test_the_steps_of_an_interaction_are_kept_whole() -> None:
    raw = stream("gemini-interaction.sse")[-2]

    assert isinstance(raw, RawBlocks)
    assert [step["type"] for step in raw.blocks["steps"]] == [
        "thought",
        "model_output",
        "model_output",
        "google_search_call",
        "google_search_result",
        "function_call",
    ]
    assert raw.blocks["steps"][0] == {
        "type": "thought",
        "summary": [{"type": "text", "text": "Search first."}],
        "signature": "c2ln",
    }
    assert raw.blocks["steps"][5] == {
        "type": "function_call",
        "id": "f1",
        "name": "look",
        "arguments": {"at": "sea"},
    }


def test_an_interaction_that_fails_or_breaks_off_is_an_error() -> None:
    failed = {"event_type": "interaction.completed", "interaction": {"status": "failed"}}
    refused = {"event_type": "error", "error": {"code": "unauthenticated", "message": "No key"}}
    begun = {"event_type": "interaction.created", "interaction": {}}

    codes = [
        [event.code for event in decode(sent) if isinstance(event, Error)]
        for sent in (failed, refused, begun)
    ]

    assert codes == [["bad_reply"], ["auth"], ["truncated"]]


def test_pages_that_an_interaction_opens_are_told() -> None:
    body = {
        "status": "completed",
        "steps": [
            {
                "type": "url_context_result",
                "call_id": "u1",
                "result": [
                    {"url": "https://a.org", "status": "success"},
                    {"url": "https://b.org", "status": "paywall"},
                ],
            }
        ],
    }

    events = provider.answer_decoder().feed_body(body)

    assert events == [
        WebFetchResult("https://a.org"),
        WebFetchResult("https://b.org", error="URL_RETRIEVAL_STATUS_PAYWALL"),
        Usage(fetches=2),
        RawBlocks({"steps": body["steps"]}),
        Done("completed"),
    ]


@pytest.mark.parametrize(
    ("choice", "sent"),
    [
        (None, {}),
        (ThinkingChoice.ON, {"thinking_summaries": "auto"}),
        (ThinkingChoice.LOW, {"thinking_summaries": "auto", "thinking_level": "low"}),
        (ThinkingChoice.OFF, {"thinking_summaries": "none", "thinking_level": "minimal"}),
    ],
)
def test_thinking_stands_beside_the_other_numbers(
    choice: ThinkingChoice | None, sent: dict[str, str]
) -> None:
    body = body_for(ask(thinking=choice), surface="interactions")

    assert body.get("generation_config", {}) == sent
