"""Gemini: what it is asked."""

import json

import pytest

from groundwire.events import (
    Warned,
)
from groundwire.model import (
    Json,
    ModelInfo,
    UserMessage,
)
from groundwire.providers.gemini import provider
from groundwire.wire.contract import Access, HttpReply, Question, abilities
from tests.providers.gemini_wire import HOST, LOOK, REPLIES, access, ask, body_for

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


def test_it_answers() -> None:
    assert abilities(provider) == ["answer"]


def test_a_plain_question_is_streamed_with_the_key_in_a_header_and_is_not_stored() -> None:
    request = provider.answer_request(ask(), access())

    assert request.method == "POST"
    assert request.url == f"{HOST}/v1beta/models/gemini-2.5-flash:streamGenerateContent?alt=sse"
    assert request.headers == {
        "Content-Type": "application/json",
        "x-goog-api-key": "AIza-secret",
    }
    assert json.loads(request.body or b"") == {
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
        "store": False,
    }


def test_the_key_goes_into_the_query_only_if_asked() -> None:
    request = provider.answer_request(ask(), access(key_in_query=True))

    assert request.url.endswith(":streamGenerateContent?alt=sse&key=AIza-secret")
    assert "x-goog-api-key" not in request.headers


def test_without_a_key_there_is_neither_header_nor_parameter() -> None:
    request = provider.answer_request(ask(), Access(base_url=HOST, options={"key_in_query": True}))

    assert request.url.endswith("?alt=sse")
    assert request.headers == {"Content-Type": "application/json"}


@pytest.mark.parametrize(
    ("base", "options", "version"),
    [
        (HOST, {}, "/v1beta/"),
        (HOST, {"api_version": "v1"}, "/v1/"),
        (f"{HOST}/v1", {}, "/v1/"),
        (f"{HOST}/v1beta", {"api_version": "v1"}, "/v1beta/"),
    ],
)
def test_a_version_in_the_base_url_is_not_added_again(
    base: str, options: dict[str, Json], version: str
) -> None:
    request = provider.models_request(Access(base_url=base, options=options))

    assert request.url == f"{HOST}{version}models?pageSize=1000"


@pytest.mark.parametrize(
    ("model", "path"),
    [
        ("gemini-3-flash", "models/gemini-3-flash"),
        ("models/gemini-3-flash", "models/gemini-3-flash"),
        ("tunedModels/mine", "tunedModels/mine"),
        ("odd/name?", "models/odd%2Fname%3F"),
    ],
)
def test_a_model_is_named_with_or_without_its_folder(model: str, path: str) -> None:
    request = provider.answer_request(ask(model=model), access())

    assert request.url == f"{HOST}/v1beta/{path}:streamGenerateContent?alt=sse"


def test_everything_that_a_question_can_hold_has_its_place() -> None:
    question = ask(
        system_prompt="Be brief.",
        web_search=True,
        temperature=0.5,
        max_tokens=900,
    )

    body = body_for(question, url_context=True, thinking={"thinkingBudget": 512})

    assert body == {
        "contents": [{"role": "user", "parts": [{"text": "Hi"}]}],
        "store": False,
        "systemInstruction": {"parts": [{"text": "Be brief."}]},
        "tools": [{"googleSearch": {}}, {"urlContext": {}}],
        "generationConfig": {
            "temperature": 0.5,
            "maxOutputTokens": 900,
            "thinkingConfig": {"includeThoughts": True, "thinkingBudget": 512},
        },
    }


def test_functions_keep_their_json_schema() -> None:
    assert body_for(ask(tools=(LOOK,)))["tools"] == [LOOK_DECLARED]
    assert provider.tool_definitions((LOOK,)) == [LOOK_DECLARED]
    assert provider.tool_definitions(()) == []


@pytest.mark.parametrize("model", ["gemini-3-flash", "models/gemini-3.8-pro", "gemini-pro-latest"])
def test_a_model_that_takes_search_beside_functions_gets_both(model: str) -> None:
    question = ask(model=model, tools=(LOOK,), web_search=True)

    body = body_for(question)

    assert body["tools"] == [LOOK_DECLARED, {"googleSearch": {}}]
    assert body["toolConfig"] == {"includeServerSideToolInvocations": True}
    assert provider.answer_warnings(question, access()) == []


@pytest.mark.parametrize("model", ["gemini-2.5-flash", "gemini-2.0-flash", "gemma-3-27b-it"])
def test_an_older_model_keeps_its_functions_and_search_is_dropped_with_a_warning(
    model: str,
) -> None:
    question = ask(model=model, tools=(LOOK,), web_search=True)

    body = body_for(question, url_context=True)

    assert body["tools"] == [LOOK_DECLARED]
    assert "toolConfig" not in body
    assert provider.answer_warnings(question, access()) == [
        Warned(f"{model!r} cannot search beside functions: search is off", "web_search_dropped")
    ]


def test_a_setting_can_say_that_a_model_combines_tools() -> None:
    question = ask(model="house-model", tools=(LOOK,), web_search=True)

    assert body_for(question, combines_tools=True)["tools"] == [
        LOOK_DECLARED,
        {"googleSearch": {}},
    ]


@pytest.mark.parametrize("field", ["allowed_domains", "blocked_domains"])
def test_domains_are_not_sent_because_gemini_has_no_filter(field: str) -> None:
    fields: dict[str, Json] = {field: ("example.org",)}
    question = Question(
        model="gemini-2.5-flash",
        messages=(UserMessage(content="Hi"),),
        web_search=True,
        **fields,
    )

    assert body_for(question)["tools"] == [{"googleSearch": {}}]
    assert provider.answer_warnings(question, access()) == [
        Warned(
            "Gemini has no domain filter: the domain filter is enforced locally",
            "domains_enforced_locally",
        )
    ]


def test_models_are_those_that_can_hold_a_conversation() -> None:
    reply = HttpReply(status=200, body=(REPLIES / "gemini-models.json").read_bytes())

    assert provider.models(reply) == [
        ModelInfo(id="gemini-3-flash", title="Gemini 3 Flash"),
        ModelInfo(id="gemini-flash-latest"),
    ]


def test_models_that_draw_or_speak_are_not_listed() -> None:
    names = [
        "gemini-3.8-flash",
        "gemini-flash-latest",
        "gemma-3-27b-it",
        "gemini-3-pro-image",
        "gemini-3.8-flash-lite-tts",
        "gemini-2.5-flash-native-audio-latest",
        "gemini-embedding-001",
    ]
    listed = {
        "models": [
            {"name": f"models/{name}", "supportedGenerationMethods": ["generateContent"]}
            for name in names
        ]
    }
    reply = HttpReply(
        service="gemini", url=HOST, status=200, headers={}, body=json.dumps(listed).encode()
    )

    assert [model.id for model in provider.models(reply)] == names[:3]


def test_models_are_asked_for_with_the_key() -> None:
    request = provider.models_request(access(key_in_query=True))

    assert request.method == "GET"
    assert request.url == f"{HOST}/v1beta/models?pageSize=1000&key=AIza-secret"
