"""A real model without search behind the gateway, asked by the official SDKs: cited answers."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator

import anthropic
import openai
import pytest

from groundwire import Keys, Settings
from groundwire.model import Json
from groundwire.service.program import Groundwire
from tests.adapters.test_real_model import base_url
from tests.chat.test_real_model import _library, _pages
from tests.gateway.alone import served_alone

__all__ = ["base_url"]

pytestmark = pytest.mark.slow

MODEL = "openai/smollm2"
ASKED: Json = [{"role": "user", "content": "What is the capital of France?"}]
FRANCE = "https://library.test/capitals/france.md"
LINK = f"[1]({FRANCE})"


@pytest.fixture(scope="module")
def url(base_url: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Return a gateway over SmolLM2, with a library of two pages as its search."""
    folder = tmp_path_factory.mktemp("smollm2")
    asyncio.run(_library(_pages(folder / "pages"), folder / "library.sqlite3"))
    options = {"calls_tools": False, "context_characters": 1500}
    settings = Settings.model_validate(
        {
            "search_provider": "library",
            "read_provider": "library",
            "chat": {"seconds": 240},
            "gateway": {"check_seconds": 60},
            "providers": {
                "openai": {"base_url": base_url, "model": "smollm2", "options": options},
                "library": {"options": {"path": str(folder / "library.sqlite3")}},
            },
        }
    )
    keys = Keys(environment={}, dotenv=folder / ".env", file=folder / "keys.json")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GROUNDWIRE_HOME", str(folder))
        with served_alone(Groundwire(settings=settings, keys=keys, keep=False)) as address:
            yield address


@pytest.mark.parametrize("streams", [False, True])
def test_the_anthropic_sdk_gets_a_cited_answer(url: str, streams: bool) -> None:
    tools = [{"type": "web_search_20250305", "name": "web_search"}]
    fields: Json = {"model": MODEL, "max_tokens": 200, "messages": ASKED}
    fields |= {"tools": tools, "extra_body": {"temperature": 0}}
    with anthropic.Anthropic(base_url=url, api_key="any", max_retries=0, timeout=240) as client:
        message: Json
        if streams:
            with client.messages.stream(**fields) as stream:
                message = stream.get_final_message()
        else:
            message = client.messages.create(**fields)

    kinds = [block.type for block in message.content]
    assert kinds[:2] == ["server_tool_use", "web_search_tool_result"]
    text = "".join(block.text for block in message.content if block.type == "text")
    cited = [one for block in message.content for one in getattr(block, "citations", None) or ()]
    assert "Paris" in text
    assert LINK in text
    assert cited[0].url == FRANCE


@pytest.mark.parametrize("streams", [False, True])
def test_the_openai_sdk_gets_a_cited_answer_in_chat(url: str, streams: bool) -> None:
    fields: Json = {"model": MODEL, "messages": ASKED, "temperature": 0, "web_search_options": {}}
    with openai.OpenAI(base_url=f"{url}/v1", api_key="any", max_retries=0, timeout=240) as client:
        if streams:
            with client.chat.completions.stream(**fields) as stream:
                message: Json = stream.get_final_completion().choices[0].message
        else:
            message = client.chat.completions.create(**fields).choices[0].message

    assert "Paris" in message.content
    links = [each.url_citation for each in message.annotations]
    assert links[0].url == FRANCE
    assert message.content[links[0].start_index : links[0].end_index] == LINK


@pytest.mark.parametrize("streams", [False, True])
def test_the_openai_sdk_gets_a_cited_answer_in_responses(url: str, streams: bool) -> None:
    question = ASKED[0]["content"]
    fields: Json = {"model": MODEL, "input": question, "temperature": 0}
    fields["tools"] = [{"type": "web_search"}]
    with openai.OpenAI(base_url=f"{url}/v1", api_key="any", max_retries=0, timeout=240) as client:
        if streams:
            with client.responses.stream(**fields) as stream:
                response: Json = stream.get_final_response()
        else:
            response = client.responses.create(**fields)

    assert "web_search_call" in [item.type for item in response.output]
    assert "Paris" in response.output_text
    texts = [part for item in response.output if item.type == "message" for part in item.content]
    links = [link for part in texts for link in part.annotations]
    assert links[0].url == FRANCE
    assert LINK in response.output_text
