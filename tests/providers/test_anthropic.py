"""What Anthropic is asked, header by header and field by field."""

import json

import pytest

from groundwire.errors import (
    BadReplyError,
    SettingsError,
    WebSearchUnsupportedError,
)
from groundwire.model import (
    AssistantMessage,
    Json,
    ModelInfo,
    Secret,
    ToolDefinition,
    UserMessage,
)
from groundwire.providers.anthropic import provider
from groundwire.wire.contract import Access, HttpReply, HttpRequest, Question

BASE = "https://api.anthropic.com/v1"
ASK = (UserMessage(content="Do otters hold hands?"),)
ASKED: Json = {"role": "user", "content": [{"type": "text", "text": "Do otters hold hands?"}]}

CALL: Json = {"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}


def _access(**options: Json) -> Access:
    return Access(base_url=BASE, key=Secret("sk-1"), options=options)


def _body(question: Question, **options: Json) -> Json:
    request = provider.answer_request(question, _access(**options))
    return json.loads(request.body or b"")


def test_a_question_is_posted_with_its_key_and_version() -> None:
    tool = ToolDefinition(name="add", description="Add.", parameters={"type": "object"})
    question = Question(
        model="claude-haiku-4-5",
        messages=ASK,
        system_prompt="Be brief.",
        tools=(tool,),
        temperature=0.7,
    )

    request = provider.answer_request(question, _access())

    assert request == HttpRequest(
        method="POST",
        url="https://api.anthropic.com/v1/messages",
        headers={
            "Content-Type": "application/json",
            "anthropic-version": "2023-06-01",
            "x-api-key": "sk-1",
        },
        body=request.body,
    )
    assert json.loads(request.body or b"") == {
        "model": "claude-haiku-4-5",
        "max_tokens": 16000,
        "stream": True,
        "system": "Be brief.",
        "messages": [ASKED],
        "tools": [{"name": "add", "description": "Add.", "input_schema": {"type": "object"}}],
        "temperature": 0.7,
    }


def test_web_search_offers_search_and_fetch_with_their_limits() -> None:
    question = Question(
        model="claude-haiku-4-5",
        messages=ASK,
        web_search=True,
        allowed_domains=("help.sap.com", "*.wikipedia.org", "wikipedia.org"),
        blocked_domains=("example.com",),
        max_tokens=500,
    )

    request = provider.answer_request(question, _access())

    domains = ["help.sap.com", "wikipedia.org"]
    assert request.headers["anthropic-beta"] == "web-fetch-2025-09-10"
    assert json.loads(request.body or b"") == {
        "model": "claude-haiku-4-5",
        "max_tokens": 500,
        "stream": True,
        "messages": [ASKED],
        "tools": [
            {
                "type": "web_search_20250305",
                "name": "web_search",
                "max_uses": 5,
                "allowed_domains": domains,
            },
            {
                "type": "web_fetch_20250910",
                "name": "web_fetch",
                "max_uses": 10,
                "allowed_domains": domains,
                "citations": {"enabled": True},
            },
        ],
    }


def test_newer_web_tools_are_used_directly_and_need_no_beta_header() -> None:
    question = Question(model="claude-opus-5-5", messages=ASK, web_search=True)
    options = {
        "web_search_type": "web_search_20260318",
        "web_fetch_type": "web_fetch_20260209",
        "max_searches": 2,
        "max_fetches": 3,
        "user_location": {"city": "Lisbon", "country": "PT"},
    }

    request = provider.answer_request(question, _access(**options))

    assert "anthropic-beta" not in request.headers
    assert json.loads(request.body or b"")["tools"] == [
        {
            "type": "web_search_20260318",
            "name": "web_search",
            "max_uses": 2,
            "user_location": {"type": "approximate", "city": "Lisbon", "country": "PT"},
            "allowed_callers": ["direct"],
        },
        {
            "type": "web_fetch_20260209",
            "name": "web_fetch",
            "max_uses": 3,
            "citations": {"enabled": True},
            "allowed_callers": ["direct"],
        },
    ]


def test_web_fetch_can_be_left_out() -> None:
    question = Question(
        model="claude-haiku-4-5", messages=ASK, web_search=True, blocked_domains=("*.example.com",)
    )

    request = provider.answer_request(question, _access(web_fetch=False))

    assert "anthropic-beta" not in request.headers
    assert json.loads(request.body or b"")["tools"] == [
        {
            "type": "web_search_20250305",
            "name": "web_search",
            "max_uses": 5,
            "blocked_domains": ["example.com"],
        }
    ]


@pytest.mark.parametrize(
    ("allowed", "blocked", "sent"),
    [
        (("*",), (), {}),
        (("*",), ("a.com",), {"blocked_domains": ["a.com"]}),
        (("b.com", "*"), (), {}),
    ],
)
def test_a_star_means_no_allow_list(
    allowed: tuple[str, ...], blocked: tuple[str, ...], sent: Json
) -> None:
    question = Question(
        model="m",
        messages=ASK,
        web_search=True,
        allowed_domains=allowed,
        blocked_domains=blocked,
    )

    search = _body(question)["tools"][0]

    assert {name: value for name, value in search.items() if name.endswith("domains")} == sent


def test_no_web_tool_is_offered_when_every_domain_is_blocked() -> None:
    question = Question(model="m", messages=ASK, web_search=True, blocked_domains=("*",))

    assert "tools" not in _body(question)


@pytest.mark.parametrize(
    ("model", "sent"),
    [
        ("claude-sonnet-4-20250514", {"type": "enabled", "budget_tokens": 10000}),
        ("claude-3-7-sonnet-20250219", {"type": "enabled", "budget_tokens": 10000}),
        ("claude-haiku-4-5", {"type": "enabled", "budget_tokens": 10000}),
        ("claude-opus-4-1-20250805", {"type": "enabled", "budget_tokens": 10000}),
        ("claude-sonnet-4-6", {"type": "adaptive"}),
        ("claude-opus-4-8", {"type": "adaptive"}),
        ("claude-fable-5", {"type": "adaptive"}),
        ("claude-opus-5-5-20260901", {"type": "adaptive"}),
        ("claude-next", {"type": "adaptive"}),
    ],
)
def test_each_generation_is_asked_to_think_in_its_own_way(model: str, sent: Json) -> None:
    question = Question(model=model, messages=ASK, temperature=1.0)

    body = _body(question, thinking="on")

    assert body["thinking"] == sent
    assert ("output_config" in body) == (sent["type"] == "adaptive")
    assert "temperature" not in body


def test_effort_and_display_are_the_users_choice() -> None:
    question = Question(model="claude-opus-4-8", messages=ASK)

    body = _body(question, thinking=True, effort="low", thinking_display="summarized")

    assert body["thinking"] == {"type": "adaptive", "display": "summarized"}
    assert body["output_config"] == {"effort": "low"}


@pytest.mark.parametrize(("max_tokens", "budget"), [(10_000, 5000), (2048, 1024), (2047, None)])
def test_thinking_leaves_room_for_the_answer(max_tokens: int, budget: int | None) -> None:
    question = Question(model="claude-haiku-4-5", messages=ASK, max_tokens=max_tokens)

    thinking = _body(question, thinking="on").get("thinking", {})

    assert thinking.get("budget_tokens") == budget


@pytest.mark.parametrize("options", [{"budget_tokens": 1023}, {"thinking": "hard"}])
def test_thinking_options_that_cannot_be_meant_are_refused(options: Json) -> None:
    question = Question(model="claude-haiku-4-5", messages=ASK)

    with pytest.raises(SettingsError):
        _body(question, **({"thinking": "on"} | options))


def test_the_second_api_version_takes_no_temperature() -> None:
    question = Question(model="claude-haiku-4-5", messages=ASK, temperature=0.2)

    request = provider.answer_request(question, _access(api_version="2026-10-21"))

    assert request.headers["anthropic-version"] == "2026-10-21"
    assert "temperature" not in json.loads(request.body or b"")


def test_the_key_can_be_sent_as_a_bearer_token_or_not_at_all() -> None:
    question = Question(model="m", messages=ASK)
    common = {"Content-Type": "application/json", "anthropic-version": "2023-06-01"}

    bearer = provider.answer_request(question, _access(bearer=True))
    none = provider.answer_request(question, Access(base_url=BASE))

    assert bearer.headers == {**common, "Authorization": "Bearer sk-1"}
    assert none.headers == common


def test_a_cached_prompt_is_marked_at_its_two_ends() -> None:
    mark = {"type": "ephemeral"}
    tool = ToolDefinition(name="add", description="Add.", parameters={})
    question = Question(model="m", messages=ASK, tools=(tool,))
    spoken = Question(
        model="m",
        messages=(*ASK, AssistantMessage(content="", raw_blocks=[CALL], raw_provider="anthropic")),
        system_prompt="Be brief.",
    )

    body = _body(question, cache=True)
    paused = _body(spoken, cache=True)

    assert body["tools"][0]["cache_control"] == mark
    assert body["messages"][0]["content"] == [{**ASKED["content"][0], "cache_control": mark}]
    assert paused["system"] == [{"type": "text", "text": "Be brief.", "cache_control": mark}]
    assert paused["messages"][1]["content"] == [CALL]


def test_models_are_listed_by_id_and_name() -> None:
    listed = {
        "data": [
            {"type": "model", "id": "claude-opus-5-5", "display_name": "Claude Opus 5.5"},
            {"type": "model", "id": "claude-haiku-4-5"},
        ],
        "has_more": False,
    }

    request = provider.models_request(_access())
    models = provider.models(HttpReply(status=200, body=json.dumps(listed).encode()))

    assert request.method == "GET"
    assert request.url == "https://api.anthropic.com/v1/models?limit=1000"
    assert request.headers == {"anthropic-version": "2023-06-01", "x-api-key": "sk-1"}
    assert models == [
        ModelInfo(id="claude-opus-5-5", title="Claude Opus 5.5"),
        ModelInfo(id="claude-haiku-4-5"),
    ]


def test_a_list_of_models_that_is_none_is_a_bad_reply() -> None:
    with pytest.raises(BadReplyError):
        provider.models(HttpReply(status=200, body=b"[]"))


def test_a_model_without_web_search_is_told_from_other_mistakes() -> None:
    no_search = _error("'claude-2.1' does not support tool types: web_search_20250305.")
    mistake = _error("max_tokens: must be greater than or equal to 1")

    error = provider.error_from(no_search)

    assert isinstance(error, WebSearchUnsupportedError)
    assert error.request_id == "req_1"
    assert "claude-2.1" in error.reason
    assert provider.error_from(mistake) is None
    assert provider.error_from(HttpReply(status=200, body=no_search.body)) is None


def _error(message: str) -> HttpReply:
    body = {"type": "error", "error": {"type": "invalid_request_error", "message": message}}
    return HttpReply(
        status=400,
        headers={"request-id": "req_1"},
        body=json.dumps(body).encode(),
        service="anthropic",
    )
