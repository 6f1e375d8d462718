"""What the Codex backend is asked, where it may be, and whose session it takes."""

import base64
import json
from datetime import UTC, datetime

import pytest

from groundwire.errors import (
    AuthError,
    ConfigError,
    MissingKeyError,
    NoSessionError,
    QuotaError,
    RateLimitError,
    SessionExpiredError,
)
from groundwire.model import Json, ModelInfo, Secret, ToolDefinition, UserMessage
from groundwire.providers.codex import provider
from groundwire.wire.contract import Access, Answers, HttpRequest, Question
from groundwire.wire.errors import read_fault
from groundwire.wire.openai.codex_session import CodexSession, account_id_in, read_session
from tests.providers.openai_wire import reply_of

BASE = "https://chatgpt.com/backend-api/codex"
ASK = (UserMessage(content="Do otters hold hands?"),)
INPUT: Json = {
    "type": "message",
    "role": "user",
    "content": [{"type": "input_text", "text": "Do otters hold hands?"}],
}
NOW = datetime(2026, 11, 15, 12, tzinfo=UTC)
LATER = int(datetime(2026, 11, 16, tzinfo=UTC).timestamp() * 1000)
EARLIER = int(datetime(2026, 11, 14, 9, 30, tzinfo=UTC).timestamp() * 1000)


def token(claims: Json) -> str:
    """Return a JWT as ChatGPT's are: base64url, and no padding."""
    payload = base64.urlsafe_b64encode(json.dumps(claims).encode()).decode().rstrip("=")
    return f"eyJh.{payload}.c2ln"


def access(**options: Json) -> Access:
    return Access(base_url=BASE, key=Secret("token-1"), options=options)


def test_it_answers() -> None:
    assert isinstance(provider, Answers)


QUESTION = Question(
    model="openai/gpt-5.5",
    messages=ASK,
    system_prompt="Be brief.",
    tools=(ToolDefinition(name="clock", description="", parameters={}),),
    web_search=True,
    temperature=0.5,
    max_tokens=100,
)


def test_a_question_is_posted_with_the_headers_that_the_backend_demands() -> None:
    options = {"account_id": "acc-1", "prompt_cache_key": "turn-1"}

    request = provider.answer_request(QUESTION, access(**options))

    assert request == HttpRequest(
        method="POST",
        url="https://chatgpt.com/backend-api/codex/responses",
        headers={
            "Content-Type": "application/json",
            "Authorization": "Bearer token-1",
            "OpenAI-Beta": "responses=experimental",
            "originator": "groundwire",
            "ChatGPT-Account-Id": "acc-1",
            "Accept": "text/event-stream",
            "session_id": "turn-1",
            "conversation_id": "turn-1",
        },
        body=request.body,
    )


def test_a_question_is_posted_without_what_the_backend_refuses() -> None:
    request = provider.answer_request(QUESTION, access(prompt_cache_key="turn-1"))

    assert json.loads(request.body or b"") == {
        "model": "gpt-5.5",
        "stream": True,
        "store": False,
        "instructions": "Be brief.",
        "input": [INPUT],
        "tools": [
            {
                "type": "function",
                "name": "clock",
                "description": "",
                "parameters": {},
                "strict": False,
            },
            {"type": "web_search", "search_context_size": "medium"},
        ],
        "prompt_cache_key": "turn-1",
        "include": ["reasoning.encrypted_content", "web_search_call.action.sources"],
    }


def test_there_are_always_instructions() -> None:
    question = Question(model="gpt-5.5", messages=ASK)

    request = provider.answer_request(question, access())
    told = provider.answer_request(question, access(instructions="Rhyme.", originator="me"))

    assert json.loads(request.body or b"")["instructions"].startswith("You are")
    assert json.loads(told.body or b"")["instructions"] == "Rhyme."
    assert told.headers["originator"] == "me"


def test_the_account_is_in_the_token_if_nobody_else_tells_it() -> None:
    key = Secret(token({"https://api.openai.com/auth": {"chatgpt_account_id": "acc-2"}}))

    request = provider.models_request(Access(base_url=BASE, key=key))

    assert request.url == f"{BASE}/models?client_version=0.166.0"
    assert request.headers["ChatGPT-Account-Id"] == "acc-2"


@pytest.mark.parametrize(
    "base_url",
    [
        "https://evil.example/backend-api/codex",
        "https://chatgpt.com.evil.example/codex",
        "https://chatgpt.com@evil.example/codex",
        "https://evil.example@chatgpt.com:8443/codex",
        "http://chatgpt.com/backend-api/codex",
        "http://10.0.0.1/codex",
        "",
    ],
)
def test_the_session_goes_nowhere_else(base_url: str) -> None:
    elsewhere = Access(base_url=base_url, key=Secret("token-1"))

    with pytest.raises(ConfigError, match=r"only to https://chatgpt\.com"):
        provider.answer_request(Question(model="gpt-5.5", messages=ASK), elsewhere)
    with pytest.raises(ConfigError):
        provider.models_request(elsewhere)


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "[::1]:8080", "localhost:8080"])
def test_a_sandbox_on_this_machine_is_allowed(host: str) -> None:
    here = Access(base_url=f"http://{host}/codex", key=Secret("token-1"))

    request = provider.answer_request(Question(model="gpt-5.5", messages=ASK), here)

    assert request.url == f"http://{host}/codex/responses"


def test_without_a_session_nothing_is_sent() -> None:
    with pytest.raises(MissingKeyError, match="opencode auth login"):
        provider.answer_request(Question(model="gpt-5.5", messages=ASK), Access(base_url=BASE))


@pytest.mark.parametrize(
    "credentials",
    [
        {"openai": {"type": "oauth", "access": "a", "expires": LATER, "accountId": "acc-1"}},
        {
            "anthropic": {"type": "api", "key": "k"},
            "openai/": {"type": "oauth", "access": "a", "expires": LATER, "accountId": "acc-1"},
        },
        {"type": "oauth", "access": "a", "expires": LATER, "metadata": {"accountID": "acc-1"}},
        [
            {"openai": {"type": "oauth", "access": "old", "expires": EARLIER}},
            {"integration_id": "google", "value": {"type": "oauth", "access": "g", "expires": 9}},
            {
                "integration_id": "openai",
                "value": {
                    "type": "oauth",
                    "access": "a",
                    "expires": LATER,
                    "metadata": {"accountID": "acc-1"},
                },
            },
        ],
    ],
)
def test_a_session_is_found_in_either_layout(credentials: Json) -> None:
    assert read_session(credentials, NOW) == CodexSession(
        access=Secret("a"), account_id="acc-1", expires_at=datetime(2026, 11, 16, tzinfo=UTC)
    )


@pytest.mark.parametrize(
    "credentials",
    [
        {},
        [],
        None,
        {"openai": {"type": "api", "key": "sk-1"}},
        {"openai": "x"},
        {"openai": {"type": "oauth"}},
        [{"integration_id": "google", "value": {"type": "oauth", "access": "a"}}],
    ],
)
def test_no_session_says_how_to_get_one(credentials: Json) -> None:
    with pytest.raises(NoSessionError, match="opencode auth login") as caught:
        read_session(credentials, NOW)

    assert caught.value.code == "missing_key"


def test_an_expired_session_says_who_renews_it() -> None:
    credentials = {"openai": {"type": "oauth", "access": "a", "expires": EARLIER}}

    with pytest.raises(SessionExpiredError) as caught:
        read_session(credentials, NOW)

    assert str(caught.value) == (
        "the ChatGPT session of OpenCode expired at 2026-11-14 09:30 UTC: "
        "run OpenCode once so that it refreshes it"
    )


@pytest.mark.parametrize("expires", [None, 0, "soon", 1e30])
def test_a_session_without_a_time_is_tried(expires: Json) -> None:
    credentials = {"openai": {"type": "oauth", "access": "a", "expires": expires}}

    assert read_session(credentials, NOW).expires_at is None


@pytest.mark.parametrize(
    ("claims", "account"),
    [
        ({"https://api.openai.com/auth": {"chatgpt_account_id": "a"}}, "a"),
        ({"chatgpt_account_id": "bb", "organizations": [{"id": "c"}]}, "bb"),
        ({"organizations": [{"id": "ccc"}, {"id": "d"}]}, "ccc"),
        ({"https://api.openai.com/auth": "x", "organizations": []}, ""),
        ({"name": "¿þÿ?>~"}, ""),
        ([], ""),
    ],
)
def test_the_account_is_in_one_of_three_claims(claims: Json, account: str) -> None:
    assert account_id_in(token(claims)) == account


@pytest.mark.parametrize("text", ["", "a.b", "a.!!!.c", "a.bm90IGpzb24.c", "sk-1", "a.é.c"])
def test_a_token_that_says_nothing_has_no_account(text: str) -> None:
    assert account_id_in(text) == ""


def test_a_refused_session_says_what_to_do() -> None:
    fault = provider.error_from(
        reply_of(401, {"detail": "Could not parse your token."}, service="codex")
    )

    assert isinstance(fault, AuthError)
    assert fault.reason == "Could not parse your token; run OpenCode once to sign in again"


@pytest.mark.parametrize(
    ("word", "kind"),
    [
        ("usage_limit_reached", QuotaError),
        ("usage_not_included", QuotaError),
        ("rate_limit_exceeded", RateLimitError),
    ],
)
def test_a_limit_that_comes_as_404_is_told_as_a_limit(word: str, kind: type[Exception]) -> None:
    reply = reply_of(404, {"error": {"code": word, "message": "The limit has been reached."}})

    assert provider.error_from(reply) is None
    fault = read_fault("codex", status=404, headers={}, body=reply.body, now=NOW)
    assert type(fault) is kind


def test_models_that_are_meant_to_be_chosen_are_listed() -> None:
    listing = {
        "models": [
            {"slug": "gpt-5.5", "display_name": "GPT-5.5", "visibility": "list"},
            {"slug": "gpt-5.5-mini"},
            {"slug": "gpt-test", "visibility": "hide"},
        ]
    }

    assert provider.models(reply_of(200, listing)) == [
        ModelInfo(id="gpt-5.5", title="GPT-5.5"),
        ModelInfo(id="gpt-5.5-mini"),
    ]
