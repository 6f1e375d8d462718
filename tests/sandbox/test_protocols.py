"""Framing, order and citations of each protocol, read from the bytes."""

from __future__ import annotations

from typing import Any

import pytest

from groundwire.sandbox import SandboxServer
from groundwire.sandbox.openai_service import linked_answer
from tests.sandbox.calls import ASKED, PROVIDERS, body, call, planned, stream


async def test_anthropic_sends_citations_before_the_text_of_their_block(
    sandbox: SandboxServer,
) -> None:
    reply = await stream(sandbox, "anthropic", ASKED)

    events = reply.events()
    kinds = [event["type"] for event in events]
    cited = [event for event in events if event.get("index") == 3]
    assert kinds[:3] == ["message_start", "content_block_start", "ping"]
    assert kinds[-2:] == ["message_delta", "message_stop"]
    assert events[3]["delta"] == {"type": "input_json_delta", "partial_json": ""}
    assert cited[0]["content_block"] == {"citations": [], "type": "text", "text": ""}
    assert [event["delta"]["type"] for event in cited[1:3]] == ["citations_delta", "text_delta"]


async def test_each_anthropic_event_is_named_after_its_type(sandbox: SandboxServer) -> None:
    reply = await stream(sandbox, "anthropic", ASKED)

    names = [
        line.removeprefix("event: ")
        for line in reply.raw.decode().split("\n")
        if line.startswith("event: ")
    ]
    assert names == [event["type"] for event in reply.events()]
    assert b"\r" not in reply.raw


async def test_gemini_ends_its_lines_with_crlf_and_grounds_in_the_last_chunk(
    sandbox: SandboxServer,
) -> None:
    reply = await stream(sandbox, "gemini", ASKED)

    candidates = [event["candidates"][0] for event in reply.events()]
    assert reply.raw.count(b"\n") == reply.raw.count(b"\r\n")
    assert [c.get("groundingMetadata") for c in candidates[:-1]] == [{}] * (len(candidates) - 1)
    assert candidates[-1]["finishReason"] == "STOP"
    assert len(candidates[-1]["groundingMetadata"]["groundingSupports"]) == 2


async def test_gemini_streams_a_json_array_unless_asked_for_events(sandbox: SandboxServer) -> None:
    path = "/models/gemini-2.5-flash:streamGenerateContent"

    reply = await call(sandbox, "gemini", body("gemini", ASKED), path=path)

    texts = [c["candidates"][0]["content"]["parts"][0]["text"] for c in reply.json()]
    assert reply.headers["content-type"] == "application/json; charset=UTF-8"
    assert "".join(texts) == planned(ASKED).text


async def test_chat_puts_citations_beside_the_finish_reason(sandbox: SandboxServer) -> None:
    text, links = linked_answer(planned(ASKED, searches=True))

    reply = await stream(sandbox, "openai", ASKED)

    last = reply.events()[-1]["choices"][0]
    spans = [
        (a["url_citation"]["start_index"], a["url_citation"]["end_index"])
        for a in last["delta"]["annotations"]
    ]
    assert reply.raw.endswith(b"data: [DONE]\n\n")
    assert b"event:" not in reply.raw
    assert last["finish_reason"] == "stop"
    assert spans == [(link.start, link.end) for link in links]
    assert all(text[start:end].startswith("([") for start, end in spans)


async def test_responses_adds_each_citation_right_after_its_link(sandbox: SandboxServer) -> None:
    reply = await stream(sandbox, "openai-responses", ASKED)

    events = reply.events()
    places = [i for i, e in enumerate(events) if e["type"].endswith("annotation.added")]
    assert [e["sequence_number"] for e in events] == list(range(len(events)))
    assert len(places) == 2
    assert all(events[i - 1]["delta"].startswith("([") for i in places)
    assert events[-1]["type"] == "response.completed"


async def test_openrouter_works_in_comments_and_cites_before_it_writes(
    sandbox: SandboxServer,
) -> None:
    reply = await stream(sandbox, "openrouter", ASKED)

    deltas = [event["choices"][0]["delta"] for event in reply.events()]
    assert reply.raw.startswith(b": OPENROUTER PROCESSING\n\n")
    assert ["annotations" in delta for delta in deltas[:3]] == [True, True, False]
    assert reply.events()[-1]["usage"]["server_tool_use_details"] == {"web_search_requests": 1}


async def test_openrouter_native_search_gives_places(sandbox: SandboxServer) -> None:
    sent = body("openrouter", ASKED) | {"plugins": [{"id": "web", "engine": "native"}]}

    reply = await call(sandbox, "openrouter", sent)

    message = reply.json()["choices"][0]["message"]
    inner = message["annotations"][0]["url_citation"]
    assert message["content"][inner["start_index"] : inner["end_index"]].startswith("([wiki")


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_the_same_call_gets_the_same_bytes(provider: str) -> None:
    replies = []

    for _ in range(2):
        async with SandboxServer() as sandbox:
            replies.append((await stream(sandbox, provider, ASKED)).raw)

    assert replies[0] == replies[1]


@pytest.mark.parametrize(
    ("entry", "code"),
    [("*.example.com", "invalid_tool_input"), ("https://example.com", "invalid_tool_input")],
)
async def test_anthropic_reports_a_bad_domain_inside_200(
    sandbox: SandboxServer, entry: str, code: str
) -> None:
    tool = {"type": "web_search_20250305", "name": "web_search", "allowed_domains": [entry]}

    reply = await call(sandbox, "anthropic", body("anthropic", ASKED) | {"tools": [tool]})

    assert reply.status == 200
    assert reply.json()["content"][1]["content"] == {
        "type": "web_search_tool_result_error",
        "error_code": code,
    }


async def test_domain_filters_are_honoured(sandbox: SandboxServer) -> None:
    filters = {"allowed_domains": ["news.example.com"]}
    sent = body("openai-responses", ASKED) | {"tools": [{"type": "web_search", "filters": filters}]}

    reply = await call(sandbox, "openai-responses", sent)

    notes = reply.json()["output"][-1]["content"][0]["annotations"]
    assert [note["title"] for note in notes] == ["Otters return to the river"]


async def test_a_second_search_beyond_the_limit_is_an_error_in_its_place(
    sandbox: SandboxServer,
) -> None:
    tool = {"type": "web_search_20250305", "name": "web_search", "max_uses": 1}
    sent = body("anthropic", "Compare tides and coffee") | {"tools": [tool]}

    reply = await call(sandbox, "anthropic", sent)

    results = [b["content"] for b in reply.json()["content"] if b["type"].endswith("_result")]
    assert len(results[0]) > 0
    assert results[1]["error_code"] == "max_uses_exceeded"


async def test_an_answer_is_cut_where_the_tokens_end(sandbox: SandboxServer) -> None:
    sent: dict[str, Any] = body("anthropic", ASKED) | {"max_tokens": 5}

    reply = await call(sandbox, "anthropic", sent)

    assert reply.json()["stop_reason"] == "max_tokens"
    assert reply.json()["content"] == [{"type": "text", "text": "This is the sandbox "}]


PNG = "iVBORw0KGgo="
SOURCE = {"type": "base64", "media_type": "application/pdf", "data": "JVBERi0="}
TEXT_PART = {"text": "What is this?"}
TEXT = {"type": "text", "text": "What is this?"}
IMAGE = {"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}
WITH_FILES: list[tuple[str, dict[str, Any], str]] = [
    (
        "anthropic",
        {"messages": [{"role": "user", "content": [TEXT, {"type": "document", "source": SOURCE}]}]},
        "an attachment of type application/pdf.",
    ),
    ("openai", {"messages": [{"role": "user", "content": [TEXT, IMAGE]}]}, "of type image_url."),
    ("openrouter", {"messages": [{"role": "user", "content": [TEXT, IMAGE]}]}, "image_url."),
    (
        "gemini",
        {"contents": [{"parts": [TEXT_PART, {"inline_data": {"mime_type": "image/png"}}]}]},
        "an attachment of type image/png.",
    ),
    (
        "openai-responses",
        {"input": [{"role": "user", "content": [{"type": "input_image", "image_url": "data:"}]}]},
        "an attachment of type input_image.",
    ),
]


@pytest.mark.parametrize(("provider", "fields", "words"), WITH_FILES)
async def test_images_and_documents_are_accepted(
    sandbox: SandboxServer, provider: str, fields: dict[str, Any], words: str
) -> None:
    reply = await call(sandbox, provider, body(provider, "hi") | fields)

    assert reply.status == 200
    assert words in reply.raw.decode()


async def test_openrouter_searches_on_responses_too(sandbox: SandboxServer) -> None:
    tool = {"type": "openrouter:web_search", "parameters": {"excluded_domains": ["example.com"]}}
    sent = {"model": "deepseek/deepseek-chat", "input": ASKED, "tools": [tool]}

    reply = await call(sandbox, "openrouter", sent, path="/responses")

    notes = reply.json()["output"][-1]["content"][0]["annotations"]
    assert [note["title"] for note in notes] == ["Sea otter"]


async def test_claude_cites_the_search_results_of_a_tool(sandbox: SandboxServer) -> None:
    found = {
        "type": "search_result",
        "source": "https://a.example/1",
        "title": "One",
        "content": [{"type": "text", "text": "Snow is white. Always."}],
        "citations": {"enabled": True},
    }
    use = {"type": "tool_use", "id": "t1", "name": "find", "input": {}}
    sent = body("anthropic", "Which colour has snow?")
    sent["messages"] += [
        {"role": "assistant", "content": [use]},
        {
            "role": "user",
            "content": [{"type": "tool_result", "tool_use_id": "t1", "content": [found]}],
        },
    ]

    reply = await call(sandbox, "anthropic", sent)

    assert reply.json()["content"][1]["citations"] == [
        {
            "type": "search_result_location",
            "cited_text": "Snow is white. ",
            "search_result_index": 0,
            "source": "https://a.example/1",
            "title": "One",
            "start_block_index": 0,
            "end_block_index": 1,
        }
    ]
