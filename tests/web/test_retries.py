"""A retry over HTTP: each choice that is left out is as it was, each that is given is new."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from groundwire.model import Json
from groundwire.web.bodies import NewMessage
from tests.web.server import Web, events_of

FIRST: dict[str, Json] = {
    "provider_id": "openai-responses",
    "model": "gpt-5-mini",
    "search": "hosted",
    "domains": ["wiki.example.net"],
    "thinking": "low",
}
NOT_CHOSEN = {"text", "session_id", "parent_id", "client_id", "attachments", "retry_of"}
"""What says which message it is, and what it holds: a retry has that of the question."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Used:
    """What an answer was made with."""

    provider: str = "openai-responses"
    model: str = "gpt-5-mini"
    mode: str = "hosted"
    domains: tuple[str, ...] = ("wiki.example.net",)
    thinking: str = "low"


CHANGES: dict[str, tuple[Json, Used]] = {
    "search": ("off", Used(mode="off", domains=())),
    "domains": ([], Used(domains=())),
    # Another provider comes with a model of its own.
    "provider_id": ("anthropic", Used(provider="anthropic", model="claude-sonnet-5-5")),
    "model": ("gpt-5.5", Used(model="gpt-5.5")),
    "thinking": ("high", Used(thinking="high")),
}


def test_every_choice_of_a_message_is_in_the_table() -> None:
    assert set(NewMessage.model_fields) - NOT_CHOSEN == set(FIRST) == set(CHANGES)


def test_a_retry_that_says_nothing_is_as_it_was(web: Web) -> None:
    first = web.ask(**FIRST)[-1].data["message"]

    assert _retried(web, first) == Used()


@pytest.mark.parametrize("choice", CHANGES)
def test_a_retry_changes_what_it_names_and_nothing_else(web: Web, choice: str) -> None:
    first = web.ask(**FIRST)[-1].data["message"]
    value, expected = CHANGES[choice]

    assert _retried(web, first, **{choice: value}) == expected


def test_a_provider_of_null_is_the_agents(web: Web) -> None:
    made = web.client.post(
        "/api/providers",
        json={
            "name": "Google",
            "type": "gemini",
            "base_url": web.sandbox.base_url("gemini"),
            "default_model": "gemini-3.8-flash",
        },
    ).json()
    web.client.put(f"/api/providers/{made['id']}/key", json={"key": "sk-sandbox-1"})
    web.client.patch("/api/agents/assistant", json={"preferred_provider_id": made["id"]})
    first = web.ask(**{**FIRST, "search": "client", "domains": []})[-1].data["message"]

    used = _retried(web, first, provider_id=None, model=None, thinking=None)

    assert (used.provider, used.model, used.mode) == ("Google", "gemini-3.8-flash", "client")
    assert "thinkingConfig" not in web.sandbox.requests[-1].body.get("generationConfig", {})


def test_the_answer_of_a_provider_that_was_removed_is_made_by_another_only_if_named(
    web: Web,
) -> None:
    body = {"name": "Mine", "type": "anthropic", "base_url": web.sandbox.base_url("anthropic")}
    made = web.client.post("/api/providers", json=body).json()
    web.client.put(f"/api/providers/{made['id']}/key", json={"key": "sk-sandbox-1"})
    first = web.ask("Otters?", provider_id=made["id"])[-1].data["message"]
    web.client.delete(f"/api/providers/{made['id']}")

    reply = web.client.post("/api/agents/assistant/message", json={"retry_of": first["id"]})
    used = _retried(web, first, provider_id="anthropic")

    assert (reply.status_code, reply.json()["error"]["code"]) == (409, "conflict")
    assert "'Mine' of this answer was removed" in reply.json()["error"]["message"]
    assert used.provider == "anthropic"


def _retried(web: Web, answer: Json, **changes: Json) -> Used:
    body = {"retry_of": answer["id"], **changes}
    with web.client.stream("POST", "/api/agents/assistant/message", json=body) as reply:
        assert reply.status_code == 200, reply.read()
        message = list(events_of(reply))[-1].data["message"]
    assert (message["parent_id"], message["status"]) == (answer["parent_id"], "complete")
    sent = web.sandbox.requests[-1].body
    lists = [_domains(tool) for tool in sent.get("tools", []) if "web" in tool.get("type", "")]
    effort = sent.get("reasoning") or sent.get("output_config") or {}
    return Used(
        provider=message["provider"],
        model=message["model"],
        mode=message["mode"],
        domains=lists[0] if lists else (),
        thinking=effort.get("effort", ""),
    )


def _domains(tool: Json) -> tuple[str, ...]:
    found = tool.get("allowed_domains") or tool.get("filters", {}).get("allowed_domains", ())
    return tuple(found)
