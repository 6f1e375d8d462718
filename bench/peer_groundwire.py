"""Ours: the adapter, its answer read as the chat reads it, every event looked at."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from functools import partial

from bench.measurement import QUESTION, Answer, Read, main
from groundwire import registry
from groundwire.client import Client
from groundwire.client.adapters import ModelApiAdapter
from groundwire.events import Citations, Error, TextDelta
from groundwire.model import Secret, UserMessage
from groundwire.wire.contract import Access, Endpoint, Question

MODELS = {
    "anthropic": "claude-sonnet-5-5",
    "openai-responses": "gpt-5.5",
    "openai": "gpt-5-search-api",
    "gemini": "gemini-2.5-flash",
}


@asynccontextmanager
async def reader(base: str, name: str) -> AsyncIterator[Read]:
    url = base if name == "gemini" else f"{base}/v1"
    access = Access(base_url=url, key=Secret("key"))
    endpoint = Endpoint(name=name, provider=registry.get(name), access=access)
    message = UserMessage(content=QUESTION)
    question = Question(model=MODELS[name], messages=(message,), web_search=True)
    async with Client() as client:
        adapter = ModelApiAdapter(endpoint, client)

        async def read() -> Answer:
            texts: list[str] = []
            failures: list[str] = []
            events = citations = 0
            async for batch in adapter.answer_batches(question):
                for event in batch:
                    events += 1
                    if isinstance(event, TextDelta):
                        texts.append(event.text)
                    elif isinstance(event, Citations):
                        citations += len(event.citations)
                    elif isinstance(event, Error):
                        failures.append(event.message)
            assert not failures, failures
            return Answer(events=events, text="".join(texts), citations=citations)

        yield read


if __name__ == "__main__":
    main({name: partial(reader, name=name) for name in MODELS})
