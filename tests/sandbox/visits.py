"""Calls of the services that search and read, and visits to pages."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from functools import partial
from typing import Any

import aiohttp
import pytest

from groundwire.sandbox import SandboxServer
from tests.patience import wait_until_async
from tests.sandbox.calls import Reply

BEARER = {"authorization": "Bearer k-1"}
KEYLESS = {"x-tavily-access-mode": "keyless", "x-client-source": "tests"}
KEYS = {
    "tavily": BEARER,
    "perplexity": BEARER,
    "jina": BEARER | {"accept": "application/json"},
    "brave": {"x-subscription-token": "k-1"},
    "exa": {"x-api-key": "k-1"},
}
GETS = {"searxng": "/search", "brave": "/res/v1/web/search"}
POSTS = {
    "tavily": "/search",
    "perplexity": "/search",
    "exa": "/search",
    "jina": "/",
    "duckduckgo": "/html/",
}
OTTER = "https://wiki.example.net/sea-otter"
FUR = (
    "Sea otters have the densest fur of all animals. A square centimetre holds up to 150,000 hairs."
)
# A small valid request of each.
ASKED: dict[str, dict[str, Any]] = {
    "tavily": {"query": "sea otter fur"},
    "searxng": {"q": "sea otter fur", "format": "json"},
    "perplexity": {"query": "sea otter fur"},
    "brave": {"q": "sea otter fur"},
    "exa": {"query": "sea otter fur", "contents": {"text": True}},
    "jina": {"url": OTTER},
    "duckduckgo": {"q": "sea otter fur", "b": "", "l": "us-en"},
}
SERVICES = tuple(ASKED)


async def ask(
    sandbox: SandboxServer,
    service: str,
    sent: dict[str, Any] | None = None,
    *,
    path: str = "",
    fault: str = "",
    headers: dict[str, str] | None = None,
) -> Reply:
    """Call a service in its own way; `headers` stand instead of the key's."""
    used = KEYS.get(service, {}) if headers is None else headers
    url = sandbox.base_url(service, fault=fault)
    sent = ASKED[service] if sent is None else sent
    if service in GETS:
        return await _request("GET", url + (path or GETS[service]), headers=used, params=sent)
    form = {"data": sent} if service == "duckduckgo" else {"json": sent}
    return await _request("POST", url + (path or POSTS[service]), headers=used, **form)


async def visit(sandbox: SandboxServer, path: str, **headers: str) -> Reply:
    """Open a page as it is: no redirect is followed and nothing is unpacked."""
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    return await _request("GET", f"{sandbox.root}{path}", headers=named)


async def leave_silent(sandbox: SandboxServer, visit: Coroutine[Any, Any, Reply]) -> None:
    """Begin a visit, and leave once the sandbox has been asked and has said nothing."""
    before = len(sandbox.requests)
    asking = asyncio.create_task(visit)
    await wait_until_async(partial(_is_asked, sandbox, before))
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking


async def _is_asked(sandbox: SandboxServer, before: int) -> bool:
    return len(sandbox.requests) > before


async def _request(method: str, url: str, **options: Any) -> Reply:
    raw, error = b"", ""
    async with (
        aiohttp.ClientSession(auto_decompress=False) as session,
        session.request(method, url, allow_redirects=False, **options) as response,
    ):
        try:
            async for chunk in response.content.iter_any():
                raw += chunk
        except aiohttp.ClientPayloadError as cut:
            error = type(cut).__name__
    found = {name.lower(): value for name, value in response.headers.items()}
    return Reply(status=response.status, headers=found, raw=raw, error=error)
