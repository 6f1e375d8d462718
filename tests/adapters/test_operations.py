"""The other four operations of the adapter, over a real socket."""

from __future__ import annotations

import pytest

from groundwire import registry
from groundwire.client.adapters import ConnectionTestResult, ModelApiAdapter
from groundwire.errors import (
    AuthError,
    BadReplyError,
    GroundwireError,
    InvalidRequestError,
    OverloadedError,
    QuotaError,
    RateLimitError,
    TruncatedError,
    UnsupportedError,
)
from groundwire.model import Json, ModelInfo, Secret
from groundwire.text.plural import plural
from groundwire.wire.contract import Access, Endpoint
from tests.adapters.questions import CANARY, WAY, WAYS, WEATHER, Service, Way

each_way = pytest.mark.parametrize("way", WAYS, ids=str)
EXPECTED_MODELS = {
    "anthropic": ModelInfo(id="claude-haiku-4-5", title="Claude Haiku 4 5"),
    "openai": ModelInfo(id="gpt-4o", shutdown_date="2027-01-14"),
    "openai-responses": ModelInfo(id="gpt-5.5"),
    "gemini": ModelInfo(
        id="gemini-2.5-flash", title="Gemini 2.5 Flash", shutdown_date="2026-10-20"
    ),
    "openrouter": ModelInfo(
        id="openai/gpt-4.1-mini", title="gpt-4.1-mini", shutdown_date="2027-01-14"
    ),
    "codex": ModelInfo(id="gpt-5.5", title="gpt-5.5"),
}


@pytest.mark.parametrize("name", EXPECTED_MODELS)
async def test_models_are_listed_with_the_day_they_end(service: Service, name: str) -> None:
    models = await service.adapter(WAY[name]).list_models()

    assert EXPECTED_MODELS[name] in models
    assert len({model.id for model in models}) == len(models) > 2


async def test_gemini_lists_only_models_that_converse(service: Service) -> None:
    models = await service.adapter(WAY["gemini"]).list_models()

    assert "gemini-embedding-001" not in [model.id for model in models]


@pytest.mark.parametrize("name", EXPECTED_MODELS)
async def test_a_connection_with_a_good_key_works(service: Service, name: str) -> None:
    adapter = service.adapter(WAY[name])

    result = await adapter.test_connection()

    count = len(await adapter.list_models())
    assert result == ConnectionTestResult(
        success=True, message=f"{name} works: it offers {plural(count, 'model')}", model_count=count
    )


@pytest.mark.parametrize("name", EXPECTED_MODELS)
async def test_a_connection_with_a_bad_key_does_not_work_and_says_why(
    service: Service, name: str
) -> None:
    result = await service.adapter(WAY[name], key="bad-key").test_connection()

    assert (result.success, result.code, result.model_count) == (False, "auth", 0)
    assert result.message.startswith(f"{name} (HTTP 40")
    assert "bad-key" not in result.message


async def test_a_connection_to_nobody_does_not_work(service: Service) -> None:
    access = Access(base_url="http://127.0.0.1:1", key=Secret(CANARY))
    endpoint = Endpoint(name="openai", provider=registry.get("openai"), access=access)

    result = await ModelApiAdapter(endpoint, service.client).test_connection()

    assert (result.success, result.code) == (False, "connect")
    assert len(service.pauses) == 2


async def test_a_provider_that_does_not_answer_has_no_adapter(service: Service) -> None:
    access = Access(base_url="http://127.0.0.1:1")
    endpoint = Endpoint(name="searxng", provider=registry.get("searxng"), access=access)

    with pytest.raises(UnsupportedError, match="'searxng' cannot answer"):
        ModelApiAdapter(endpoint, service.client)


_FUNCTION = {"name": "get_weather", "description": "Tells the weather."}
_CHAT = [{"type": "function", "function": _FUNCTION | {"parameters": WEATHER.parameters}}]
_RESPONSES = [{"type": "function", **_FUNCTION, "parameters": WEATHER.parameters, "strict": False}]
DEFINITIONS: dict[str, Json] = {
    "anthropic": [_FUNCTION | {"input_schema": WEATHER.parameters}],
    "openai": _CHAT,
    "openai-responses": _RESPONSES,
    "gemini": [
        {"functionDeclarations": [_FUNCTION | {"parametersJsonSchema": WEATHER.parameters}]}
    ],
    "openrouter": _CHAT,
    "codex": _RESPONSES,
}


@pytest.mark.parametrize("name", DEFINITIONS)
async def test_tools_are_formatted_as_the_requests_spell_them(service: Service, name: str) -> None:
    adapter = service.adapter(WAY[name])

    formatted = adapter.format_tool_definitions([WEATHER])
    await service.ask(WAY[name], "Hello", tools=(WEATHER,))

    assert formatted == DEFINITIONS[name]
    assert service.sandbox.requests[0].body["tools"] == formatted


@each_way
async def test_a_simple_completion_is_just_text(service: Service, way: Way) -> None:
    adapter = service.adapter(way)

    text = await adapter.generate_simple_completion(way.model, "Say hello")

    assert text == (
        "This is the sandbox speaking. You said: “Say hello”. "
        "Grüße aus dem Sandkasten, 世界 🌍! Goodbye."
    )


@pytest.mark.parametrize("name", ["anthropic", "openai", "openai-responses", "gemini"])
async def test_a_simple_completion_keeps_to_its_limit(service: Service, name: str) -> None:
    adapter = service.adapter(WAY[name])

    text = await adapter.generate_simple_completion(WAY[name].model, "Say hello", max_tokens=5)

    assert text == "This is the sandbox "


COMPLAINTS: dict[str, type[GroundwireError]] = {
    "unauthorized": AuthError,
    "forbidden": AuthError,
    "rate_limit": RateLimitError,
    "quota": QuotaError,
    "server_error": OverloadedError,
    "overloaded": OverloadedError,
    "error_in_200": OverloadedError,
    "overloaded_after_text": OverloadedError,
    "cut_in_event": TruncatedError,
    "end_without_terminal": TruncatedError,
    "wrong_content_type": BadReplyError,
}


@each_way
@pytest.mark.parametrize("fault", COMPLAINTS)
async def test_a_simple_completion_raises_the_error_itself(
    service: Service, way: Way, fault: str
) -> None:
    adapter = service.adapter(way, fault=fault)

    with pytest.raises(COMPLAINTS[fault]) as raised:
        await adapter.generate_simple_completion(way.model, "Say hello")

    assert type(raised.value) is COMPLAINTS[fault]
    assert CANARY not in f"{raised.value!r} {raised.value}"


@each_way
async def test_an_unknown_model_is_an_invalid_request(service: Service, way: Way) -> None:
    with pytest.raises(InvalidRequestError):
        await service.adapter(way).generate_simple_completion("no-such-model", "Say hello")
