"""What happens while an answer is made, as each dialect tells it, on the bytes that are sent."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from groundwire.model import Json, Usage
from groundwire.sandbox import SandboxServer
from groundwire.wire.anthropic.outbound import MessagesWriter
from groundwire.wire.outbound import Ended, FoundPage, SearchBegan, SearchEnded, Stop
from tests.gateway.asking import CLAUDE, LOCAL, QUESTION, SEARCH, WEATHER, Asked, SentEvent

PATHS = ("/messages", "/chat/completions", "/responses")
OTTER = "https://wiki.example.net/sea-otter"
TOOLS: dict[str, Json] = {
    "/messages": {"tools": [SEARCH, {"name": "get_weather", "input_schema": WEATHER}]},
    "/chat/completions": {
        "web_search_options": {},
        "tools": [{"type": "function", "function": {"name": "get_weather", "parameters": WEATHER}}],
    },
    "/responses": {
        "tools": [
            {"type": "web_search"},
            {"type": "function", "name": "get_weather", "parameters": WEATHER},
        ]
    },
}
SEARCHING: dict[str, Json] = {
    "/messages": {"tools": [SEARCH]},
    "/chat/completions": {"web_search_options": {}},
    "/responses": {"tools": [{"type": "web_search"}]},
}


def _body(gateway: Asked, path: str, question: str = QUESTION, **fields: Json) -> Json:
    asked = [{"role": "user", "content": question}]
    if path == "/messages":
        return gateway.messages(**{"model": LOCAL, "messages": asked, **fields})
    if path == "/chat/completions":
        return gateway.chat(**{"model": LOCAL, "messages": asked, **fields})
    return gateway.responses(**{"model": LOCAL, "input": question, **fields})


def _items(events: list[SentEvent]) -> list[Json]:
    return [e.data["item"] for e in events if e.name == "response.output_item.done"]


def test_responses_tell_a_page_that_is_read_as_an_item(gateway: Asked) -> None:
    body = _body(gateway, "/responses", f"Call open_page: {OTTER}", **TOOLS["/responses"])
    events = gateway.sse("/responses", body)

    item = _items(events)[0]
    assert item == {
        "id": item["id"],
        "type": "web_search_call",
        "status": "completed",
        "action": {"type": "open_page", "url": OTTER},
    }
    names = [e.name for e in events if e.data.get("item_id") == item["id"]]
    kinds = ("in_progress", "searching", "completed")
    assert names == [f"response.web_search_call.{kind}" for kind in kinds]


def test_chat_tells_a_page_that_is_read_as_a_comment(gateway: Asked) -> None:
    body = _body(
        gateway, "/chat/completions", f"Call open_page: {OTTER}", **TOOLS["/chat/completions"]
    )
    events = gateway.sse("/chat/completions", body)

    assert f": reading {OTTER}" in [event.raw for event in events]


@pytest.fixture
def frugal(gateway: Asked) -> Iterator[Asked]:
    """Return a gateway that makes one search for an answer."""
    kept = gateway.program.chat.budgets
    gateway.program.chat.budgets = replace(kept, searches=1)
    yield gateway
    gateway.program.chat.budgets = kept


@pytest.mark.parametrize("path", PATHS)
def test_a_limit_that_is_reached_is_told(frugal: Asked, path: str) -> None:
    body = _body(frugal, path, "Call web_search, both times: otters", **TOOLS[path])
    events = frugal.sse(path, body)

    if path == "/messages":
        blocks = [e.data["content_block"] for e in events if e.name == "content_block_start"]
        results = [b["content"] for b in blocks if b["type"] == "web_search_tool_result"]
        error = {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"}
        assert error in results
    elif path == "/responses":
        found = [item["status"] for item in _items(events) if item["type"] == "web_search_call"]
        assert sorted(found) == ["completed", "failed"]
    else:
        assert any(": The limit of 1 searches" in event.raw for event in events)


def test_a_result_block_has_ten_pages_at_most_the_first_first() -> None:
    pages = tuple(FoundPage(url=f"https://a.example/{number}") for number in range(30))
    writer = MessagesWriter("m", shows_searches=True)
    began, ended = SearchBegan(id="s", query="q"), SearchEnded(id="s", query="q", pages=pages)

    writer.write([began, ended, Ended(stop=Stop.END, usage=Usage())])

    sent = [page["url"] for page in writer.body()["content"][1]["content"]]
    assert sent == [f"https://a.example/{number}" for number in range(10)]


@pytest.fixture
def searching(sandbox: SandboxServer, tmp_path: Path) -> Iterator[Asked]:
    """Return a gateway whose search never ends, with keep-alives in quick succession."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GROUNDWIRE_HOME", str(tmp_path))
        tables: Json = {"gateway": {"keep_alive_seconds": 0.05, "status_seconds": 0.05}}
        with Asked(sandbox, tmp_path, faults={"searxng": "silence;late"}, **tables) as asked:
            yield asked


SIGNS = {
    "/messages": ("ping", '{"type": "ping"}'),
    "/chat/completions": ("", ": keep-alive"),
    "/responses": ("response.web_search_call.searching", ""),
}


@pytest.mark.parametrize("path", PATHS)
def test_a_search_that_takes_long_is_heard_of_and_ends_with_its_client(
    searching: Asked, path: str
) -> None:
    body = _body(searching, path, **SEARCHING[path])
    name, _ = SIGNS[path]
    with searching.streaming(path, body) as events:
        found = []
        for event in events:
            is_sign = event.raw == SIGNS[path][1] if path == "/chat/completions" else True
            if event.name == name and is_sign:
                found.append(event)
            if len(found) == 5:
                break

    if path == "/responses":
        assert len({event.data["item_id"] for event in found}) == 1
    service = [each for each in searching.sandbox.requests if "searxng" in each.path]
    number = searching.sandbox.requests.index(service[0])
    assert searching.sandbox.wait_for_end(number).ended == "closed by the client"


@pytest.mark.parametrize("path", PATHS)
def test_usage_is_the_sum_of_all_that_was_asked_upstream(gateway: Asked, path: str) -> None:
    def tokens(body: Json) -> int:
        usage = gateway.post(path, body).json()["usage"]
        return int(usage.get("prompt_tokens") or usage.get("input_tokens"))

    question = "Call web_search: otters"
    once = tokens(_body(gateway, path, question, model=LOCAL))
    gateway.forget()
    twice = tokens(_body(gateway, path, question, **TOOLS[path]))

    assert len(gateway.asked_upstream()) == 2
    assert twice > 2 * once


def test_searches_are_counted_for_messages_where_the_settings_say_so(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    counted: Json = {"web_search_requests": 1, "web_fetch_requests": 0}
    with Asked(sandbox, tmp_path, gateway={"reports_searches": True}) as asked:
        for model in (CLAUDE, LOCAL):
            body = asked.messages(model=model, tools=[SEARCH])
            whole = asked.post("/messages", body).json()
            last = asked.sse("/messages", body)[-2].data

            assert whole["usage"]["server_tool_use"] == counted
            assert last["usage"]["server_tool_use"] == counted


@pytest.mark.parametrize("question", ["Otters. Pause", "Otters. Pause forever"])
def test_no_turn_is_handed_back_as_paused(gateway: Asked, question: str) -> None:
    body = gateway.messages(messages=[{"role": "user", "content": question}], tools=[SEARCH])

    whole = gateway.post("/messages", body)
    events = gateway.sse("/messages", body)

    assert "pause_turn" not in whole.text
    assert not any("pause_turn" in event.raw for event in events)
    is_endless = question.endswith("forever")
    assert events[-1].name == ("error" if is_endless else "message_stop")
    assert whole.status_code == (400 if is_endless else 200)
