"""pydantic-ai against the gateway: prints what it made of the answers."""

import asyncio
import json
import sys

from pydantic_ai import Agent
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider

try:
    from pydantic_ai.builtin_tools import WebSearchTool
except ImportError:
    from pydantic_ai.native_tools import WebSearchTool

url, model, question = sys.argv[1:4]
openai = OpenAIProvider(base_url=f"{url}/v1", api_key="any")
MODELS = {
    "messages": AnthropicModel(model, provider=AnthropicProvider(base_url=url, api_key="any")),
    "responses": OpenAIResponsesModel(model, provider=openai),
    "chat": OpenAIChatModel(f"{model}:search", provider=openai),
}


def agent_of(name):
    if name == "chat":
        return Agent(MODELS[name])
    try:
        return Agent(MODELS[name], builtin_tools=[WebSearchTool()])
    except TypeError:
        from pydantic_ai.capabilities import NativeTool

        return Agent(MODELS[name], capabilities=[NativeTool(WebSearchTool())])


def parts_of(messages):
    return [repr(part) for message in messages for part in message.parts]


async def main():
    found = {}
    for name in MODELS:
        agent = agent_of(name)
        result = await agent.run(question)
        found[name] = {
            "text": result.output,
            "parts": parts_of(result.all_messages()),
            "tokens": result.usage().input_tokens
            if callable(result.usage)
            else result.usage.input_tokens,
        }
        async with agent.run_stream(question) as stream:
            text = await stream.get_output()
            found[f"{name} streamed"] = {"text": text, "parts": parts_of(stream.all_messages())}
    print(json.dumps(found))


asyncio.run(main())
