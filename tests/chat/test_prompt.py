"""What a model is told of the web: only the tools that the same request offers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from tests.chat.program import HOSTED, Talk, opened

TOGGLES = [(True, True), (True, False), (False, True), (False, False)]
SEARCHES = ("web_search", "google_search", "googleSearch", "web_search_options", '"plugins"')
READS = ("open_page", "web_fetch")


@pytest.mark.parametrize(("may_search", "may_read"), TOGGLES)
@pytest.mark.parametrize("search", ["auto", "client", "off"])
@pytest.mark.parametrize("provider", HOSTED)
async def test_the_prompt_mentions_only_what_the_request_offers(
    talk: Talk, provider: str, search: str, may_search: bool, may_read: bool
) -> None:
    await talk.allow("*", web_search_enabled=may_search, web_fetch_enabled=may_read)

    await talk.turn(provider=provider, search=search)

    _check(talk)


async def test_after_the_last_round_nothing_is_said_of_tools(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with opened(sandbox, str(tmp_path / "talk.sqlite3"), chat={"rounds": 1}) as talk:
        await talk.turn(search="client")

        _check(talk)
        assert "You can" not in _system(talk.asked())
        # What was found before is still cited.
        assert "append the citation ID" in _system(talk.asked())


async def test_a_model_that_cannot_call_tools_is_not_told_of_any(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async with opened(sandbox, str(tmp_path / "talk.sqlite3")) as talk:
        talk.program.settings.providers["openai"].options["calls_tools"] = False
        await talk.turn(provider="openai", model="gpt-4o", search="client")

        _check(talk)


def _check(talk: Talk) -> None:
    asked = [each.body for each in talk.sandbox.requests if _is_question(each.body)]
    assert asked
    for body in asked:
        told, tools = _system(body), _tools(body)
        first = told.partition("You can ")[2].partition(" on the web")[0]
        assert ("search" in first) <= any(name in tools for name in SEARCHES), body
        assert ("open pages" in first) <= any(name in tools for name in READS), body
        for name in ("open_page", "web_search"):
            assert name not in told
        # Descriptions of tools name no other tool that is not there.
        if "open_page" in tools:
            assert '"name": "open_page"' in tools


def _is_question(body: Json) -> bool:
    return isinstance(body, dict) and bool({"messages", "input", "contents"} & body.keys())


def _system(body: Json) -> str:
    if "contents" in body:
        parts = body.get("systemInstruction", {}).get("parts", [])
        return "".join(part["text"] for part in parts)
    messages = body.get("messages", [])
    spoken = [each["content"] for each in messages if each["role"] == "system"]
    return str(body.get("system") or body.get("instructions") or "".join(spoken))


def _tools(body: Json) -> str:
    names = ("tools", "plugins", "web_search_options")
    return json.dumps({name: body[name] for name in names if name in body})
