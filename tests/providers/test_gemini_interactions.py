"""Gemini Interactions: the other way to ask the same models."""

import json
from pathlib import Path

from groundwire.contract import Access, Question
from groundwire.events import (
    Citations,
    Done,
    Error,
    RawBlocks,
    SearchSuggestions,
    StreamEvent,
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
    Json,
    Message,
    Secret,
    ToolCall,
    ToolDefinition,
    ToolResultMessage,
    UserMessage,
)
from groundwire.providers.gemini import Gemini, provider
from groundwire.sse import SseEvent, SseParser

REPLIES = Path(__file__).parent / "replies"
HOST = "https://generativelanguage.googleapis.com"
REDIRECT = "https://vertexaisearch.cloud.google.com/grounding-api-redirect/"
LOOK = ToolDefinition(
    name="look",
    description="Look.",
    parameters={
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"at": {"type": "string"}},
        "additionalProperties": False,
    },
)
LOOK_DECLARED = {
    "functionDeclarations": [
        {
            "name": "look",
            "description": "Look.",
            "parametersJsonSchema": {
                "type": "object",
                "properties": {"at": {"type": "string"}},
                "additionalProperties": False,
            },
        }
    ]
}


def access(**options: Json) -> Access:
    return Access(base_url=HOST, key=Secret("AIza-secret"), options=options)


def ask(*messages: Message, model: str = "gemini-2.5-flash", **fields: Json) -> Question:
    return Question(model=model, messages=messages or (UserMessage(content="Hi"),), **fields)


def body_for(question: Question, **options: Json) -> Json:
    return json.loads(provider.answer_request(question, access(**options)).body or b"")


def stream(name: str, chunk_size: int = 7) -> list[StreamEvent]:
    body = (REPLIES / name).read_bytes()
    parser, decoder = SseParser(), Gemini(now=lambda: 1700).answer_decoder()
    events: list[StreamEvent] = []
    for start in range(0, len(body), chunk_size):
        for sent in parser.feed(body[start : start + chunk_size]):
            events += decoder.feed(sent)
    return [*events, *decoder.finish()]


def decode(*chunks: Json) -> list[StreamEvent]:
    decoder = Gemini(now=lambda: 1700).answer_decoder()
    events = [
        event for chunk in chunks for event in decoder.feed(SseEvent("message", json.dumps(chunk)))
    ]
    return [*events, *decoder.finish()]


def test_a_question_can_be_asked_as_an_interaction() -> None:
    steps = [{"type": "thought", "signature": "c2ln"}]
    question = ask(
        UserMessage(
            content="Look.",
            attachments=(
                Attachment(type="image", mime_type="image/png", base64_data="aW1n"),
                Attachment(type="file", mime_type="application/pdf", base64_data="cGRm"),
            ),
        ),
        AssistantMessage(content="", raw_blocks={"steps": steps}, raw_provider="gemini"),
        AssistantMessage(
            content="Looking.", tool_calls=(ToolCall(id="c1", name="look", arguments="{}"),)
        ),
        ToolResultMessage(tool_call_id="c1", content="seen"),
        model="models/gemini-3-flash",
        system_prompt="Be brief.",
        tools=(LOOK,),
        web_search=True,
        max_tokens=90,
    )

    request = provider.answer_request(
        question, access(surface="interactions", thinking={"thinking_level": "low"})
    )

    assert request.url == f"{HOST}/v1beta/interactions"
    assert request.headers == {
        "Content-Type": "application/json",
        "x-goog-api-key": "AIza-secret",
        "Api-Revision": "2026-05-20",
    }
    assert json.loads(request.body or b"") == {
        "model": "gemini-3-flash",
        "input": [
            {
                "type": "user_input",
                "content": [
                    {"type": "image", "mime_type": "image/png", "data": "aW1n"},
                    {"type": "document", "mime_type": "application/pdf", "data": "cGRm"},
                    {"type": "text", "text": "Look."},
                ],
            },
            {"type": "thought", "signature": "c2ln"},
            {"type": "model_output", "content": [{"type": "text", "text": "Looking."}]},
            {"type": "function_call", "id": "c1", "name": "look", "arguments": {}},
            {
                "type": "function_result",
                "call_id": "c1",
                "name": "look",
                "result": {"output": "seen"},
            },
        ],
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

    *spoken, raw, done = events
    assert spoken == [
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
    ]
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
    assert done == Done("requires_action")


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
