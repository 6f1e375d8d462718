"""What a client wants called, and where it wants the answer to end, reaches every provider."""

from __future__ import annotations

import pytest

from groundwire.model import Json
from tests.gateway.asking import CLAUDE, LOCAL, SEARCH, WEATHER, Asked

TOOLS: Json = [
    {"name": "get_weather", "description": "Weather.", "input_schema": WEATHER},
    {"name": "get_tide", "description": "Tide.", "input_schema": WEATHER},
]
NAMED: dict[str, Json] = {
    CLAUDE: {"tool_choice": {"type": "tool", "name": "get_tide"}},
    LOCAL: {"tool_choice": {"type": "function", "function": {"name": "get_tide"}}},
    "openai-responses/gpt-5.5": {"tool_choice": {"type": "function", "name": "get_tide"}},
    "gemini/gemini-3.8-flash": {
        "toolConfig": {
            "functionCallingConfig": {"mode": "ANY", "allowedFunctionNames": ["get_tide"]}
        }
    },
}
ANY: dict[str, Json] = {
    CLAUDE: {"tool_choice": {"type": "any"}},
    LOCAL: {"tool_choice": "required"},
    "openai-responses/gpt-5.5": {"tool_choice": "required"},
    "gemini/gemini-3.8-flash": {"toolConfig": {"functionCallingConfig": {"mode": "ANY"}}},
}
STOPS: dict[str, Json] = {
    CLAUDE: {"stop_sequences": ["END"]},
    LOCAL: {"stop": ["END"]},
    "gemini/gemini-3.8-flash": {},
}


def _sent(gateway: Asked) -> Json:
    return gateway.sandbox.requests[-1].body


@pytest.mark.parametrize("model", NAMED)
def test_a_named_tool_is_called(gateway: Asked, model: str) -> None:
    choice = {"type": "tool", "name": "get_tide"}
    body = gateway.messages(model=model, tools=TOOLS, tool_choice=choice)

    reply = gateway.post("/messages", body).json()

    assert NAMED[model].items() <= _sent(gateway).items()
    assert [block["name"] for block in reply["content"]] == ["get_tide"]


@pytest.mark.parametrize("model", ANY)
def test_some_tool_is_called(gateway: Asked, model: str) -> None:
    body = gateway.messages(model=model, tools=TOOLS, tool_choice={"type": "any"})

    reply = gateway.post("/messages", body).json()

    assert ANY[model].items() <= _sent(gateway).items()
    assert reply["stop_reason"] == "tool_use"


@pytest.mark.parametrize("model", STOPS)
def test_the_answer_ends_where_the_client_says(gateway: Asked, model: str) -> None:
    body = gateway.messages(model=model, stop_sequences=["END"])

    assert gateway.post("/messages", body).status_code == 200
    sent = _sent(gateway)
    assert STOPS[model].items() <= sent.items()
    if model.startswith("gemini"):
        assert sent["generationConfig"]["stopSequences"] == ["END"]


def test_the_hosted_tool_by_name_is_searched_first(gateway: Asked) -> None:
    choice = {"type": "tool", "name": "web_search"}
    tools = [SEARCH, *TOOLS]
    body = gateway.messages(model=LOCAL, tools=tools, tool_choice=choice)

    reply = gateway.post("/messages", body).json()

    assert reply["content"][0]["type"] == "server_tool_use"
    assert "tool_choice" not in _sent(gateway)
