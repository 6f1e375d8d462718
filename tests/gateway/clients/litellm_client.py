"""LiteLLM against the gateway: prints what it made of the answers."""

import json
import sys

import litellm

url, model, question = sys.argv[1:4]
litellm.suppress_debug_info = True
ASKED = [{"role": "user", "content": question}]
CHAT = {
    "model": f"openai/{model}",
    "api_base": f"{url}/v1",
    "api_key": "any",
    "messages": ASKED,
    "web_search_options": {},
}
MESSAGES = {
    "model": f"anthropic/{model}",
    "api_base": url,
    "api_key": "any",
    "messages": ASKED,
    "max_tokens": 500,
    "tools": [{"type": "web_search_20250305", "name": "web_search"}],
}


def told(reply):
    message = reply.choices[0].message
    annotations = getattr(message, "annotations", None) or []
    fields = getattr(message, "provider_specific_fields", None) or {}
    links = [dict(each)["url_citation"]["url"] for each in annotations]
    cited = [one["url"] for group in fields.get("citations") or () for one in group if "url" in one]
    return {"text": message.content, "urls": sorted({*links, *cited})}


found = {"chat": told(litellm.completion(**CHAT)), "messages": told(litellm.completion(**MESSAGES))}
for name, fields in (("chat streamed", CHAT), ("messages streamed", MESSAGES)):
    pieces = list(litellm.completion(**fields, stream=True))
    text = "".join(piece.choices[0].delta.content or "" for piece in pieces if piece.choices)
    found[name] = {"text": text}
print(json.dumps(found))
