"""Real clients against `groundwire serve`: what they show of what the gateway sent."""

from __future__ import annotations

import pytest

from tests.gateway.clients.asked import Client, Got, Serving

pytestmark = pytest.mark.slow

URL = frozenset({"url", "title"})
QUOTED = URL | {"quote"}
PLACED = URL | {"start", "end"}
ALL = QUOTED | PLACED
NOTHING: frozenset[str] = frozenset()
WAYS = ("create", "stream")


def ways(
    folder: str, driver: str, dialect: str, shows: frozenset[str], **more: bool
) -> list[Client]:
    """Return a client with a whole reply and with a stream."""
    return [
        Client(folder=folder, driver=driver, dialect=dialect, way=way, shows=shows, **more)
        for way in WAYS
    ]


CLIENTS = (
    *ways("openai", "openai_sdk.py", "chat", ALL),
    *ways("openai", "openai_sdk.py", "responses", ALL, counts_searches=True),
    *ways("anthropic", "anthropic_sdk.py", "messages", QUOTED, counts_searches=True),
    *ways("vercel", "vercel.mjs", "responses", PLACED, counts_searches=True),
    *ways("vercel", "vercel.mjs", "messages", QUOTED, counts_searches=True),
    *ways("vercel", "vercel.mjs", "chat", URL, declares=False),
    *ways("vercel", "vercel.mjs", "compatible", NOTHING, declares=False),
    *ways("pydantic-ai", "pydantic_ai_agent.py", "chat", PLACED),
    *ways("pydantic-ai", "pydantic_ai_agent.py", "responses", PLACED, counts_searches=True),
    *ways("pydantic-ai", "pydantic_ai_agent.py", "messages", QUOTED, counts_searches=True),
    *ways("langchain", "langchain_chat.py", "chat", NOTHING),
    *ways("langchain", "langchain_chat.py", "responses", ALL, counts_searches=True),
    *ways("langchain", "langchain_chat.py", "messages", QUOTED, counts_searches=True),
    *ways("agents", "openai_agents.py", "chat", PLACED),
    *ways("agents", "openai_agents.py", "responses", ALL, counts_searches=True),
    *ways("litellm", "litellm_sdk.py", "chat", ALL),
    *ways("litellm", "litellm_sdk.py", "messages", QUOTED),
    *ways("llm", "llm_cli.py", "chat", NOTHING, declares=False),
    *ways("llm", "llm_cli.py", "responses", NOTHING, declares=False),
)


@pytest.fixture(params=CLIENTS, ids=[client.id for client in CLIENTS])
def client(request: pytest.FixtureRequest) -> Client:
    chosen: Client = request.param
    return chosen


def shown(got: Got, client: Client) -> list[dict[str, object]]:
    return [{name: one[name] for name in sorted(client.shows)} for one in got.citations]


def sent(got: Got, client: Client) -> list[dict[str, object]]:
    return [{name: getattr(one, name) for name in sorted(client.shows)} for one in got.sent]


def test_every_citation_arrives(serving: Serving, client: Client) -> None:
    ran = serving.ran(client)

    for name in {"hosted", "ours", "unasked"} & {*ran}:
        got = ran[name]
        assert not got.error, name
        assert len(got.sent) >= 2, name
        assert all(one.quote for one in got.sent), name
        if client.shows:
            assert shown(got, client) == sent(got, client), name


def test_a_place_in_the_text_is_that_of_its_link(serving: Serving, client: Client) -> None:
    if "start" not in client.shows:
        return
    for name in ("hosted", "ours", "unasked"):
        got = serving.ran(client)[name]
        for one in got.citations:
            assert got.text[one["start"] : one["end"]].endswith(f"]({one['url']})"), name
            assert got.text[one["start"]] == "[", name


def test_the_text_carries_every_citation_as_a_link(serving: Serving, client: Client) -> None:
    for name, got in serving.ran(client).items():
        for one in got.sent:
            assert f"]({one.url})" in got.text, name


def test_searches_are_counted_where_the_client_asked_for_them(
    serving: Serving, client: Client
) -> None:
    ran = serving.ran(client)

    if client.counts_searches:
        assert ran["hosted"].searches == sum(e.searches for e in ran["hosted"].exchanges) > 0
        assert ran["ours"].searches == sum(e.searches for e in ran["ours"].exchanges) > 0
    assert ran["unasked"].searches == 0


def test_a_tool_of_the_client_runs_beside_our_search(serving: Serving, client: Client) -> None:
    got = serving.ran(client)["mixed"]

    assert not got.error
    assert got.calls == ["get_weather"]
    assert "Sunny, 21 degrees." in got.text
    assert got.sent
    if client.shows:
        assert shown(got, client) == sent(got, client)


def test_a_failure_raises_before_and_after_the_first_byte(serving: Serving, client: Client) -> None:
    ran = serving.ran(client)

    assert ran["refused"].error
    assert {each.status for each in ran["refused"].exchanges} == {403}
    assert ran["broken"].error
    if client.way != "create":
        first = ran["broken"].exchanges[0]
        assert first.status == 200
        assert b"sandbox" in first.body
