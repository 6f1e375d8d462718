"""Google's SDK: its asynchronous client, the events read one by one."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from google import genai

from bench.measurement import QUESTION, Answer, Read, main


@asynccontextmanager
async def reader(base: str) -> AsyncIterator[Read]:
    options = genai.types.HttpOptions(base_url=base)
    search = genai.types.Tool(google_search=genai.types.GoogleSearch())
    config = genai.types.GenerateContentConfig(tools=[search])
    async with genai.Client(api_key="key", http_options=options).aio as client:

        async def read() -> Answer:
            texts: list[str] = []
            events = citations = 0
            stream = await client.models.generate_content_stream(
                model="gemini-2.5-flash", contents=QUESTION, config=config
            )
            async for chunk in stream:
                events += 1
                texts.append(chunk.text or "")
                for candidate in chunk.candidates or ():
                    grounding = candidate.grounding_metadata
                    citations += len((grounding and grounding.grounding_supports) or ())
            return Answer(events=events, text="".join(texts), citations=citations)

        yield read


if __name__ == "__main__":
    main({"gemini": reader})
