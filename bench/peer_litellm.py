"""LiteLLM: its completion for every provider, and its responses where that is the protocol."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from importlib import import_module
from typing import Any, TypeAlias

from bench.measurement import QUESTION, Answer, Read, main

os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"  # It would ask the network when imported.
Library: TypeAlias = Any
# Imported by name: what checks our types runs in an environment that does not have it.
litellm: Library = import_module("litellm")
litellm.telemetry = False

MODELS = {
    "anthropic": "anthropic/claude-sonnet-4-5",
    "openai": "openai/gpt-4o-search-preview",
    "gemini": "gemini/gemini-2.5-flash",
}


@asynccontextmanager
async def read_completion(base: str, provider: str) -> AsyncIterator[Read]:
    url = f"{base}/v1" if provider == "openai" else base
    fields: dict[str, Any] = {
        "model": MODELS[provider],
        "api_base": url,
        "api_key": "key",
        "messages": [{"role": "user", "content": QUESTION}],
        "web_search_options": {},
        "max_retries": 0,
    }

    async def read() -> Answer:
        texts: list[str] = []
        events = citations = 0
        stream = await litellm.acompletion(**fields, stream=True)
        async for chunk in stream:
            events += 1
            for choice in chunk.choices:
                texts.append(choice.delta.content or "")
                citations += _citations_in(choice.delta)
        return Answer(events=events, text="".join(texts), citations=citations or None)

    yield read


def _citations_in(delta: Library) -> int:
    """Count annotations, or what LiteLLM hands on from a provider as it came."""
    fields = getattr(delta, "provider_specific_fields", None) or {}
    return len(getattr(delta, "annotations", None) or ()) + bool(fields.get("citation"))


@asynccontextmanager
async def read_responses(base: str) -> AsyncIterator[Read]:
    fields: dict[str, Any] = {
        "model": "openai/gpt-5",
        "api_base": f"{base}/v1",
        "api_key": "key",
        "input": QUESTION,
        "tools": [{"type": "web_search"}],
    }

    async def read() -> Answer:
        texts: list[str] = []
        events = citations = 0
        stream = await litellm.aresponses(**fields, stream=True)
        async for event in stream:
            events += 1
            if event.type == "response.output_text.delta":
                texts.append(event.delta)
            citations += event.type == "response.output_text.annotation.added"
        return Answer(events=events, text="".join(texts), citations=citations)

    yield read


if __name__ == "__main__":
    completions = {name: partial(read_completion, provider=name) for name in MODELS}
    main({**completions, "openai-responses": read_responses})
