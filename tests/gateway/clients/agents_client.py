"""openai-agents against the gateway: prints what it made of the answers."""

import asyncio
import json
import sys

from agents import (
    Agent,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    WebSearchTool,
    set_tracing_disabled,
)
from openai import AsyncOpenAI

url, model, question = sys.argv[1:4]
set_tracing_disabled(True)
client = AsyncOpenAI(base_url=f"{url}/v1", api_key="any", max_retries=0)
AGENTS = {
    "responses": Agent(
        name="a", model=OpenAIResponsesModel(model, client), tools=[WebSearchTool()]
    ),
    "chat": Agent(name="b", model=OpenAIChatCompletionsModel(f"{model}:search", client)),
}


def told(result):
    urls = [
        one.url
        for item in result.new_items
        for part in getattr(item.raw_item, "content", None) or ()
        for one in getattr(part, "annotations", None) or ()
    ]
    kinds = [item.raw_item.type for item in result.new_items]
    return {"text": result.final_output, "urls": sorted(set(urls)), "kinds": kinds}


async def main():
    found = {}
    for name, agent in AGENTS.items():
        found[name] = told(await Runner.run(agent, question))
        streamed = Runner.run_streamed(agent, question)
        async for _ in streamed.stream_events():
            pass
        found[f"{name} streamed"] = told(streamed)
    print(json.dumps(found))


asyncio.run(main())
