"""Temperature and thinking: every model of every provider gets what it takes and nothing else."""

from __future__ import annotations

import pytest

from groundwire import catalog, registry
from groundwire.catalog import ThinkingChoice
from groundwire.model import Json
from groundwire.wire.contract import Access, abilities
from tests.adapters.questions import WAY, WAYS, Service, Way, errors_in, warnings_in

each_way = pytest.mark.parametrize("way", WAYS, ids=str)

SENT: dict[str, dict[ThinkingChoice, Json]] = {
    "anthropic": {
        ThinkingChoice.OFF: [None, None],
        ThinkingChoice.ON: [{"type": "adaptive"}, {"effort": "high"}],
        ThinkingChoice.LOW: [{"type": "adaptive"}, {"effort": "low"}],
        ThinkingChoice.MEDIUM: [{"type": "adaptive"}, {"effort": "medium"}],
        ThinkingChoice.HIGH: [{"type": "adaptive"}, {"effort": "high"}],
    },
    "openai": dict.fromkeys(ThinkingChoice),  # Its model here, gpt-4o, does not think.
    "openai-responses": {
        ThinkingChoice.OFF: {"effort": "none"},
        ThinkingChoice.ON: {"effort": "medium"},
        ThinkingChoice.LOW: {"effort": "low"},
        ThinkingChoice.MEDIUM: {"effort": "medium"},
        ThinkingChoice.HIGH: {"effort": "high"},
    },
    "gemini": {
        ThinkingChoice.OFF: None,  # It thinks in any case.
        ThinkingChoice.ON: {"includeThoughts": True},
        ThinkingChoice.LOW: {"includeThoughts": True, "thinkingLevel": "low"},
        ThinkingChoice.MEDIUM: {"includeThoughts": True, "thinkingLevel": "medium"},
        ThinkingChoice.HIGH: {"includeThoughts": True, "thinkingLevel": "high"},
    },
}
INTERACTIONS: dict[ThinkingChoice, Json] = {
    ThinkingChoice.OFF: None,
    ThinkingChoice.ON: {"thinking_summaries": "auto"},
    **{
        choice: {"thinking_summaries": "auto", "thinking_level": choice.value}
        for choice in (ThinkingChoice.LOW, ThinkingChoice.MEDIUM, ThinkingChoice.HIGH)
    },
}
_INTERACTION = ("thinking_summaries", "thinking_level")
for _name in ("openrouter", "codex"):
    SENT[_name] = SENT["openai-responses"]


def _thinking_in(provider: str, body: Json) -> Json:
    match provider:
        case "anthropic":
            return [body.get("thinking"), body.get("output_config")]
        case "gemini" if "input" in body:
            config = body.get("generation_config", {})
            return {name: config[name] for name in _INTERACTION if name in config} or None
        case "gemini":
            return body.get("generationConfig", {}).get("thinkingConfig")
        case "openai":
            return body.get("reasoning_effort")
        case _:
            return body.get("reasoning")


def test_every_provider_of_models_over_http_is_in_the_table() -> None:
    answering = {name for name in registry.names() if "answer" in abilities(registry.get(name))}

    assert set(SENT) == answering - {"extractive"} == {way.provider for way in WAYS}
    assert all(set(choices) == set(ThinkingChoice) for choices in SENT.values())


@each_way
async def test_no_model_is_sent_a_temperature_or_a_thinking_that_it_refuses(
    service: Service, way: Way
) -> None:
    models = [each.id for each in await service.adapter(way).list_models()]
    provider, access = registry.get(way.provider), Access(base_url="")
    assert models

    for model in models:
        for choice in (None, *ThinkingChoice):
            events = await service.ask(way, "Hello", model=model, temperature=0.3, thinking=choice)

            codes = set(warnings_in(events))
            takes = choice is None or choice in provider.thinking_choices(model, access)
            assert errors_in(events) == [], (model, choice)
            assert ("thinking_dropped" not in codes) is takes, (model, choice)
            sent = service.sandbox.requests[-1].body
            config = sent.get("generationConfig", sent.get("generation_config", sent))
            assert ("temperature" in config) is ("temperature_dropped" not in codes)


@pytest.mark.parametrize("choice", ThinkingChoice)
@each_way
async def test_thinking_is_sent_in_the_providers_own_words(
    service: Service, way: Way, choice: ThinkingChoice
) -> None:
    await service.ask(way, "Hello", thinking=choice)

    body = service.sandbox.requests[-1].body
    words = INTERACTIONS if way.name == "gemini-interactions" else SENT[way.provider]
    assert _thinking_in(way.provider, body) == words[choice]


@pytest.mark.parametrize(
    ("model", "budget"), [("claude-haiku-4-5", 2_000), ("gemini-2.5-flash", 1_024)]
)
async def test_models_with_a_budget_get_one(service: Service, model: str, budget: int) -> None:
    way = WAY["anthropic" if model.startswith("claude") else "gemini"]

    await service.ask(way, "Hello", model=model, thinking=ThinkingChoice.LOW)

    sent = _thinking_in(way.provider, service.sandbox.requests[-1].body)
    found = sent[0]["budget_tokens"] if way.provider == "anthropic" else sent["thinkingBudget"]
    assert found == budget


async def test_what_the_question_says_of_thinking_wins_over_the_settings(service: Service) -> None:
    on = {"thinking": "on", "thinking_display": "summarized"}

    await service.ask(WAY["anthropic"], "Hello", options=on, thinking=ThinkingChoice.OFF)
    assert "thinking" not in service.sandbox.requests[-1].body

    await service.ask(WAY["openai-responses"], "Hello", options={"reasoning": {"summary": "auto"}},
                      thinking=ThinkingChoice.HIGH)  # fmt: skip
    sent = service.sandbox.requests[-1].body
    assert sent["reasoning"] == {"summary": "auto", "effort": "high"}


@pytest.mark.parametrize(
    ("model", "is_taken"),
    [
        ("claude-opus-4-6", True),
        ("claude-haiku-4-5", True),
        ("claude-opus-4-7", False),
        ("claude-sonnet-5-5", False),
        ("gpt-5.5", False),
        ("gpt-5-mini", False),
        ("gpt-5-search-api", False),
        ("gpt-4o-search-preview", False),
        ("gpt-5-chat-latest", True),
        ("gpt-4.1", True),
        ("o3", False),
        ("gemini-3.8-flash", True),
        ("smollm2", True),
    ],
)
def test_the_table_knows_who_takes_a_temperature(model: str, is_taken: bool) -> None:
    assert catalog.traits_of(model).takes_temperature is is_taken


@pytest.mark.parametrize(
    ("model", "choices"),
    [
        ("claude-sonnet-5-5", "off on low medium high"),
        ("claude-3-5-haiku-latest", ""),
        ("gpt-5.5", "off on low medium high"),
        ("gpt-5-mini", "on low medium high"),
        ("gpt-5.5-pro", ""),
        ("gpt-5-chat-latest", ""),
        ("o3", "on low medium high"),
        ("gemini-3.8-flash", "on low medium high"),
        ("gemini-2.5-flash", "off on low medium high"),
        ("gemini-2.5-pro", "on low medium high"),
        ("gemini-2.0-flash", ""),
        ("smollm2", ""),
    ],
)
def test_the_table_knows_whose_thinking_can_be_switched(model: str, choices: str) -> None:
    assert " ".join(catalog.traits_of(model).thinking_choices) == choices
