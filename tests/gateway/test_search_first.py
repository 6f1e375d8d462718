"""A model that calls no tools, behind the gateway: it is searched for, and cites."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from groundwire.sandbox import SandboxServer
from tests.gateway.asking import SEARCH, Asked


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    """Return a gateway over a model that calls no tools."""
    folder = tmp_path_factory.mktemp("small")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GROUNDWIRE_HOME", str(folder))
        with SandboxServer() as sandbox, Asked(sandbox, folder) as asked:
            chosen = asked.program.settings.providers
            options = {"calls_tools": False}
            chosen["openai"] = chosen["openai"].model_copy(update={"options": options})
            yield asked


def test_pages_are_found_and_opened_before_it_is_asked(small: Asked) -> None:
    body = small.messages(model="openai/gpt-4o", tools=[SEARCH])

    reply = small.post("/messages", body)

    assert reply.status_code == 200, reply.text
    blocks = reply.json()["content"]
    assert [block["type"] for block in blocks[:2]] == ["server_tool_use", "web_search_tool_result"]
    sent = small.asked_upstream()[-1]
    assert "tools" not in sent
    assert "[1] Sea otter" in sent["messages"][-1]["content"]
    assert sent["response_format"]["type"] == "json_schema"


def test_without_search_it_is_asked_as_it_is(small: Asked) -> None:
    reply = small.post("/chat/completions", small.chat(model="openai/gpt-4o"))

    assert reply.status_code == 200
    assert small.asked_upstream()[-1]["messages"][-1]["content"] == "How do sea otters sleep?"
