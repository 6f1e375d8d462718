"""The contract of every `websearch` tool, word for word."""

from __future__ import annotations

import json
from typing import Any

import pytest

from groundwire.model import Json
from tests import loopback
from tests.fences import open_fences
from tests.tools.runs import ASKED, KEY, Searcher

OWN_TOOLS = ("websearch_gemini", "websearch_openai_oauth", "websearch_openrouter")
FAILED = {
    "gemini": "GEMINI_WEB_SEARCH_FAILED",
    "openai_oauth": "OPENAI_OAUTH_WEB_SEARCH_FAILED",
    "openrouter": "OPENROUTER_WEB_SEARCH_FAILED",
    "anthropic": "ANTHROPIC_WEB_SEARCH_FAILED",
    "openai-responses": "OPENAI_WEB_SEARCH_FAILED",
}
GEMINI_REPLY: Json = {
    "candidates": [
        {
            "content": {"role": "model", "parts": [{"text": "  \n"}]},
            "finishReason": "STOP",
            "groundingMetadata": {"groundingChunks": [{"web": {"uri": "https://a.example/"}}]},
        }
    ]
}
OPENROUTER_REPLY: Json = {
    "id": "resp_1",
    "object": "response",
    "status": "completed",
    "output": [
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "", "annotations": []}],
        }
    ],
}


@pytest.mark.parametrize("tool", OWN_TOOLS)
async def test_an_unknown_argument_is_refused_in_the_words_of_the_contract(
    searcher: Searcher, tool: str
) -> None:
    text = await searcher.tools()[tool].execute({"query": "x", "foo": 1})

    assert text == (
        f"""{{"llmContent":"Error: {tool} only accepts a single 'query' field.\\n\\n"""
        """Details: Unknown argument(s): foo, only 'query' supported.","""
        f""""returnDisplay":"{tool} only accepts a single 'query' field.","""
        """"error":{"message":"Unknown argument(s): foo, only 'query' supported.","""
        """"type":"INVALID_TOOL_ARGUMENTS"}}"""
    )
    assert searcher.sandbox.requests == []


async def test_all_unknown_arguments_are_named(searcher: Searcher) -> None:
    result = await searcher.run("websearch_gemini", {"foo": 1, "query": "x", "bar": 2})

    assert result["error"]["message"] == "Unknown argument(s): foo, bar, only 'query' supported."


@pytest.mark.parametrize("arguments", [None, [], "x", 1])
async def test_arguments_that_are_no_object_are_refused(
    searcher: Searcher, arguments: Json
) -> None:
    result = await searcher.run("websearch_gemini", arguments)

    assert result["error"] == {
        "message": "The arguments are not an object with 'query'.",
        "type": "INVALID_TOOL_ARGUMENTS",
    }


@pytest.mark.parametrize("arguments", [{}, {"query": ""}, {"query": " \n\t"}, {"query": 7}])
async def test_a_query_without_words_is_refused(searcher: Searcher, arguments: Json) -> None:
    result = await searcher.run("websearch_openrouter", arguments)

    assert result == {
        "llmContent": "Error: The 'query' must not be empty.\n\n"
        "Details: Call it again with 'query' set to a text that says what to find out.",
        "returnDisplay": "The 'query' must not be empty.",
        "error": {
            "message": "Call it again with 'query' set to a text that says what to find out.",
            "type": "INVALID_QUERY",
        },
    }


@pytest.mark.parametrize("provider", [{}, {"provider": "bing"}, {"provider": ["gemini"]}])
async def test_a_provider_that_is_not_there_is_refused_with_those_that_are(
    searcher: Searcher, provider: Json
) -> None:
    result = await searcher.run("websearch", {"query": "x", **provider})

    assert result["error"] == {
        "message": "Set 'provider' to one of: gemini, openai_oauth, openrouter, anthropic, "
        "openai-responses.",
        "type": "INVALID_TOOL_ARGUMENTS",
    }


async def test_space_around_a_query_is_not_part_of_it(searcher: Searcher) -> None:
    result = await searcher.run("websearch_gemini", {"query": f"  {ASKED}\n"})

    assert result["returnDisplay"] == f'Search results for "{ASKED}" returned.'


async def test_half_a_character_in_a_query_does_no_harm(searcher: Searcher) -> None:
    result = await searcher.run("websearch_gemini", {"query": "otters \ud83e"})

    assert result["returnDisplay"] == 'Search results for "otters \ufffd" returned.'


@pytest.mark.parametrize(
    ("tool", "reply"),
    [("websearch_gemini", GEMINI_REPLY), ("websearch_openrouter", OPENROUTER_REPLY)],
)
async def test_an_empty_answer_is_no_error_and_has_its_own_words(
    searcher: Searcher, tool: str, reply: Json
) -> None:
    async with loopback.serve(loopback.reply(json.dumps(reply).encode())) as server:
        result = await searcher.run(tool, {"query": "Otter?"}, base_url=server.url)

    assert result == {
        "llmContent": 'No search results or information found for query: "Otter?"',
        "returnDisplay": "No information found.",
    }


async def test_half_a_character_in_an_answer_does_no_harm(searcher: Searcher) -> None:
    page = '{"uri": "https://a.example/", "title": "\\udd94"}'
    reply = (
        '{"candidates": [{"content": {"parts": [{"text": "x\\ud83e"}]}, '
        f'"groundingMetadata": {{"groundingChunks": [{{"web": {page}}}]}}}}]}}'
    )
    async with loopback.serve(loopback.reply(reply.encode())) as server:
        text = await searcher.tools(base_url=server.url)["websearch_gemini"].execute({"query": "q"})

    result = open_fences(json.loads(text.encode()))
    assert result["llmContent"].endswith("x\ufffd\n\nSources:\n[1] \ufffd (https://a.example/)")
    assert result["sources"][0]["web"]["title"] == "\ufffd"


@pytest.mark.parametrize("provider", [*FAILED])
async def test_a_failure_is_a_result_with_a_type_and_never_shows_the_key(
    searcher: Searcher, provider: str
) -> None:
    arguments = {"query": ASKED, "provider": provider}

    result = await searcher.run("websearch", arguments, fault="unauthorized")

    error = result["error"]
    assert error["type"] == FAILED[provider]
    assert result == {
        "llmContent": f"Error: {result['returnDisplay']}\n\nDetails: {error['message']}",
        "returnDisplay": result["returnDisplay"],
        "error": error,
    }
    assert KEY not in json.dumps(result)


@pytest.mark.parametrize("provider", ["openai_oauth", "anthropic", "openai-responses"])
async def test_a_stream_that_breaks_off_is_a_failure(searcher: Searcher, provider: str) -> None:
    arguments = {"query": ASKED, "provider": provider}

    result = await searcher.run("websearch", arguments, fault="end_without_terminal")

    assert result["error"]["type"] == FAILED[provider]


@pytest.mark.parametrize("fault", ["garbage_json", "wrong_content_type", "cut_in_event"])
@pytest.mark.parametrize("tool", ["websearch_gemini", "websearch_openrouter"])
async def test_a_damaged_reply_is_a_failure(searcher: Searcher, tool: str, fault: str) -> None:
    result = await searcher.run(tool, {"query": ASKED}, fault=fault)

    assert result["error"]["type"] == FAILED[tool.removeprefix("websearch_")]


@pytest.mark.parametrize("reply", [b"[]", b'"x"', b'{"candidates": [7]}', b'{"candidates": 7}'])
async def test_a_reply_of_another_shape_is_a_failure(searcher: Searcher, reply: bytes) -> None:
    async with loopback.serve(loopback.reply(reply)) as server:
        result = await searcher.run("websearch_gemini", {"query": "x"}, base_url=server.url)

    assert result["error"]["type"] == "GEMINI_WEB_SEARCH_FAILED"


async def test_the_tools_are_these_and_take_only_what_they_say(searcher: Searcher) -> None:
    tools = searcher.tools()

    assert {name: tool.input_schema["required"] for name, tool in tools.items()} == {
        "websearch_gemini": ["query"],
        "websearch_openai_oauth": ["query"],
        "websearch_openrouter": ["query"],
        "websearch": ["query", "provider"],
    }
    properties: Any = tools["websearch"].input_schema["properties"]
    assert properties["provider"]["enum"] == [*FAILED]
    assert all(not tool.input_schema["additionalProperties"] for tool in tools.values())
