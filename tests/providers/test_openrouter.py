"""What OpenRouter is asked on either surface, and what it says."""

import json

import pytest

from groundwire.errors import RateLimitError
from groundwire.events import (
    Citations,
    Done,
    Error,
    TextDelta,
    ThinkingDelta,
)
from groundwire.model import Citation, Json, ModelInfo, Secret, ToolDefinition, Usage, UserMessage
from groundwire.providers.openrouter import provider
from groundwire.wire.contract import Access, Answers, HttpReply, HttpRequest, Question
from tests.providers.openai_wire import chunk, feed, replay, reply_of

BASE = "https://openrouter.ai/api/v1"
ASK = (UserMessage(content="Do otters hold hands?"),)
QUESTION = Question(
    model="deepseek/deepseek-chat",
    messages=ASK,
    web_search=True,
    allowed_domains=("*.wikipedia.org", "otters.example"),
    blocked_domains=("ads.example",),
    max_tokens=100,
)
UPSTREAM: Json = {
    "code": 429,
    "message": "Provider returned error",
    "metadata": {"provider_name": "Google", "raw": "too many cooks"},
}


def body_of(question: Question, **options: Json) -> Json:
    access = Access(base_url=BASE, key=Secret("sk-or-1"), options=options)
    return json.loads(provider.answer_request(question, access).body or b"")


def test_it_answers() -> None:
    assert isinstance(provider, Answers)


def test_a_question_goes_to_chat_with_the_web_plugin() -> None:
    request = provider.answer_request(QUESTION, Access(base_url=BASE, key=Secret("sk-or-1")))

    assert request == HttpRequest(
        method="POST",
        url="https://openrouter.ai/api/v1/chat/completions",
        headers={"Content-Type": "application/json", "Authorization": "Bearer sk-or-1"},
        body=request.body,
    )
    assert json.loads(request.body or b"") == {
        "model": "deepseek/deepseek-chat",
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": [{"role": "user", "content": "Do otters hold hands?"}],
        "max_tokens": 100,
        "plugins": [
            {
                "id": "web",
                "max_results": 3,
                "include_domains": ["*.wikipedia.org", "otters.example"],
                "exclude_domains": ["ads.example"],
            }
        ],
    }


def test_the_server_tool_stands_beside_other_tools_and_takes_one_list() -> None:
    tool = ToolDefinition(name="clock", description="", parameters={})
    question = Question(
        model="m",
        messages=ASK,
        tools=(tool,),
        web_search=True,
        allowed_domains=QUESTION.allowed_domains,
        blocked_domains=QUESTION.blocked_domains,
    )

    body = body_of(question, web_tool="server", max_results=7, engine="exa", max_uses=2)

    function = {"name": "clock", "description": "", "parameters": {}}
    assert body["tools"] == [
        {"type": "function", "function": function},
        {
            "type": "openrouter:web_search",
            "parameters": {
                "max_results": 7,
                "allowed_domains": ["wikipedia.org", "otters.example"],
                "engine": "exa",
                "max_uses": 2,
            },
        },
    ]
    assert "plugins" not in body


def test_the_server_tool_takes_the_blocked_list_when_there_is_no_other() -> None:
    question = Question(
        model="m", messages=ASK, web_search=True, blocked_domains=("*.ads.example",)
    )

    [tool] = body_of(question, web_tool="server")["tools"]

    assert tool["parameters"] == {"max_results": 3, "excluded_domains": ["ads.example"]}


def test_the_responses_surface_takes_the_plugin_too() -> None:
    request = provider.answer_request(
        QUESTION, Access(base_url=BASE, options={"surface": "responses", "search_prompt": "Look:"})
    )

    assert request.url == "https://openrouter.ai/api/v1/responses"
    content = [{"type": "input_text", "text": "Do otters hold hands?"}]
    assert json.loads(request.body or b"") == {
        "model": "deepseek/deepseek-chat",
        "stream": True,
        "store": False,
        "input": [{"type": "message", "role": "user", "content": content}],
        "max_output_tokens": 100,
        "plugins": [
            {
                "id": "web",
                "max_results": 3,
                "include_domains": ["*.wikipedia.org", "otters.example"],
                "exclude_domains": ["ads.example"],
                "search_prompt": "Look:",
            }
        ],
    }


def test_anywhere_is_no_filter_and_no_search_is_no_plugin() -> None:
    anywhere = Question(model="m", messages=ASK, web_search=True, allowed_domains=("*",))

    assert body_of(anywhere)["plugins"] == [{"id": "web", "max_results": 3}]
    assert body_of(Question(model="m", messages=ASK), reasoning={"effort": "low"}) == {
        "model": "m",
        "stream": True,
        "stream_options": {"include_usage": True},
        "messages": [{"role": "user", "content": "Do otters hold hands?"}],
        "reasoning": {"effort": "low"},
    }


def test_citations_come_first_without_a_place_and_with_the_page_s_words() -> None:
    events = replay(provider.answer_decoder(), "openrouter-search.sse")

    assert events == [
        Citations(
            (
                Citation(
                    url="https://otters.example/hands",
                    title="otters.example",
                    quote="Otters hold hands while they sleep.",
                ),
            )
        ),
        ThinkingDelta("Easy."),
        TextDelta("They do."),
        Usage(
            input_tokens=900,
            output_tokens=12,
            cached_input_tokens=0,
            cache_write_tokens=0,
            thinking_tokens=2,
            searches=1,
            cost_usd=0.0075,
        ),
        Citations(
            (
                Citation(
                    url="https://sea.example/otter",
                    title="Sea otter",
                    quote="The sea otter.",
                    start=0,
                    end=4,
                ),
            )
        ),
        Done("stop"),
    ]


def test_the_other_surface_is_known_by_its_first_event() -> None:
    reader = provider.answer_decoder()
    usage = {"input_tokens": 5, "server_tool_use_details": {"web_search_requests": 2}}
    response = {"status": "completed", "output": [], "usage": usage}

    events = feed(
        reader,
        [
            {"type": "response.created", "response": {}},
            {"type": "response.output_text.delta", "delta": "Yes"},
            {"type": "response.completed", "response": response},
        ],
    )

    assert events == [TextDelta("Yes"), Usage(input_tokens=5, searches=2), Done("completed")]
    assert reader.finish() == ()


def test_whole_replies_of_both_surfaces_are_read() -> None:
    chat = {"choices": [{"message": {"content": "Yes"}, "finish_reason": "stop"}]}
    message = {"type": "message", "content": [{"type": "output_text", "text": "Yes"}]}
    responses = {"status": "completed", "output": [message]}

    assert provider.answer_decoder().feed_body(chat) == [TextDelta("Yes"), Done("stop")]
    assert provider.answer_decoder().feed_body(responses) == [TextDelta("Yes"), Done("completed")]


def test_a_stream_with_nothing_in_it_is_an_error() -> None:
    [event] = provider.answer_decoder().finish()

    assert isinstance(event, Error)
    assert event.code == "truncated"


def test_an_error_in_a_chunk_is_told_with_the_words_of_the_upstream() -> None:
    reader = provider.answer_decoder()

    events = feed(
        reader, [chunk({"content": "Yes"}), chunk({"content": ""}, error=UPSTREAM), "[DONE]"]
    )

    assert events == [
        TextDelta("Yes"),
        Error(
            "openrouter: Provider returned error (Google: too many cooks)"
            "; wait, or name a second provider in the settings",
            "rate_limit",
        ),
    ]
    assert reader.finish() == ()


def test_a_failed_reply_keeps_the_words_of_the_upstream_and_the_time_to_wait() -> None:
    reply = HttpReply(
        status=429,
        headers={"retry-after": "7"},
        body=json.dumps({"error": UPSTREAM}).encode(),
        service="openrouter",
    )

    fault = provider.error_from(reply)

    assert isinstance(fault, RateLimitError)
    assert fault.reason == "Provider returned error (Google: too many cooks)"
    assert fault.retry_after_seconds == 7


def test_words_of_the_upstream_in_json_are_read() -> None:
    raw = json.dumps({"error": {"message": "too many cooks", "code": 8}})
    error = {**UPSTREAM, "metadata": {"raw": raw}}

    fault = provider.error_from(reply_of(429, {"error": error}))

    assert fault is not None
    assert fault.reason == "Provider returned error (upstream: too many cooks)"


@pytest.mark.parametrize("status", [200, 402])
def test_an_error_of_its_own_means_what_its_status_says(status: int) -> None:
    reply = reply_of(status, {"error": {"code": 402, "message": "No credits."}})

    assert provider.error_from(reply) is None


def test_models_that_write_text_are_listed() -> None:
    listing = {
        "data": [
            {"id": "a/b", "name": "A: B", "architecture": {"output_modalities": ["text"]}},
            {"id": "a/c", "name": "A: C", "expiration_date": "2027-01-01"},
            {"id": "a/d", "architecture": {"output_modalities": ["image"]}},
        ]
    }

    assert provider.models(reply_of(200, listing)) == [
        ModelInfo(id="a/b", title="A: B"),
        ModelInfo(id="a/c", title="A: C", shutdown_date="2027-01-01"),
    ]
    assert provider.models_request(Access(base_url=BASE)).url == f"{BASE}/models"


def test_tools_are_wrapped_as_functions() -> None:
    tool = ToolDefinition(name="clock", description="", parameters={})

    assert provider.tool_definitions([tool])[0]["type"] == "function"


def test_an_unknown_event_at_the_beginning_does_not_choose_the_surface() -> None:
    decoder = provider.answer_decoder()
    said = {"choices": [{"delta": {"content": "Yes."}, "finish_reason": "stop"}]}

    events = [
        *decoder.feed_data('{"type": "glow"}'),
        *decoder.feed_data(json.dumps(said)),
        *decoder.feed_data("[DONE]"),
        *decoder.finish(),
    ]

    assert events == [TextDelta("Yes."), Done("stop")]
