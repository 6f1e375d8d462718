"""When somebody searches for a client, who does, and within which limits."""

from __future__ import annotations

import pytest

from groundwire.model import Json, UserMessage
from groundwire.wire.inbound import InboundRequest
from tests.gateway.asking import CLAUDE, LOCAL, QUESTION, SEARCH, WEATHER, Asked, text_of

OWN_SEARCHES = ("WebSearch", "web_search", "google_web_search")
READ: Json = {"name": "Read", "input_schema": WEATHER}


def _searches(gateway: Asked) -> int:
    found = gateway.sandbox.requests[gateway._seen :]
    return len([each for each in found if "/searxng/" in each.path])


def _tools(gateway: Asked, number: int = -1) -> list[str]:
    tools = gateway.asked_upstream()[number].get("tools", [])
    return [tool.get("name") or tool["function"]["name"] for tool in tools]


@pytest.mark.parametrize(
    "kind", ["web_search_20250305", "web_search_20260209", "web_search_20260318"]
)
def test_all_dates_of_the_hosted_tool_are_alike(gateway: Asked, kind: str) -> None:
    body = gateway.messages(model=LOCAL, tools=[{**SEARCH, "type": kind}], metadata={"k": kind})

    assert gateway.post("/messages", body).status_code == 200
    assert _searches(gateway) == 1


@pytest.mark.parametrize("path", ["/messages", "/chat/completions", "/responses"])
def test_nobody_searches_unasked(gateway: Asked, path: str) -> None:
    make = {"/messages": gateway.messages, "/chat/completions": gateway.chat}
    body = make.get(path, gateway.responses)(model=LOCAL)

    assert gateway.post(path, body).status_code == 200
    assert _searches(gateway) == 0
    assert _tools(gateway) == []


def test_the_name_or_a_header_turns_search_on(gateway: Asked) -> None:
    plain = gateway.chat(user="by header")

    named = gateway.post("/chat/completions", gateway.chat(model=f"{LOCAL}:search"))
    asked = gateway.post("/chat/completions", plain, headers={"x-groundwire-search": "on"})
    off = gateway.chat(model=f"{LOCAL}:search", user="off")
    refused = gateway.post("/chat/completions", off, headers={"x-groundwire-search": "off"})

    found = [len(r.json()["choices"][0]["message"]["annotations"]) for r in (named, asked, refused)]
    assert found == [2, 2, 0]


def test_the_first_search_is_made_where_the_hosted_tool_is_the_only_one(gateway: Asked) -> None:
    query = "sea otters and kelp"
    asked = [{"role": "user", "content": f"Perform a web search for the query: {query}"}]
    body = gateway.messages(model=LOCAL, messages=asked, tools=[SEARCH])

    blocks = gateway.post("/messages", body).json()["content"]

    assert blocks[0]["input"] == {"query": query}
    # Once: then the model decides, and here it answers.
    sent = gateway.asked_upstream()
    assert len(sent) == 1
    assert [message["role"] for message in sent[0]["messages"]] == [
        *("system", "user", "assistant", "tool")
    ]


ASIDES = (
    "<system-reminder>\nBe brief.\n</system-reminder>\n",
    "<environment_context>\n  <cwd>/home</cwd>\n</environment_context>",
)


@pytest.mark.parametrize("aside", ASIDES)
def test_what_an_agent_puts_between_the_users_words_is_not_searched_for(
    gateway: Asked, aside: str
) -> None:
    asked = [
        {"role": "user", "content": [{"type": "text", "text": aside}]},
        {"role": "user", "content": f"sea otters and kelp {aside}"},
        {"role": "system", "content": "Answer in verse."},
    ]
    body = gateway.messages(model=LOCAL, messages=asked, tools=[SEARCH])

    blocks = gateway.post("/messages", body).json()["content"]

    assert blocks[0]["input"] == {"query": "sea otters and kelp"}
    # The model reads all of it, and what nobody said is marked as such.
    said = gateway.asked_upstream()[0]["messages"][1]["content"]
    assert aside.strip() in said
    assert "<system-reminder>\nAnswer in verse.\n</system-reminder>" in said


def test_tags_that_never_close_hide_nothing() -> None:
    text = "<reminder>" * 200_000 + "otters <context>and</context> kelp"
    request = InboundRequest(model="m", said=(UserMessage(content=text),))

    assert request.last_question == text


def test_with_other_tools_the_model_decides(gateway: Asked) -> None:
    asked = [{"role": "user", "content": "Call Read, please"}]
    body = gateway.messages(model=LOCAL, messages=asked, tools=[SEARCH, READ])

    reply = gateway.post("/messages", body).json()

    assert [block["type"] for block in reply["content"]] == ["tool_use"]
    assert _tools(gateway) == ["web_search", "open_page", "Read"]


@pytest.mark.parametrize("name", OWN_SEARCHES)
def test_ours_does_not_stand_beside_a_search_of_the_clients_own(gateway: Asked, name: str) -> None:
    tool = {"name": name, "input_schema": WEATHER}
    body = gateway.messages(model=f"{LOCAL}:search", tools=[tool])

    assert gateway.post("/messages", body).status_code == 200
    assert _tools(gateway) == [name]


def test_our_names_give_way_to_the_clients(gateway: Asked) -> None:
    asked = [{"role": "user", "content": "Call groundwire_open_page, please"}]
    tools = [SEARCH, {"name": "open_page", "input_schema": WEATHER}]
    body = gateway.messages(model=LOCAL, messages=asked, tools=tools)

    assert gateway.post("/messages", body).status_code == 200
    assert _tools(gateway, 0) == ["web_search", "groundwire_open_page", "open_page"]


@pytest.mark.parametrize("agent", ["opencode/1.18.33", "claude-cli/2.1.325", "codex_cli_rs/0.166"])
def test_chores_of_agents_are_not_searched_for(gateway: Asked, agent: str) -> None:
    body = gateway.chat(model=f"{LOCAL}:search", user=agent)

    reply = gateway.post("/chat/completions", body, headers={"user-agent": agent})

    assert reply.status_code == 200
    assert _searches(gateway) == 0
    assert _tools(gateway) == []


def test_no_tool_means_no_search(gateway: Asked) -> None:
    body = gateway.messages(model=LOCAL, tools=[SEARCH, READ], tool_choice={"type": "none"})

    assert gateway.post("/messages", body).status_code == 200
    assert _tools(gateway) == []


def test_more_searches_than_allowed_are_told_as_such(gateway: Asked) -> None:
    asked = [{"role": "user", "content": f"{QUESTION} Call web_search, both times"}]
    body = gateway.messages(model=LOCAL, messages=asked, tools=[{**SEARCH, "max_uses": 1}, READ])

    blocks = gateway.post("/messages", body).json()["content"]

    results = [b["content"] for b in blocks if b["type"] == "web_search_tool_result"]
    assert len(results) == 2
    assert {"type": "web_search_tool_result_error", "error_code": "max_uses_exceeded"} in results
    assert _searches(gateway) == 1


@pytest.mark.parametrize("model", [CLAUDE, LOCAL])
@pytest.mark.parametrize(
    "lists", [{"allowed_domains": ["example.net"]}, {"blocked_domains": ["example.com"]}]
)
def test_domain_lists_narrow_what_is_found_and_cited(
    gateway: Asked, model: str, lists: Json
) -> None:
    body = gateway.messages(model=model, tools=[{**SEARCH, **lists}])

    reply = gateway.post("/messages", body).json()

    found = [p["url"] for b in reply["content"] if "tool_use_id" in b for p in b["content"]]
    assert found == ["https://wiki.example.net/sea-otter"]
    assert "news.example.com" not in text_of(reply)


def test_the_workspaces_own_list_holds(gateway: Asked) -> None:
    changed = {"web_allowed_domains": ["example.com"]}
    before = gateway.client.get("/api/workspaces/personal").json()["web_allowed_domains"]
    gateway.client.patch("/api/workspaces/personal", json=changed)
    try:
        body = gateway.messages(model=LOCAL, tools=[SEARCH], metadata={"k": "narrow"})
        reply = gateway.post("/messages", body).json()
    finally:
        restored = {"web_allowed_domains": before}
        gateway.client.patch("/api/workspaces/personal", json=restored)

    found = [p["url"] for b in reply["content"] if "tool_use_id" in b for p in b["content"]]
    assert found == ["https://news.example.com/2026/05/otters-return"]


def test_an_upstream_that_searches_is_asked_to(gateway: Asked) -> None:
    gateway.post("/chat/completions", gateway.chat(model=CLAUDE, web_search_options={}))
    gateway.post("/messages", gateway.messages(model="gemini/gemini-3.8-flash", tools=[SEARCH]))

    sent = [each.body for each in gateway.sandbox.requests[gateway._seen :]]
    assert [tool["name"] for tool in sent[0]["tools"]] == ["web_search"]
    assert sent[1]["tools"] == [{"googleSearch": {}}]
    assert _searches(gateway) == 0


def test_where_the_user_is_reaches_a_search_that_can_use_it(gateway: Asked) -> None:
    place = {"type": "approximate", "approximate": {"city": "Bern", "country": "CH"}}
    body = gateway.chat(model=CLAUDE, web_search_options={"user_location": place})

    assert gateway.post("/chat/completions", body).status_code == 200
    tool = gateway.asked_upstream()[-1]["tools"][0]
    assert tool["user_location"] == {"type": "approximate", "city": "Bern", "country": "CH"}


@pytest.mark.parametrize("model", [CLAUDE, LOCAL])
def test_pages_that_are_read_are_shown_where_that_tool_was_declared(
    gateway: Asked, model: str
) -> None:
    url = "https://wiki.example.net/sea-otter"
    fetch = {"type": "web_fetch_20250910", "name": "web_fetch", "max_uses": 3}
    asked = [{"role": "user", "content": f"Call open_page and read {url}"}]
    tools = [fetch, READ] if model == LOCAL else [fetch]
    body = gateway.messages(model=model, messages=asked, tools=tools)

    blocks = gateway.post("/messages", body).json()["content"]

    calls = [block for block in blocks if block["type"] == "server_tool_use"]
    results = [block for block in blocks if block["type"] == "web_fetch_tool_result"]
    assert [call["name"] for call in calls] == ["web_fetch"]
    assert calls[0]["input"] == {"url": url}
    assert results[0]["tool_use_id"] == calls[0]["id"]
    assert results[0]["content"]["type"] == "web_fetch_result"
    assert results[0]["content"]["url"] == url
