"""The client's tools and ours in one turn, over several requests, remembered or not."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from groundwire.gateway.memory import Memory
from groundwire.model import AssistantMessage, Json
from groundwire.sandbox import SandboxServer
from tests.gateway.asking import CLAUDE, LOCAL, QUESTION, SEARCH, WEATHER, Asked, text_of

BOTH = "Call get_weather and web_search, both: otters in Paris?"
TOOL: Json = {"name": "get_weather", "description": "Weather.", "input_schema": WEATHER}
FUNCTION: Json = {"type": "function", "function": {"name": "get_weather", "parameters": WEATHER}}
FLAT: Json = {"type": "function", "name": "get_weather", "parameters": WEATHER}


def _forget(gateway: Asked) -> None:
    """Do what an hour or another process does."""
    for route in gateway.app.routes:
        answers = getattr(getattr(route, "app", None), "answers", None)
        if answers is not None:
            answers._memory = Memory()


def _keep(_: Asked) -> None:
    """Remember."""


MEMORY = pytest.mark.parametrize("forget", [_keep, _forget])


@MEMORY
def test_messages_go_on_after_the_clients_tool(
    gateway: Asked, forget: Callable[[Asked], None]
) -> None:
    asked: list[Json] = [{"role": "user", "content": BOTH}]
    fields = {"model": LOCAL, "tools": [SEARCH, TOOL]}
    first = gateway.post("/messages", gateway.messages(messages=asked, **fields)).json()
    forget(gateway)
    call = first["content"][-1]
    result = {"type": "tool_result", "tool_use_id": call["id"], "content": "14 C"}
    asked += [
        {"role": "assistant", "content": first["content"]},
        {"role": "user", "content": [result]},
    ]

    second = gateway.post("/messages", gateway.messages(messages=asked, **fields)).json()

    sent = gateway.asked_upstream()[-1]["messages"]
    results = [message["content"] for message in sent if message["role"] == "tool"]
    assert "14 C" in results
    # Our own results stand between, whether we remember them or the client has them.
    assert any("https://wiki.example.net/sea-otter" in text for text in results)
    assert second["stop_reason"] == "end_turn"
    assert "14 C" in text_of(second)
    # The sandbox repeats what its last calls gave: remembered, both were made in one reply.
    is_cited = "[1](https://wiki.example.net/sea-otter)" in text_of(second)
    assert is_cited is (forget is _keep)


@MEMORY
def test_chat_goes_on_after_the_clients_tool(
    gateway: Asked, forget: Callable[[Asked], None]
) -> None:
    asked: list[Json] = [{"role": "user", "content": BOTH}]
    fields = {"tools": [FUNCTION], "web_search_options": {}}
    first = gateway.post("/chat/completions", gateway.chat(messages=asked, **fields)).json()
    message = first["choices"][0]["message"]
    forget(gateway)
    assert first["choices"][0]["finish_reason"] == "tool_calls"
    call = message["tool_calls"][0]
    asked += [message, {"role": "tool", "tool_call_id": call["id"], "content": "14 C"}]

    second = gateway.post("/chat/completions", gateway.chat(messages=asked, **fields)).json()

    sent = gateway.asked_upstream()[-1]["messages"]
    tools = [each["content"] for each in sent if each["role"] == "tool"]
    is_remembered = any("sea-otter" in text for text in tools)
    assert is_remembered is (forget is _keep)
    text = second["choices"][0]["message"]["content"]
    assert "14 C" in text
    assert ("[1](https://wiki.example.net/sea-otter)" in text) is is_remembered
    cited = [each["url_citation"] for each in second["choices"][0]["message"]["annotations"]]
    assert all(one["groundwire"]["quote"] for one in cited)


@MEMORY
def test_responses_go_on_after_the_clients_tool(
    gateway: Asked, forget: Callable[[Asked], None]
) -> None:
    fields = {"model": LOCAL, "tools": [{"type": "web_search"}, FLAT]}
    first = gateway.post("/responses", gateway.responses(input=BOTH, **fields)).json()
    forget(gateway)
    search, call = first["output"]
    given = [
        {"role": "user", "content": BOTH},
        # Vercel names our search by its id alone.
        {"type": "item_reference", "id": search["id"]},
        call,
        {"type": "function_call_output", "call_id": call["call_id"], "output": "14 C"},
    ]

    second = gateway.post("/responses", gateway.responses(input=given, **fields))

    assert second.status_code == 200, second.text
    assert "14 C" in second.json()["output"][-1]["content"][0]["text"]


def test_a_reply_can_be_gone_on_from_by_its_id(gateway: Asked) -> None:
    fields = {"model": LOCAL, "tools": [FLAT]}
    first = gateway.post(
        "/responses", gateway.responses(input="Weather in Paris?", **fields)
    ).json()
    output = [
        {"type": "function_call_output", "call_id": first["output"][0]["call_id"], "output": "14 C"}
    ]

    body = gateway.responses(input=output, previous_response_id=first["id"], **fields)
    second = gateway.post("/responses", body).json()

    assert "14 C" in second["output"][-1]["content"][0]["text"]


def test_memory_is_each_guests_own() -> None:
    memory = Memory()
    memory.keep("anna", "msg_1", AssistantMessage(content="secret"))

    assert memory.find("otto", "msg_1") is None
    assert memory.find("anna", "msg_1") == AssistantMessage(content="secret")


def test_memory_ends_and_is_bounded() -> None:
    moment = [0.0]
    memory = Memory(seconds=10, max_entries=2, max_characters=100, clock=lambda: moment[0])
    said = AssistantMessage(content="x")

    memory.keep("a", "1", said)
    moment[0] = 11
    assert memory.find("a", "1") is None
    for id_ in ("2", "3", "4"):
        memory.keep("a", id_, said, size=10)
    assert [memory.find("a", id_) for id_ in ("2", "3", "4")] == [None, said, said]
    memory.keep("a", "5", said, size=95)
    assert [memory.find("a", id_) for id_ in ("3", "4", "5")] == [None, None, said]


@pytest.mark.parametrize("model", [CLAUDE, LOCAL])
def test_numbers_stay_over_follow_ups(gateway: Asked, model: str) -> None:
    asked: list[Json] = [{"role": "user", "content": "How do river otters return?"}]
    fields = {"model": model, "tools": [SEARCH]}
    first = gateway.post("/messages", gateway.messages(messages=asked, **fields)).json()
    _forget(gateway)
    asked += [
        {"role": "assistant", "content": first["content"]},
        {"role": "user", "content": QUESTION},
    ]

    second = gateway.post("/messages", gateway.messages(messages=asked, **fields)).json()

    assert _numbers(first).items() <= {**_numbers(second), **_numbers(first)}.items()
    shared = _numbers(first).keys() & _numbers(second).keys()
    assert shared
    assert all(_numbers(first)[url] == _numbers(second)[url] for url in shared)
    assert len({*_numbers(first).values(), *_numbers(second).values()}) == len(
        {*_numbers(first), *_numbers(second)}
    )


def _numbers(body: Json) -> dict[str, int]:
    return {
        one["url"]: one["groundwire"]["number"]
        for block in body["content"]
        for one in block.get("citations") or ()
    }


def _forged(sealed: str) -> str:
    return ("B" if sealed[0] == "A" else "A") + sealed[1:]


METADATA_SERVICE = "http://169.254.169.254/latest"
CHANGES: dict[str, Callable[[Json], Json]] = {
    "the state": lambda page: {"encrypted_content": _forged(page["encrypted_content"])},
    "the page": lambda _: {"url": METADATA_SERVICE},
    "both": lambda page: {
        "url": METADATA_SERVICE,
        "encrypted_content": _forged(page["encrypted_content"]),
    },
    "no state": lambda _: {"encrypted_content": ""},
    "no text at all": lambda _: {"encrypted_content": "\u0000ä"},
}


def _gone_on(gateway: Asked, first: Json) -> Json:
    asked = [
        {"role": "user", "content": QUESTION},
        {"role": "assistant", "content": first["content"]},
        {"role": "user", "content": "Go on."},
    ]
    body = gateway.messages(model=LOCAL, messages=asked, tools=[SEARCH])
    reply = gateway.post("/messages", body)
    assert reply.status_code == 200, reply.text
    return reply.json()


@pytest.mark.parametrize("change", CHANGES)
def test_state_that_somebody_changed_reads_as_nothing(gateway: Asked, change: str) -> None:
    first = gateway.post("/messages", gateway.messages(model=LOCAL, tools=[SEARCH])).json()
    for block in first["content"]:
        for page in block["content"] if block["type"] == "web_search_tool_result" else ():
            page.update(CHANGES[change](page))

    _gone_on(gateway, first)

    sent = gateway.asked_upstream()[-1]["messages"]
    assert "169.254" not in str(sent)
    # Our search of before is not told again: none of its pages is ours.
    assert [message["role"] for message in sent[1:4]] == ["user", "assistant", "user"]


def test_a_number_that_somebody_moved_to_another_page_is_not_taken(gateway: Asked) -> None:
    headers = {"x-groundwire-markers": "numbers"}
    body = gateway.messages(model=LOCAL, tools=[SEARCH])
    first = gateway.post("/messages", body, headers=headers).json()
    numbers = _numbers(first)
    for block in first["content"]:
        for one in block.get("citations") or ():
            one["url"] = f"https://other.example/{one['groundwire']['number']}"
            one["title"] = "Other"

    second = _gone_on(gateway, first)

    assert not {*_numbers(second)} - {*numbers}
    assert sorted(_numbers(second).values()) == [*range(1, len(_numbers(second)) + 1)]


@pytest.fixture
def claude(sandbox: SandboxServer, tmp_path: Path) -> Iterator[Asked]:
    """Return a gateway over a Claude of its own."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GROUNDWIRE_HOME", str(tmp_path))
        with Asked(sandbox, tmp_path) as asked:
            yield asked


def test_a_provider_gets_its_own_blocks_back_in_an_open_turn(claude: Asked) -> None:
    asked: list[Json] = [{"role": "user", "content": "Weather in Paris?"}]
    fields = {"tools": [TOOL], "thinking": {"type": "adaptive"}}
    first = claude.post("/messages", claude.messages(messages=asked, **fields)).json()
    call = next(block for block in first["content"] if block["type"] == "tool_use")
    result = {"type": "tool_result", "tool_use_id": call["id"], "content": "14 C"}
    asked += [
        {"role": "assistant", "content": first["content"]},
        {"role": "user", "content": [result]},
    ]

    assert claude.post("/messages", claude.messages(messages=asked, **fields)).status_code == 200

    sent = claude.asked_upstream()[-1]["messages"]
    thoughts = [b for b in sent[1]["content"] if b["type"] == "thinking"]
    assert thoughts[0]["signature"]
    calls = [b["id"] for b in sent[1]["content"] if b["type"] == "tool_use"]
    assert [b["tool_use_id"] for b in sent[2]["content"]] == calls


@pytest.mark.parametrize("tools", [[TOOL], [SEARCH, TOOL]])
def test_thoughts_and_words_stay_before_the_call_however_they_come(
    tmp_path: Path, tools: list[Json]
) -> None:
    asked = [{"role": "user", "content": "Call get_weather in Paris"}]
    with (
        pytest.MonkeyPatch.context() as patch,
        # The provider's whole reply comes at once.
        SandboxServer(chunk_bytes=1 << 20) as sandbox,
    ):
        patch.setenv("GROUNDWIRE_HOME", str(tmp_path))
        with Asked(sandbox, tmp_path) as gateway:
            body = gateway.messages(messages=asked, tools=tools, thinking={"type": "adaptive"})
            events = gateway.sse("/messages", body)

    begun = [e.data["content_block"]["type"] for e in events if e.name == "content_block_start"]
    assert begun == ["thinking", "tool_use"]
    deltas = [e.data["delta"] for e in events if e.name == "content_block_delta"]
    pieces = [each["partial_json"] for each in deltas if each["type"] == "input_json_delta"]
    assert "city" in json.loads("".join(pieces))
