"""A search that fails, in each dialect, on the bytes that are sent; and the codes of failures."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from groundwire.sandbox import SandboxServer
from groundwire.wire.openai.errors_outbound import failure_code
from groundwire.wire.outbound import Refusal
from tests.gateway.asking import LOCAL, SEARCH, Asked


@pytest.fixture
def searchless(sandbox: SandboxServer, tmp_path: Path) -> Iterator[Asked]:
    """Return a gateway whose search service refuses every search."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GROUNDWIRE_HOME", str(tmp_path))
        with Asked(sandbox, tmp_path, faults={"searxng": "overloaded"}) as asked:
            yield asked


def test_messages_get_an_error_object_in_place_of_the_results(searchless: Asked) -> None:
    body = searchless.messages(model=LOCAL, tools=[SEARCH])
    events = searchless.sse("/messages", body)

    blocks = [e.data["content_block"] for e in events if e.name == "content_block_start"]
    result = next(block for block in blocks if block["type"] == "web_search_tool_result")
    assert result["content"] == {
        "type": "web_search_tool_result_error",
        "error_code": "unavailable",
    }
    assert result["tool_use_id"] == blocks[0]["id"]
    assert events[-1].name == "message_stop"


def test_responses_get_an_item_that_failed(searchless: Asked) -> None:
    body = searchless.responses(model=LOCAL, tools=[{"type": "web_search"}])
    events = searchless.sse("/responses", body)

    done = [e.data["item"] for e in events if e.name == "response.output_item.done"]
    assert done[0]["type"] == "web_search_call"
    assert done[0]["status"] == "failed"
    assert done[0]["action"]["query"]
    assert events[-1].name == "response.completed"


def test_chat_goes_on_without_annotations(searchless: Asked) -> None:
    reply = searchless.post("/chat/completions", searchless.chat(web_search_options={}))

    assert reply.status_code == 200
    assert reply.json()["choices"][0]["message"]["annotations"] == []


@pytest.mark.parametrize(
    ("code", "status", "told"),
    [
        ("overloaded", 529, "server_is_overloaded"),
        ("rate_limit", 429, "rate_limit_exceeded"),
        ("quota", 400, "insufficient_quota"),
        ("context_length", 400, "context_length_exceeded"),
        ("truncated", 529, "server_error"),
        ("invalid_request", 400, "invalid_prompt"),
    ],
)
def test_a_failure_in_the_middle_has_the_code_that_codex_knows(
    code: str, status: int, told: str
) -> None:
    refusal = Refusal(status=status, code=code, message="No.", can_retry=status != 400)

    assert failure_code(refusal) == told
