"""pydantic-ai: an agent with the native search tool, over all three dialects."""

import asyncio

from common import WEATHER, citation, main
from pydantic_ai import Agent
from pydantic_ai.messages import (
    ModelResponse,
    NativeToolCallPart,
    TextPart,
    ToolCallPart,
)
from pydantic_ai.models.anthropic import AnthropicModel
from pydantic_ai.models.openai import OpenAIChatModel, OpenAIResponsesModel
from pydantic_ai.native_tools import WebSearchTool
from pydantic_ai.providers.anthropic import AnthropicProvider
from pydantic_ai.providers.openai import OpenAIProvider


def model_for(task):
    if task["dialect"] == "messages":
        provider = AnthropicProvider(base_url=task["url"], api_key=task["key"])
        return AnthropicModel(task["model"], provider=provider)
    provider = OpenAIProvider(base_url=task["url"] + "/v1", api_key=task["key"])
    if task["dialect"] == "responses":
        return OpenAIResponsesModel(task["model"], provider=provider)
    # Only models of OpenAI's own are known to take the tool in Chat.
    profile = {"openai_chat_supports_web_search": True}
    return OpenAIChatModel(task["model"], provider=provider, profile=profile)


def ask(task, got):
    asyncio.run(answer(task, got))


async def answer(task, got):
    searching = [WebSearchTool()] if task["searches"] else []
    agent = Agent(model_for(task), capabilities=capabilities(searching), retries=0)
    if task["tool"]:

        @agent.tool_plain
        def get_weather(city: str) -> str:
            """Tell the weather in a city."""
            return WEATHER

    if task["way"] == "create":
        result = await agent.run(task["question"])
        messages = result.all_messages()
    else:
        async with agent.run_stream(task["question"]) as result:
            async for piece in result.stream_text(delta=True):
                got["text"] += piece
        messages = result.all_messages()
    take(messages, task, got)


def capabilities(tools):
    from pydantic_ai.capabilities import NativeTool

    return [NativeTool(tool) for tool in tools]


def take(messages, task, got):
    for message in messages:
        if not isinstance(message, ModelResponse):
            continue
        got["usage"] = {"input": message.usage.input_tokens, "output": message.usage.output_tokens}
        for part in message.parts:
            if isinstance(part, TextPart):
                got["text"] += part.content if task["way"] == "create" else ""
                for each in part.citations or ():
                    took(each, got)
            elif isinstance(part, NativeToolCallPart):
                got["searches"] += 1
            elif isinstance(part, ToolCallPart):
                got["calls"].append(part.tool_name)


def took(each, got):
    anchor = each.anchor
    for source in each.sources:
        quote = source.excerpts[0] if source.excerpts else None
        start, end = (anchor.start, anchor.end) if anchor else (None, None)
        got["citations"].append(citation(source.url, source.title, quote, start, end))


main(ask)
