"""Real clients against `groundwire serve`: what they show of what the gateway sent."""

from __future__ import annotations

import pytest

from tests.gateway.clients.asked import Client, Got, Serving

pytestmark = pytest.mark.slow

MESSAGES = frozenset({"url", "title", "quote"})
OPENAI = frozenset({"url", "title", "quote", "start", "end"})
CLIENTS = (
    Client(folder="openai", driver="openai_sdk.py", dialect="chat", way="create", shows=OPENAI),
    Client(folder="openai", driver="openai_sdk.py", dialect="chat", way="stream", shows=OPENAI),
    Client(folder="openai", driver="openai_sdk.py", dialect="responses", way="create", shows=OPENAI, counts_searches=True),
    Client(folder="openai", driver="openai_sdk.py", dialect="responses", way="stream", shows=OPENAI, counts_searches=True),
    Client(folder="anthropic", driver="anthropic_sdk.py", dialect="messages", way="create", shows=MESSAGES, counts_searches=True),
    Client(folder="anthropic", driver="anthropic_sdk.py", dialect="messages", way="stream", shows=MESSAGES, counts_searches=True),
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
        if client.shows:
            assert shown(got, client) == sent(got, client), name


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
        assert ran["broken"].text
        assert {each.status for each in ran["broken"].exchanges} == {200}
