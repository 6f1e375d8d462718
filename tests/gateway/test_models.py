"""The names of models: listed in two shapes, found by many names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from tests.gateway.asking import CLAUDE, Asked, text_of

ANTHROPIC = {"anthropic-version": "2023-06-01"}


@pytest.fixture(scope="module")
def named(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    """Return a gateway with aliases, a default and a provider of the user's own."""
    folder: Path = tmp_path_factory.mktemp("named")
    tables: Json = {
        "gateway": {
            "aliases": {"fast": "anthropic/claude-haiku-4-5", "claude-mine": "agent/assistant"},
            "default_model": CLAUDE,
            "always_on": ["fast"],
        }
    }
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GROUNDWIRE_HOME", str(folder))
        with SandboxServer() as sandbox, Asked(sandbox, folder, **tables) as asked:
            mine = {"name": "My Box", "type": "openai", "base_url": sandbox.base_url("openai")}
            assert asked.client.post("/api/providers", json=mine).status_code == 201
            yield asked


def test_the_list_in_openais_shape(named: Asked) -> None:
    body = named.client.get("/v1/models").json()

    assert body["object"] == "list"
    assert all(
        set(each) == {"id", "object", "created", "owned_by"} and each["object"] == "model"
        for each in body["data"]
    )
    ids = [each["id"] for each in body["data"]]
    assert len(ids) == len(set(ids))
    for name in (
        *("fast", CLAUDE, f"{CLAUDE}:search", "agent/assistant", "claude-via-agent/assistant"),
        *("openai-responses/gpt-5.5", "claude-via-openai-responses/gpt-5.5:search"),
        *("extractive/extractive", "my-box/gpt-5.5"),
    ):
        assert name in ids


def test_the_list_in_anthropics_shape(named: Asked) -> None:
    body = named.client.get("/v1/models?limit=1000", headers=ANTHROPIC).json()

    assert set(body) == {"data", "has_more", "first_id", "last_id"}
    assert all(
        set(each) == {"type", "id", "display_name", "created_at"} and each["type"] == "model"
        for each in body["data"]
    )
    assert body["first_id"] == body["data"][0]["id"]
    assert body["last_id"] == body["data"][-1]["id"]


def test_claude_code_finds_every_model_under_a_name_that_it_keeps(named: Asked) -> None:
    ids = [each["id"] for each in named.client.get("/v1/models").json()["data"]]
    kept = [name for name in ids if "claude" in name or "anthropic" in name]

    plain = {name.removeprefix("claude-via-") for name in kept}
    assert {name for name in ids if name != "fast"} <= plain | set(kept)


@pytest.mark.parametrize(
    ("name", "model"),
    [
        (CLAUDE, "claude-sonnet-5-5"),
        ("claude-sonnet-5-5", "claude-sonnet-5-5"),
        ("claude-via-openai-responses/gpt-5.5", "gpt-5.5"),
        ("gpt-5.5", "gpt-5.5"),
        ("gemini-3.8-flash", "gemini-3.8-flash"),
        ("fast", "claude-haiku-4-5"),
        ("my-box/gpt-5.5", "gpt-5.5"),
        ("My Box/gpt-5.5", "gpt-5.5"),
        ("something-nobody-knows", "claude-sonnet-5-5"),
        # The provider that was added is the one that agents use.
        ("agent/Assistant", "gpt-5-search-api"),
    ],
)
def test_a_name_leads_to_a_model(named: Asked, name: str, model: str) -> None:
    body = named.client.get(f"/v1/models/{name}", headers=ANTHROPIC).json()

    assert (body["id"], body["display_name"]) == (name, model)


@pytest.mark.parametrize("headers", [{}, ANTHROPIC])
def test_a_model_that_nobody_knows_is_not_found(gateway: Asked, headers: dict[str, str]) -> None:
    reply = gateway.client.get("/v1/models/nobody-knows", headers=headers)

    assert reply.status_code == 404
    error = reply.json()["error"]
    assert "nobody-knows" in error["message"]
    assert error.get("code", error["type"]) in ("model_not_found", "not_found_error")


def test_a_reply_is_called_as_the_client_called_the_model(named: Asked) -> None:
    reply = named.post("/messages", named.messages(model="claude-mine")).json()

    assert reply["model"] == "claude-mine"
    # The agent may search, and its model does.
    assert "[1](https://wiki.example.net/sea-otter" in text_of(reply)


def test_a_model_of_the_settings_searches_unasked(named: Asked) -> None:
    reply = named.post("/messages", named.messages(model="fast")).json()

    assert "[1](https://wiki.example.net/sea-otter)" in text_of(reply)
    assert [block["type"] for block in reply["content"]] == ["text"]


def test_the_extractive_model_answers_in_quotes_with_links(named: Asked) -> None:
    asked = [{"role": "user", "content": "Which settings limit how many pages an answer may open?"}]
    body = named.chat(model="extractive/extractive:search", messages=asked)

    reply = named.post("/chat/completions", body).json()["choices"][0]

    text, links = reply["message"]["content"], reply["message"]["annotations"]
    assert reply["finish_reason"] == "stop"
    assert links
    assert "Sources:" not in text
    for each in links:
        link = each["url_citation"]
        number = link["groundwire"]["number"]
        assert text[link["start_index"] : link["end_index"]].startswith(f"[{number}](")
