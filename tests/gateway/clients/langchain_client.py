"""LangChain against the gateway: prints what it made of the citations."""

import json
import sys

from langchain_anthropic import ChatAnthropic
from langchain_openai import ChatOpenAI

url, model, question = sys.argv[1:4]
SEARCH = {"type": "web_search_20250305", "name": "web_search"}


def told(message):
    cited = [
        one.get("url")
        for part in (message.content if isinstance(message.content, list) else ())
        for one in (*(part.get("citations") or ()), *(part.get("annotations") or ()))
    ]
    text = message.text if isinstance(message.text, str) else message.text()
    usage = message.usage_metadata or {}
    return {"text": str(text), "urls": sorted({each for each in cited if each}), "usage": usage}


def streamed(chat):
    whole = None
    for chunk in chat.stream(question):
        whole = chunk if whole is None else whole + chunk
    return told(whole)


claude = ChatAnthropic(model=model, base_url=url, api_key="any", max_retries=0)
messages = claude.bind_tools([SEARCH])
gpt = ChatOpenAI(
    model=model, base_url=f"{url}/v1", api_key="any", max_retries=0, use_responses_api=True
)
responses = gpt.bind_tools([{"type": "web_search"}])
chat = ChatOpenAI(
    model=f"{model}:search", base_url=f"{url}/v1", api_key="any", max_retries=0, stream_usage=True
)
found = {}
for name, each in (("messages", messages), ("responses", responses), ("chat", chat)):
    found[name] = told(each.invoke(question))
    found[f"{name} streamed"] = streamed(each)
print(json.dumps(found))
