"""What OpenAI's Chat Completions are asked, which models they have and what their errors mean."""

import json
from datetime import UTC, date, datetime

import pytest

from groundwire.errors import (
    AuthError,
    ConfigError,
    InvalidRequestError,
    QuotaError,
    WebSearchUnsupportedError,
)
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
from groundwire.providers.openai import OpenAI, provider
from groundwire.wire.contract import Access, Answers, HttpRequest, Question
from groundwire.wire.errors import read_fault
from tests.providers.openai_wire import reply_of

BASE = "https://api.openai.com/v1"
ASK = (UserMessage(content="Do otters hold hands?"),)
ASKED: Json = {"role": "user", "content": "Do otters hold hands?"}
WEATHER = ToolDefinition(name="weather", description="Tell it.", parameters={"type": "object"})
NOW = datetime(2026, 11, 15, tzinfo=UTC)


def body_of(question: Question, **options: Json) -> Json:
    access = Access(base_url=BASE, key=Secret("sk-1"), options=options)
    return json.loads(provider.answer_request(question, access).body or b"")


def test_it_answers() -> None:
    assert isinstance(provider, Answers)


def test_a_question_is_posted_with_its_key() -> None:
    question = Question(
        model="gpt-4.1",
        messages=ASK,
        system_prompt="Be brief.",
        tools=(WEATHER,),
        temperature=0.7,
        max_tokens=500,
    )

    request = provider.answer_request(question, Access(base_url=BASE, key=Secret("sk-1")))

    assert request == HttpRequest(
        method="POST",
        url="https://api.openai.com/v1/chat/completions",
        headers={"Content-Type": "application/json", "Authorization": "Bearer sk-1"},
        body=request.body,
    )
    function = {"name": "weather", "description": "Tell it.", "parameters": {"type": "object"}}
    assert json.loads(request.body or b"") == {
        "model": "gpt-4.1",
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": [{"role": "system", "content": "Be brief."}, ASKED],
        "tools": [{"type": "function", "function": function}],
        "temperature": 0.7,
        "max_completion_tokens": 500,
    }


def test_a_local_server_gets_no_key_and_its_own_word_for_the_limit() -> None:
    access = Access(base_url="http://127.0.0.1:1234/v1", options={"max_tokens_field": "max_tokens"})

    request = provider.answer_request(Question(model="smollm2", messages=ASK, max_tokens=9), access)

    assert request.url == "http://127.0.0.1:1234/v1/chat/completions"
    assert request.headers == {"Content-Type": "application/json"}
    assert json.loads(request.body or b"") == {
        "model": "smollm2",
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": [ASKED],
        "max_tokens": 9,
    }


def test_calls_and_their_results_go_back_in_order() -> None:
    calls = (
        ToolCall(id="call_a", name="weather", arguments='{"city":"Oslo"}'),
        ToolCall(id="call_b", name="clock", arguments=""),
    )
    messages = (
        *ASK,
        AssistantMessage(content="", tool_calls=calls, raw_blocks=[{}], raw_provider="openai"),
        ToolResultMessage(tool_call_id="call_a", content="Rain."),
        ToolResultMessage(tool_call_id="call_b", content="Noon.", is_error=True),
        AssistantMessage(content="It rains."),
    )

    body = body_of(Question(model="gpt-4.1", messages=messages))

    weather = {"name": "weather", "arguments": '{"city":"Oslo"}'}
    clock = {"name": "clock", "arguments": "{}"}
    assert body["messages"] == [
        ASKED,
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "call_a", "type": "function", "function": weather},
                {"id": "call_b", "type": "function", "function": clock},
            ],
        },
        {"role": "tool", "tool_call_id": "call_a", "content": "Rain."},
        {"role": "tool", "tool_call_id": "call_b", "content": "Noon."},
        {"role": "assistant", "content": "It rains."},
    ]


def test_files_are_sent_as_pictures_as_text_or_whole() -> None:
    message = UserMessage(
        content="What are these?",
        attachments=(
            Attachment(type="image", mime_type="image/png", base64_data="iVBO"),
            Attachment(
                type="file", mime_type="text/plain", base64_data="T3R0ZXI=", file_name="a.txt"
            ),
            Attachment(
                type="file", mime_type="application/pdf", base64_data="JVBE", file_name="b.pdf"
            ),
        ),
    )

    body = body_of(Question(model="gpt-4.1", messages=(message,)))

    pdf = {"filename": "b.pdf", "file_data": "data:application/pdf;base64,JVBE"}
    assert body["messages"][0]["content"] == [
        {"type": "text", "text": "What are these?"},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBO"}},
        {"type": "text", "text": "File a.txt:\n\nOtter"},
        {"type": "file", "file": pdf},
    ]


def test_a_text_file_that_is_not_base64_is_refused_by_its_name() -> None:
    broken = Attachment(type="file", mime_type="text/csv", base64_data="é", file_name="a.csv")
    question = Question(model="gpt-4.1", messages=(UserMessage(content="", attachments=(broken,)),))

    with pytest.raises(ConfigError, match=r"'a.csv': is not base64"):
        body_of(question)


@pytest.mark.parametrize("model", ["gpt-4o-search-preview", "gpt-5-search-api"])
def test_a_search_model_searches(model: str) -> None:
    question = Question(model=model, messages=ASK, web_search=True, allowed_domains=("a.example",))

    body = body_of(question)

    assert body == {
        "model": model,
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": [ASKED],
        "web_search_options": {"search_context_size": "medium"},
    }


def test_the_place_of_the_user_stands_one_level_deeper() -> None:
    question = Question(model="gpt-5-search-api", messages=ASK, web_search=True)

    body = body_of(question, search_context_size="low", user_location={"country": "NO"})

    assert body["web_search_options"] == {
        "search_context_size": "low",
        "user_location": {"type": "approximate", "approximate": {"country": "NO"}},
    }


def test_a_model_without_search_is_refused_before_anything_is_sent() -> None:
    question = Question(model="gpt-4.1", messages=ASK, web_search=True)

    with pytest.raises(WebSearchUnsupportedError, match=r"'gpt-4.1' has no web search.*responses"):
        body_of(question)


def test_an_option_says_whether_a_server_takes_search_options() -> None:
    question = Question(model="sonar", messages=ASK, web_search=True)

    body = body_of(question, web_search_options=True, reasoning_effort="low")

    assert body["web_search_options"] == {"search_context_size": "medium"}
    assert body["reasoning_effort"] == "low"
    with pytest.raises(WebSearchUnsupportedError):
        body_of(
            Question(model="gpt-5-search-api", messages=ASK, web_search=True),
            web_search_options=False,
        )


def test_models_are_listed_with_the_key() -> None:
    request = provider.models_request(Access(base_url=BASE, key=Secret("sk-1")))

    assert request == HttpRequest(
        method="GET", url=f"{BASE}/models", headers={"Authorization": "Bearer sk-1"}
    )


LIST: Json = {
    "object": "list",
    "data": [
        {"id": "gpt-5.5", "object": "model"},
        {"id": "gpt-4-turbo", "object": "model", "shutdown_date": "2026-10-23"},
        {"id": "gpt-4o", "object": "model", "shutdown_date": "2027-01-14"},
        {"id": "o3-mini", "object": "model", "shutdown_date": None},
        {"id": "chatgpt-4o-latest", "object": "model"},
        *(
            {"id": name, "object": "model"}
            for name in (
                "gpt-4o-audio-preview",
                "gpt-image-1",
                "gpt-realtime",
                "gpt-4o-mini-tts",
                "gpt-4o-transcribe",
                "gpt-3.5-turbo-instruct",
                "text-embedding-3-small",
                "omni-moderation-latest",
                "whisper-1",
            )
        ),
    ],
}


def test_only_living_models_for_conversation_are_listed() -> None:
    openai = OpenAI(today=lambda: date(2026, 11, 15))

    models = openai.models(reply_of(200, LIST, url="https://api.openai.com/v1/models"))

    assert models == [
        ModelInfo(id="gpt-5.5"),
        ModelInfo(id="gpt-4o", shutdown_date="2027-01-14"),
        ModelInfo(id="o3-mini"),
        ModelInfo(id="chatgpt-4o-latest"),
    ]


def test_all_models_are_listed_on_request() -> None:
    asked = provider.models(reply_of(200, LIST), show_all=True)

    assert [model.id for model in asked] == [entry["id"] for entry in LIST["data"]]


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:1234/v1/models", "https://gateway.example.org/openai/v1/models"]
)
def test_another_server_lists_its_own_models_and_none_that_cannot_talk(url: str) -> None:
    own = ["llama-3.3-70b-instruct", "smollm2", "qwen2-audio", "mistralai/devstral", "gpt-5.5"]
    mute = [
        "text-embedding-3-small",
        "nomic-embed-text",
        "whisper-1",
        "tts-1-hd",
        "gpt-4o-mini-tts",
        "gpt-4o-transcribe",
        "gpt-image-2",
        "gpt-realtime",
        "gpt-audio",
        "dall-e-3",
        "omni-moderation-latest",
        "BAAI/bge-reranker",
        "stable-diffusion-xl",
    ]
    listed = {"data": [{"id": name} for name in [*own, *mute]]}

    models = provider.models(reply_of(200, listed, url=url))

    assert [model.id for model in models if model.id not in mute] == own
    assert [model.id for model in models if model.id in mute] == []


def test_search_on_the_wrong_model_is_told_as_that() -> None:
    error = {
        "message": "Web search options not supported with this model.",
        "type": "invalid_request_error",
        "param": "web_search_options",
        "code": None,
    }

    fault = provider.error_from(reply_of(400, {"error": error}))

    assert isinstance(fault, WebSearchUnsupportedError)
    assert fault.status == 400
    assert str(fault) == (
        "openai (HTTP 400): Web search options not supported with this model"
        "; choose a model that searches, or client search"
    )


def test_a_missing_key_is_not_an_invalid_request() -> None:
    error = {"message": "You didn't provide an API key.", "type": "invalid_request_error"}

    fault = provider.error_from(reply_of(401, {"error": error}))

    assert isinstance(fault, AuthError)


@pytest.mark.parametrize(
    ("status", "words", "kind"),
    [
        (429, {"type": "insufficient_quota", "code": "insufficient_quota"}, QuotaError),
        (404, {"type": "invalid_request_error", "code": "model_not_found"}, InvalidRequestError),
    ],
)
def test_other_errors_mean_what_they_mean_everywhere(
    status: int, words: Json, kind: type[Exception]
) -> None:
    reply = reply_of(status, {"error": {"message": "No.", **words}})

    assert provider.error_from(reply) is None
    fault = read_fault("openai", status=status, headers={}, body=reply.body, now=NOW)
    assert type(fault) is kind


def test_a_good_reply_is_no_error() -> None:
    assert provider.error_from(reply_of(200, {"choices": [], "error": None})) is None
