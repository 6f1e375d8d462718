"""Anthropic's SDK: its asynchronous client, the events read one by one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import anthropic

from bench.measurement import QUESTION, Answer, Read, main

SEARCH: Any = {"type": "web_search_20250305", "name": "web_search"}


@asynccontextmanager
async def reader(base: str) -> AsyncIterator[Read]:
    async with anthropic.AsyncAnthropic(base_url=base, api_key="key", max_retries=0) as client:

        async def read() -> Answer:
            texts: list[str] = []
            events = citations = 0
            stream = await client.messages.create(
                model="claude-sonnet-5-5",
                max_tokens=2000,
                messages=[{"role": "user", "content": QUESTION}],
                tools=[SEARCH],
                stream=True,
            )
            async for event in stream:
                events += 1
                if event.type == "content_block_delta":
                    if event.delta.type == "text_delta":
                        texts.append(event.delta.text)
                    citations += event.delta.type == "citations_delta"
            return Answer(events=events, text="".join(texts), citations=citations)

        yield read


if __name__ == "__main__":
    main({"anthropic": reader})
