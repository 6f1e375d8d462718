"""OpenAI's SDK: its asynchronous client, the events read one by one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import openai

from bench.measurement import QUESTION, Answer, Read, main

SEARCH: Any = {"type": "web_search"}


def _openai(base: str) -> openai.AsyncOpenAI:
    return openai.AsyncOpenAI(base_url=f"{base}/v1", api_key="key", max_retries=0)


@asynccontextmanager
async def read_responses(base: str) -> AsyncIterator[Read]:
    async with _openai(base) as client:

        async def read() -> Answer:
            texts: list[str] = []
            events = citations = 0
            stream = await client.responses.create(
                model="gpt-5.5", input=QUESTION, tools=[SEARCH], stream=True
            )
            async for event in stream:
                events += 1
                if event.type == "response.output_text.delta":
                    texts.append(event.delta)
                citations += event.type == "response.output_text.annotation.added"
            return Answer(events=events, text="".join(texts), citations=citations)

        yield read


@asynccontextmanager
async def read_chat(base: str) -> AsyncIterator[Read]:
    async with _openai(base) as client:

        async def read() -> Answer:
            texts: list[str] = []
            events = citations = 0
            stream = await client.chat.completions.create(
                model="gpt-5-search-api",
                messages=[{"role": "user", "content": QUESTION}],
                web_search_options={},
                stream=True,
                stream_options={"include_usage": True},
            )
            async for chunk in stream:
                events += 1
                for choice in chunk.choices:
                    texts.append(choice.delta.content or "")
                    citations += len(getattr(choice.delta, "annotations", None) or ())
            return Answer(events=events, text="".join(texts), citations=citations)

        yield read


if __name__ == "__main__":
    main({"openai-responses": read_responses, "openai": read_chat})
