"""What OpenAI's Responses are asked, and what their errors mean."""

import json

import pytest

from groundwire.errors import AuthError, WebSearchUnsupportedError
from groundwire.model import (
    AssistantMessage,
    Attachment,
    Json,
    ModelInfo,
    Secret,
    ToolCall,
    ToolDefinition,
    ToolResultMessage,
    UserMessage,
)
from groundwire.providers.openai_responses import provider
from groundwire.wire.contract import Access, Answers, HttpRequest, Question
from tests.providers.openai_wire import reply_of

BASE = "https://api.openai.com/v1"
ASK = (UserMessage(content="Do otters hold hands?"),)
ASKED: Json = {
    "type": "message",
    "role": "user",
    "content": [{"type": "input_text", "text": "Do otters hold hands?"}],
}
WEATHER = ToolDefinition(name="weather", description="Tell it.", parameters={"type": "object"})
FUNCTION: Json = {
    "type": "function",
    "name": "weather",
    "description": "Tell it.",
    "parameters": {"type": "object"},
    "strict": False,
}
CALL = ToolCall(id="call_a", name="weather", arguments='{"city":"Oslo"}')
RAW: Json = [
    {"type": "reasoning", "id": "rs_1", "encrypted_content": "gAAA", "summary": []},
    {"type": "web_search_call", "id": "ws_1", "status": "completed"},
    {"type": "function_call", "call_id": "call_a", "name": "weather", "arguments": "{}"},
]
RESULT = ToolResultMessage(tool_call_id="call_a", content="Rain.")
OUTPUT: Json = {"type": "function_call_output", "call_id": "call_a", "output": "Rain."}


def body_of(question: Question, **options: Json) -> Json:
    access = Access(base_url=BASE, key=Secret("sk-1"), options=options)
    return json.loads(provider.answer_request(question, access).body or b"")


def tool_of(question: Question, **options: Json) -> Json:
    return body_of(question, **options)["tools"][-1]


def test_it_answers() -> None:
    assert isinstance(provider, Answers)


def test_a_question_with_search_is_posted_with_its_key() -> None:
    question = Question(
        model="gpt-5.5",
        messages=ASK,
        system_prompt="Be brief.",
        tools=(WEATHER,),
        web_search=True,
        temperature=0.5,
        max_tokens=500,
    )

    request = provider.answer_request(question, Access(base_url=BASE, key=Secret("sk-1")))

    assert request == HttpRequest(
        method="POST",
        url="https://api.openai.com/v1/responses",
        headers={"Content-Type": "application/json", "Authorization": "Bearer sk-1"},
        body=request.body,
    )
    assert json.loads(request.body or b"") == {
        "model": "gpt-5.5",
        "stream": True,
        "store": False,
        "instructions": "Be brief.",
        "input": [ASKED],
        "tools": [FUNCTION, {"type": "web_search", "search_context_size": "medium"}],
        "temperature": 0.5,
        "max_output_tokens": 500,
        "include": ["reasoning.encrypted_content", "web_search_call.action.sources"],
    }


def test_a_plain_question_to_a_model_without_reasoning_includes_nothing() -> None:
    assert body_of(Question(model="gpt-4.1", messages=ASK)) == {
        "model": "gpt-4.1",
        "stream": True,
        "store": False,
        "input": [ASKED],
    }


@pytest.mark.parametrize(
    ("model", "options", "is_included"),
    [
        ("o3", {}, True),
        ("gpt-5-mini", {}, True),
        ("gpt-5-chat-latest", {}, False),
        ("gpt-4o", {}, False),
        ("gpt-oss:20b", {"encrypted_reasoning": True}, True),
        ("gpt-5.5", {"encrypted_reasoning": False}, False),
    ],
)
def test_reasoning_is_asked_for_where_there_is_some(
    model: str, options: Json, is_included: bool
) -> None:
    body = body_of(Question(model=model, messages=ASK), **options)

    assert body.get("include", []) == ["reasoning.encrypted_content"] * is_included


def test_options_reach_the_service() -> None:
    body = body_of(
        Question(model="gpt-4.1", messages=ASK),
        reasoning={"effort": "low", "summary": "auto"},
        prompt_cache_key="turn-1",
    )

    assert body["reasoning"] == {"effort": "low", "summary": "auto"}
    assert body["prompt_cache_key"] == "turn-1"


def test_domains_are_sent_without_wildcards() -> None:
    question = Question(
        model="gpt-5.5",
        messages=ASK,
        web_search=True,
        allowed_domains=("*.wikipedia.org", "wikipedia.org", "otters.example"),
        blocked_domains=("ads.example", "*.spam.example"),
    )

    tool = tool_of(
        question,
        tool_type="web_search_2025_08_26",
        search_context_size="high",
        user_location={"city": "Oslo", "country": "NO"},
        external_web_access=False,
    )

    assert tool == {
        "type": "web_search_2025_08_26",
        "search_context_size": "high",
        "user_location": {"type": "approximate", "city": "Oslo", "country": "NO"},
        "filters": {
            "allowed_domains": ["wikipedia.org", "otters.example"],
            "blocked_domains": ["ads.example", "spam.example"],
        },
        "external_web_access": False,
    }


def test_anywhere_is_no_filter_and_nowhere_in_particular_is_a_place() -> None:
    question = Question(
        model="gpt-5.5", messages=ASK, web_search=True, allowed_domains=("a.example", "*")
    )

    assert tool_of(question, user_location={}) == {
        "type": "web_search",
        "search_context_size": "medium",
        "user_location": {"type": "approximate"},
    }


def test_no_more_than_a_hundred_domains_are_sent() -> None:
    domains = tuple(f"d{number}.example" for number in range(130))
    question = Question(model="gpt-5.5", messages=ASK, web_search=True, allowed_domains=domains)

    assert tool_of(question)["filters"] == {"allowed_domains": list(domains[:100])}


def test_the_preview_has_no_filters() -> None:
    question = Question(
        model="gpt-4o", messages=ASK, web_search=True, allowed_domains=("a.example",)
    )

    assert tool_of(question, tool_type="web_search_preview") == {
        "type": "web_search_preview",
        "search_context_size": "medium",
    }


def test_files_are_sent_as_pictures_as_text_or_whole() -> None:
    message = UserMessage(
        content="",
        attachments=(
            Attachment(type="image", mime_type="image/png", base64_data="iVBO"),
            Attachment(
                type="file", mime_type="application/json", base64_data="e30=", file_name="a.json"
            ),
            Attachment(type="file", mime_type="application/pdf", base64_data="JVBE"),
        ),
    )

    body = body_of(Question(model="gpt-4.1", messages=(message,)))

    assert body["input"][0]["content"] == [
        {"type": "input_image", "image_url": "data:image/png;base64,iVBO"},
        {"type": "input_text", "text": "File a.json:\n\n{}"},
        {
            "type": "input_file",
            "filename": "file",
            "file_data": "data:application/pdf;base64,JVBE",
        },
    ]


PLAIN: Json = [
    {
        "type": "message",
        "role": "assistant",
        "content": [{"type": "output_text", "text": "One moment."}],
    },
    {
        "type": "function_call",
        "call_id": "call_a",
        "name": "weather",
        "arguments": '{"city":"Oslo"}',
    },
]


def test_our_own_blocks_go_back_as_they_came() -> None:
    said = AssistantMessage(
        content="One moment.", tool_calls=(CALL,), raw_blocks=RAW, raw_provider="openai-responses"
    )

    body = body_of(Question(model="gpt-5.5", messages=(*ASK, said, RESULT)))

    assert body["input"] == [ASKED, *RAW, OUTPUT]


@pytest.mark.parametrize("stranger", ["codex", "anthropic", ""])
def test_the_blocks_of_others_do_not(stranger: str) -> None:
    said = AssistantMessage(
        content="One moment.", tool_calls=(CALL,), raw_blocks=RAW, raw_provider=stranger
    )

    body = body_of(Question(model="gpt-5.5", messages=(*ASK, said, RESULT)))

    assert body["input"] == [ASKED, *PLAIN, OUTPUT]


def test_blocks_with_a_call_that_has_no_result_do_not_go_back_in_half() -> None:
    said = AssistantMessage(content="One moment.", raw_blocks=RAW, raw_provider="openai-responses")

    body = body_of(Question(model="gpt-5.5", messages=(*ASK, said, *ASK)))

    assert body["input"] == [ASKED, PLAIN[0], ASKED]


def test_models_are_those_of_openai() -> None:
    listing = {"data": [{"id": "gpt-5.5"}, {"id": "gpt-image-1"}]}

    assert provider.models(reply_of(200, listing)) == [ModelInfo(id="gpt-5.5")]
    request = provider.models_request(Access(base_url=BASE))
    assert request == HttpRequest(method="GET", url=f"{BASE}/models")


def test_errors_are_those_of_openai() -> None:
    hosted = {
        "message": "Hosted tool 'web_search' is not supported with gpt-4.1-nano.",
        "type": "invalid_request_error",
        "param": "tools",
    }

    assert isinstance(
        provider.error_from(reply_of(400, {"error": hosted})), WebSearchUnsupportedError
    )
    assert isinstance(provider.error_from(reply_of(401, {"error": {}})), AuthError)
    assert provider.error_from(reply_of(400, {"error": {"param": "tools"}})) is None
