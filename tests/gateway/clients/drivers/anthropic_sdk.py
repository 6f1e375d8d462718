"""The anthropic SDK: `create` and `stream()`."""

import anthropic
from common import MAX_STEPS, TOOL, WEATHER, citation, main


def ask(task, got):
    client = anthropic.Anthropic(base_url=task["url"], api_key=task["key"], max_retries=0)
    messages = [{"role": "user", "content": task["question"]}]
    tools = [{"type": "web_search_20250305", "name": "web_search"}] if task["searches"] else []
    if task["tool"]:
        schema = {**TOOL, "input_schema": TOOL["parameters"]}
        schema.pop("parameters")
        tools.append(schema)
    for _ in range(MAX_STEPS):
        fields = {"model": task["model"], "max_tokens": 2000, "messages": messages, "tools": tools}
        message = step(client, task, fields, got)
        take(message, got)
        calls = [block for block in message.content if block.type == "tool_use"]
        if not calls:
            return
        messages.append({"role": "assistant", "content": message.content})
        results = [
            {"type": "tool_result", "tool_use_id": call.id, "content": WEATHER} for call in calls
        ]
        got["calls"] += [call.name for call in calls]
        messages.append({"role": "user", "content": results})


def step(client, task, fields, got):
    if task["way"] == "create":
        message = client.messages.create(**fields)
        got["text"] += "".join(b.text for b in message.content if b.type == "text")
        return message
    got.setdefault("live", [])
    with client.messages.stream(**fields) as stream:
        for event in stream:
            if event.type == "text":
                got["text"] += event.text
            elif event.type == "citation":
                got["live"].append(event.citation.url)
        return stream.get_final_message()


def take(message, got):
    usage = message.usage
    got["usage"] = {"input": usage.input_tokens, "output": usage.output_tokens}
    for block in message.content:
        if block.type == "web_search_tool_result":
            got["searches"] += 1
            got.setdefault("found", []).extend(page.url for page in block.content)
        elif block.type == "text":
            for each in block.citations or ():
                got["citations"].append(citation(each.url, each.title, each.cited_text))


main(ask)
