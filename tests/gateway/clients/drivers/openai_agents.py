"""openai-agents: an agent with the hosted search tool, over Chat and Responses."""

import asyncio

import openai
from agents import (
    Agent,
    ModelSettings,
    OpenAIChatCompletionsModel,
    OpenAIResponsesModel,
    Runner,
    WebSearchTool,
    function_tool,
    set_tracing_disabled,
)
from common import WEATHER, citation, main

set_tracing_disabled(True)


def ask(task, got):
    asyncio.run(answer(task, got))


async def answer(task, got):
    client = openai.AsyncOpenAI(base_url=task["url"] + "/v1", api_key=task["key"], max_retries=0)
    kind = OpenAIResponsesModel if task["dialect"] == "responses" else OpenAIChatCompletionsModel
    tools = []
    settings = ModelSettings(include_usage=True)
    if task["searches"] and task["dialect"] == "responses":
        tools.append(WebSearchTool())
    elif task["searches"]:
        # The tool exists only in Responses; Chat takes the option itself.
        settings = ModelSettings(include_usage=True, extra_body={"web_search_options": {}})
    if task["tool"]:

        @function_tool
        def get_weather(city: str) -> str:
            """Tell the weather in a city."""
            got["calls"].append("get_weather")
            return WEATHER

        tools.append(get_weather)
    model = kind(model=task["model"], openai_client=client)
    agent = Agent(name="asker", model=model, tools=tools, model_settings=settings)
    if task["way"] == "create":
        result = await Runner.run(agent, task["question"])
    else:
        result = Runner.run_streamed(agent, task["question"])
        async for event in result.stream_events():
            data = getattr(event, "data", None)
            if getattr(data, "type", "") == "response.output_text.delta":
                got["text"] += data.delta
    take(result, task, got)


def take(result, task, got):
    for reply in result.raw_responses:
        got["usage"] = {"input": reply.usage.input_tokens, "output": reply.usage.output_tokens}
        for item in reply.output:
            if item.type == "web_search_call":
                got["searches"] += 1
            elif item.type == "message":
                for part in item.content:
                    got["text"] += part.text if task["way"] == "create" else ""
                    for each in part.annotations:
                        extra = getattr(each, "groundwire", None) or {}
                        got["citations"].append(
                            citation(
                                each.url,
                                each.title,
                                extra.get("quote"),
                                each.start_index,
                                each.end_index,
                            )
                        )


main(ask)
