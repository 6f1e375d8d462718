"""The openai SDK: Chat Completions and Responses, `create`, streamed `create` and `stream()`."""

import openai
from common import MAX_STEPS, TOOL, WEATHER, citation, main


def ask(task, got):
    client = openai.OpenAI(base_url=task["url"] + "/v1", api_key=task["key"], max_retries=0)
    {"chat": chat, "responses": responses}[task["dialect"]](client, task, got)


def chat(client, task, got):
    messages = [{"role": "user", "content": task["question"]}]
    fields = {"model": task["model"]}
    if task["searches"]:
        fields["web_search_options"] = {}
    if task["tool"]:
        fields["tools"] = [{"type": "function", "function": TOOL}]
    for _ in range(MAX_STEPS):
        message, usage = chat_step(client, task, messages, fields, got)
        got["usage"] = {"input": usage.prompt_tokens, "output": usage.completion_tokens}
        for each in message.annotations or ():
            cited = each.url_citation
            extra = getattr(cited, "groundwire", None) or {}
            got["citations"].append(
                citation(
                    cited.url, cited.title, extra.get("quote"), cited.start_index, cited.end_index
                )
            )
        if not message.tool_calls:
            return
        messages.append(message.model_dump(exclude_none=True))
        for call in message.tool_calls:
            got["calls"].append(call.function.name)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": WEATHER})


def chat_step(client, task, messages, fields, got):
    if task["way"] == "create":
        reply = client.chat.completions.create(messages=messages, **fields)
        got["text"] += reply.choices[0].message.content or ""
        return reply.choices[0].message, reply.usage
    counted = {"stream_options": {"include_usage": True}}
    with client.chat.completions.stream(messages=messages, **fields, **counted) as stream:
        for event in stream:
            if event.type == "content.delta":
                got["text"] += event.delta
        whole = stream.get_final_completion()
    return whole.choices[0].message, whole.usage


def responses(client, task, got):
    fields = {"model": task["model"], "input": [{"role": "user", "content": task["question"]}]}
    fields["tools"] = [{"type": "web_search"}] if task["searches"] else []
    if task["tool"]:
        fields["tools"].append({"type": "function", "strict": False, **TOOL})
    for _ in range(MAX_STEPS):
        reply = responses_step(client, task, fields, got)
        got["usage"] = {"input": reply.usage.input_tokens, "output": reply.usage.output_tokens}
        fields["input"] += [item.model_dump(exclude_none=True) for item in reply.output]
        calls = []
        for item in reply.output:
            if item.type == "web_search_call":
                got["searches"] += 1
            elif item.type == "function_call":
                calls.append(item)
            elif item.type == "message":
                take(item, got)
        if not calls:
            return
        for call in calls:
            got["calls"].append(call.name)
            output = {"type": "function_call_output", "call_id": call.call_id, "output": WEATHER}
            fields["input"].append(output)


def take(item, got):
    for part in item.content:
        for each in part.annotations:
            extra = getattr(each, "groundwire", None) or {}
            got["citations"].append(
                citation(each.url, each.title, extra.get("quote"), each.start_index, each.end_index)
            )


def responses_step(client, task, fields, got):
    if task["way"] == "create":
        reply = client.responses.create(**fields)
        got["text"] += reply.output_text
        return reply
    with client.responses.stream(**fields) as stream:
        for event in stream:
            if event.type == "response.output_text.delta":
                got["text"] += event.delta
        return stream.get_final_response()


main(ask)
