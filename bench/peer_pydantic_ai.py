"""pydantic-ai: its direct request, which is the model without an agent around it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial
from importlib import import_module
from typing import Any, TypeAlias

from bench.measurement import QUESTION, Answer, Read, main

Library: TypeAlias = Any

# The module and the class of each model, the module and the class of its provider, its name.
MODELS = {
    "anthropic": ("anthropic.AnthropicModel", "anthropic.AnthropicProvider", "claude-sonnet-4-5"),
    "openai-responses": ("openai.OpenAIResponsesModel", "openai.OpenAIProvider", "gpt-5"),
    "openai": ("openai.OpenAIChatModel", "openai.OpenAIProvider", "gpt-4o-search-preview"),
    "gemini": ("google.GoogleModel", "google.GoogleProvider", "gemini-2.5-flash"),
}


def _load(path: str) -> Library:
    """Import by name: what checks our types runs in an environment that does not have it."""
    module, _, name = path.rpartition(".")
    return getattr(import_module(f"pydantic_ai.{module}"), name)


@asynccontextmanager
async def reader(base: str, provider: str) -> AsyncIterator[Read]:
    model_class, provider_class, name = MODELS[provider]
    url = f"{base}/v1" if provider.startswith("openai") else base
    access = _load(f"providers.{provider_class}")(api_key="key", base_url=url)
    model = _load(f"models.{model_class}")(name, provider=access)
    search = _load("native_tools.WebSearchTool")()
    wanted = _load("models.ModelRequestParameters")(native_tools=[search])
    open_stream = _load("direct.model_request_stream")
    question = [_load("messages.ModelRequest").user_text_prompt(QUESTION)]

    async def read() -> Answer:
        texts: list[str] = []
        events = 0
        async with open_stream(model, question, model_request_parameters=wanted) as stream:
            async for event in stream:
                events += 1
                if event.event_kind == "part_start" and event.part.part_kind == "text":
                    texts.append(event.part.content)
                elif event.event_kind == "part_delta" and event.delta.part_delta_kind == "text":
                    texts.append(event.delta.content_delta)
            cited = [getattr(part, "citations", None) or () for part in stream.get().parts]
        return Answer(events=events, text="".join(texts), citations=sum(map(len, cited)))

    yield read


if __name__ == "__main__":
    main({provider: partial(reader, provider=provider) for provider in MODELS})
