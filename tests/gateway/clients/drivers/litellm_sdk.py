"""LiteLLM as a client: `completion` over Chat and over Messages."""

import json

import litellm
from common import MAX_STEPS, TOOL, WEATHER, citation, main

litellm.telemetry = False


def ask(task, got):
    is_messages = task["dialect"] == "messages"
    fields = {
        "model": f"{'anthropic' if is_messages else 'openai'}/{task['model']}",
        "api_base": task["url"] if is_messages else task["url"] + "/v1",
        "api_key": task["key"],
        "num_retries": 0,
        "max_retries": 0,
    }
    tools = []
    if task["searches"] and is_messages:
        tools.append({"type": "web_search_20250305", "name": "web_search", "max_uses": 8})
    elif task["searches"]:
        # The option itself is refused for models that it does not know to search.
        fields["extra_body"] = {"web_search_options": {}}
    if task["tool"]:
        tools.append({"type": "function", "function": TOOL})
    if tools:
        fields["tools"] = tools
    messages = [{"role": "user", "content": task["question"]}]
    for _ in range(MAX_STEPS):
        message, usage = step(task, {**fields, "messages": messages}, got)
        got["usage"] = {"input": usage.prompt_tokens, "output": usage.completion_tokens}
        calls = [c for c in message.tool_calls or () if c.function.name == TOOL["name"]]
        if not calls:
            return
        messages.append(message.model_dump(exclude_none=True))
        for call in calls:
            got["calls"].append(call.function.name)
            messages.append({"role": "tool", "tool_call_id": call.id, "content": WEATHER})


def step(task, fields, got):
    if task["way"] == "create":
        reply = litellm.completion(**fields)
        message = reply.choices[0].message
        got["text"] += message.content or ""
        take(message, got)
        return message, reply.usage
    chunks = []
    for chunk in litellm.completion(**fields, stream=True, stream_options={"include_usage": True}):
        chunks.append(chunk)
        if chunk.choices:
            got["text"] += chunk.choices[0].delta.content or ""
            take(chunk.choices[0].delta, got, is_live=True)
    whole = litellm.stream_chunk_builder(chunks)
    return whole.choices[0].message, whole.usage


def take(said, got, is_live=False):
    for each in getattr(said, "annotations", None) or ():
        cited = each["url_citation"]
        extra = cited.get("groundwire") or {}
        got["citations"].append(
            citation(
                cited["url"],
                cited["title"],
                extra.get("quote"),
                cited["start_index"],
                cited["end_index"],
            )
        )
    fields = getattr(said, "provider_specific_fields", None) or {}
    got["searches"] += len(fields.get("web_search_results") or ()) if not is_live else 0
    kept = fields.get("citation") if is_live else fields.get("citations")
    kept = [kept] if isinstance(kept, dict) else kept or ()
    for block in kept:
        for one in [block] if isinstance(block, dict) else block:
            got["citations"].append(citation(one["url"], one["title"], one["cited_text"]))
    got.setdefault("fields", []).append(json.loads(json.dumps(fields, default=str)))


main(ask)
