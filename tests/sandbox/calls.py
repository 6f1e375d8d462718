"""Calls as each provider wants them, and what was planned for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import aiohttp
import orjson
import pytest

from groundwire.sandbox import PAGES, BuiltInWeb, SandboxServer
from groundwire.sandbox.answers import AnswerPlan, AskedQuestion, OfferedTool, Searching, plan

ASKED = "How dense is the fur of sea otters?"
WEATHER: dict[str, Any] = {
    "type": "object",
    "properties": {"city": {"type": "string"}, "days": {"type": "integer", "maximum": 7}},
    "required": ["city", "days"],
}
CALLED = "Use get_weather for Zürich and Paris, both for 9 days"

KEYS = {
    "anthropic": {"x-api-key": "k-1", "anthropic-version": "2023-06-01"},
    "gemini": {"x-goog-api-key": "k-1"},
}
BEARER = {"authorization": "Bearer k-1"}
PATHS = {
    "anthropic": "/messages",
    "openai": "/chat/completions",
    "openai-responses": "/responses",
    "gemini": "/models/gemini-2.5-flash:generateContent",
    "openrouter": "/chat/completions",
    "codex": "/responses",
}
PROVIDERS = tuple(PATHS)


ClientFor = Callable[..., Any]


def sdk(name: str) -> Any:
    """Return an official SDK, or skip where it is not installed."""
    return pytest.importorskip(name, reason=f"needs the {name} SDK (test extra)")


def planned(
    text: str, *, searches: bool = False, calls: bool = False, limit: int = 5
) -> AnswerPlan:
    """Return the plan that every provider puts into its own form."""
    question = AskedQuestion(
        text=text,
        tools=(OfferedTool(name="get_weather", schema=WEATHER),) if calls else (),
        searching=Searching(limit=limit) if searches else None,
    )
    return plan(question, BuiltInWeb(PAGES))


def body(provider: str, text: str, *, stream: bool = False, search: bool = False) -> dict[str, Any]:
    """Return a small valid body."""
    messages = [{"role": "user", "content": text}]
    match provider:
        case "anthropic":
            made: dict[str, Any] = {"model": "claude-haiku-4-5", "max_tokens": 2000}
            made["messages"] = messages
            tools = [{"type": "web_search_20250305", "name": "web_search"}]
        case "gemini":
            made = {"contents": [{"parts": [{"text": text}]}]}
            return made | ({"tools": [{"googleSearch": {}}]} if search else {})
        case "openai":
            model = "gpt-5-search-api" if search else "gpt-5"
            return {"model": model, "messages": messages, "stream": stream}
        case "openrouter":
            made = {"model": "openai/gpt-5", "messages": messages}
            return made | {"stream": stream} | ({"plugins": [{"id": "web"}]} if search else {})
        case _:
            made, tools = {"model": "gpt-5.5", "input": messages}, [{"type": "web_search"}]
            made |= {"store": False, "instructions": "Answer."} if provider == "codex" else {}
    stream = stream or provider == "codex"
    return made | {"stream": stream} | ({"tools": tools} if search else {})


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """What came back, as far as it came; `error` is the transport's complaint."""

    status: int
    headers: dict[str, str]
    raw: bytes
    error: str = ""

    def json(self) -> Any:
        return orjson.loads(self.raw)

    def events(self) -> list[Any]:
        """Return the data of each whole event, parsed where it is JSON."""
        blocks = self.raw.replace(b"\r\n", b"\n").split(b"\n\n")[:-1]
        lines = [line for block in blocks for line in block.split(b"\n")]
        data = [line.removeprefix(b"data: ") for line in lines if line.startswith(b"data: ")]
        return [orjson.loads(item) for item in data if item != b"[DONE]"]


async def call(
    sandbox: SandboxServer,
    provider: str,
    sent: dict[str, Any],
    *,
    path: str = "",
    fault_in_url: str = "",
    headers: dict[str, str] | None = None,
) -> Reply:
    """Call a provider and read to the end, whatever the end is."""
    url = sandbox.base_url(provider, fault=fault_in_url) + (path or PATHS[provider])
    if provider == "gemini" and headers is not None and "x-sandbox-stream" in headers:
        url = url.replace(":generateContent", ":streamGenerateContent?alt=sse")
    key = KEYS.get(provider, BEARER)
    raw, error = b"", ""
    async with (
        aiohttp.ClientSession() as session,
        session.post(url, json=sent, headers=key | (headers or {})) as response,
    ):
        try:
            async for chunk in response.content.iter_any():
                raw += chunk
        except aiohttp.ClientPayloadError as cut:
            error = type(cut).__name__
    return Reply(
        status=response.status,
        headers={name.lower(): value for name, value in response.headers.items()},
        raw=raw,
        error=error,
    )


async def stream(
    sandbox: SandboxServer, provider: str, text: str, *, fault: str = "", search: bool = True
) -> Reply:
    """Ask for a stream."""
    headers = {"x-sandbox-stream": "1"} | ({"x-sandbox-fault": fault} if fault else {})
    sent = body(provider, text, stream=True, search=search)
    return await call(sandbox, provider, sent, headers=headers)
