"""LangChain: langchain-openai in both of its modes and langchain-anthropic."""

from common import MAX_STEPS, TOOL, WEATHER, citation, main
from langchain_anthropic import ChatAnthropic
from langchain_core.messages import HumanMessage, ToolMessage
from langchain_openai import ChatOpenAI

HOSTED = {
    "messages": {"type": "web_search_20250305", "name": "web_search"},
    "responses": {"type": "web_search"},
}


def model_for(task):
    if task["dialect"] == "messages":
        return ChatAnthropic(
            model=task["model"], base_url=task["url"], api_key=task["key"], max_retries=0
        )
    options = {"web_search_options": {}} if task["searches"] else {}
    is_responses = task["dialect"] == "responses"
    return ChatOpenAI(
        model=task["model"],
        base_url=task["url"] + "/v1",
        api_key=task["key"],
        max_retries=0,
        stream_usage=True,
        use_responses_api=is_responses,
        model_kwargs={} if is_responses else options,
    )


def ask(task, got):
    model = model_for(task)
    tools = []
    if task["searches"] and task["dialect"] in HOSTED:
        tools.append(HOSTED[task["dialect"]])
    if task["tool"]:
        tools.append({"type": "function", "function": TOOL})
    if tools:
        model = model.bind_tools(tools)
    messages = [HumanMessage(task["question"])]
    for _ in range(MAX_STEPS):
        message = step(model, messages, task, got)
        take(message, got)
        if not message.tool_calls:
            return
        messages.append(message)
        for call in message.tool_calls:
            got["calls"].append(call["name"])
            messages.append(ToolMessage(WEATHER, tool_call_id=call["id"]))


def step(model, messages, task, got):
    if task["way"] == "create":
        message = model.invoke(messages)
        got["text"] += message.text
        return message
    whole = None
    for chunk in model.stream(messages):
        got["text"] += chunk.text
        whole = chunk if whole is None else whole + chunk
    return whole


def take(message, got):
    usage = message.usage_metadata or {}
    got["usage"] = {"input": usage.get("input_tokens"), "output": usage.get("output_tokens")}
    for block in message.content_blocks:
        if block["type"] == "server_tool_call":
            got["searches"] += 1
        for each in block.get("annotations") or ():
            if each["type"] == "citation":
                extra = (each.get("extras") or {}).get("groundwire") or {}
                got["citations"].append(
                    citation(
                        each.get("url"),
                        each.get("title"),
                        each.get("cited_text") or extra.get("quote"),
                        each.get("start_index"),
                        each.get("end_index"),
                    )
                )


main(ask)
