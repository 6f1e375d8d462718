"""Every fault does what its name says, on every protocol."""

from __future__ import annotations

from typing import Any

import orjson
import pytest

from groundwire.sandbox import FaultName, SandboxServer
from tests.sandbox.calls import ASKED, PROVIDERS, Reply, body, call, stream

STATUSES = {
    "unauthorized": {"gemini": 400, "": 401},
    "forbidden": {"": 403},
    "rate_limit": {"": 429},
    "rate_limit_bare": {"": 429},
    "quota": {"anthropic": 400, "openrouter": 402, "codex": 404, "": 429},
    "context_too_long": {"": 400},
    "server_error": {"": 500},
    "overloaded": {"anthropic": 529, "": 503},
}
ENDS = {
    "anthropic": b'"message_stop"',
    "openai": b"[DONE]",
    "openai-responses": b'"response.completed"',
    "gemini": b"finishReason",
    "openrouter": b"[DONE]",
    "codex": b'"response.completed"',
}


def _text(provider: str, reply: Reply) -> str:
    """Return the text of the whole events that came."""
    pieces = [_piece(provider, event) for event in reply.events()]
    return "".join(piece or "" for piece in pieces)


def _piece(provider: str, event: Any) -> str | None:
    match provider:
        case "anthropic":
            found = event.get("delta", {}).get("text")
        case "gemini":
            candidates = event.get("candidates")
            found = candidates[0]["content"]["parts"][0].get("text") if candidates else ""
        case "openai" | "openrouter":
            choices = event.get("choices")
            found = choices[0]["delta"].get("content") if choices else ""
        case _:
            found = event["delta"] if event["type"] == "response.output_text.delta" else ""
    return str(found or "")


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("fault", STATUSES)
async def test_a_refusal_has_the_status_of_its_provider(
    sandbox: SandboxServer, provider: str, fault: str
) -> None:
    reply = await stream(sandbox, provider, ASKED, fault=fault)

    assert reply.status == STATUSES[fault].get(provider, STATUSES[fault][""])
    assert set(reply.json()) & {"error", "detail"}


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_rate_limit_says_when_to_come_back_unless_it_is_bare(
    sandbox: SandboxServer, provider: str
) -> None:
    told = await stream(sandbox, provider, ASKED, fault="rate_limit;retry_after=2.5")
    bare = await stream(sandbox, provider, ASKED, fault="rate_limit_bare")

    if provider == "gemini":
        assert told.json()["error"]["details"][1]["retryDelay"] == "2.5s"
        assert len(bare.json()["error"]["details"]) == 1
    else:
        assert told.headers["retry-after"] == "2.5"
    assert "retry-after" not in bare.headers


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_an_error_inside_200_comes_instead_of_an_answer(
    sandbox: SandboxServer, provider: str
) -> None:
    reply = await stream(sandbox, provider, ASKED, fault="error_in_200")

    assert reply.status == 200
    assert any("error" in event for event in reply.events())
    assert _text(provider, reply) == ""


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_an_overload_comes_after_some_text(sandbox: SandboxServer, provider: str) -> None:
    reply = await stream(sandbox, provider, ASKED, fault="overloaded_after_text;after=2")

    assert _text(provider, reply).startswith("Here is")
    assert b"overload" in reply.raw or b"busy" in reply.raw
    assert reply.error == ""


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize("fault", ["cut_in_event", "cut_in_character", "cut_in_json_string"])
async def test_a_cut_ends_the_connection_in_the_middle(
    sandbox: SandboxServer, provider: str, fault: str
) -> None:
    reply = await stream(sandbox, provider, ASKED, fault=fault)

    assert reply.error == "ClientPayloadError"
    assert not reply.raw.endswith((b"\n\n", b"\r\n\r\n"))
    assert ENDS[provider] not in reply.raw
    if fault == "cut_in_character":
        with pytest.raises(UnicodeDecodeError, match="unexpected end of data"):
            reply.raw.decode()
    if fault == "cut_in_json_string":
        half = reply.raw.rpartition(b"data: ")[2]
        with pytest.raises(orjson.JSONDecodeError, match=r"EOF|unexpected end"):
            orjson.loads(half)


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_clean_cut_ends_the_body_as_if_it_were_whole(
    sandbox: SandboxServer, provider: str
) -> None:
    reply = await stream(sandbox, provider, ASKED, fault="cut_in_event;clean")

    assert reply.error == ""
    assert not reply.raw.endswith((b"\n\n", b"\r\n\r\n"))


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_stream_can_end_without_its_terminal_event(
    sandbox: SandboxServer, provider: str
) -> None:
    reply = await stream(sandbox, provider, ASKED, fault="end_without_terminal")

    assert reply.error == ""
    assert ENDS[provider] not in reply.raw
    assert _text(provider, reply).startswith("Here is what")


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_one_byte_at_a_time_changes_nothing_but_the_chunks(
    sandbox: SandboxServer, provider: str
) -> None:
    reply = await stream(sandbox, provider, ASKED, fault="one_byte_at_a_time")

    entry = sandbox.wait_for_end()
    assert entry.chunks_sent == len(reply.raw) == entry.bytes_sent
    assert ENDS[provider] in reply.raw


@pytest.mark.parametrize("provider", PROVIDERS)
@pytest.mark.parametrize(
    "fault", ["unknown_event", "duplicate_event", "citations_after_end", "huge_event;size=9999"]
)
async def test_events_that_can_be_ignored_leave_the_text_as_it_is(
    sandbox: SandboxServer, provider: str, fault: str
) -> None:
    plain = await stream(sandbox, provider, ASKED)

    reply = await stream(sandbox, provider, ASKED, fault=fault)

    assert _text(provider, reply) == _text(provider, plain)
    assert reply.raw != plain.raw


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_garbage_is_one_event_among_good_ones(sandbox: SandboxServer, provider: str) -> None:
    reply = await stream(sandbox, provider, ASKED, fault="garbage_json")

    with pytest.raises(orjson.JSONDecodeError):
        reply.events()
    assert ENDS[provider] in reply.raw


@pytest.mark.parametrize("provider", ["openai", "openai-responses", "gemini", "codex"])
async def test_offsets_lie_behind_the_end_of_the_text(
    sandbox: SandboxServer, provider: str
) -> None:
    reply = await stream(sandbox, provider, ASKED, fault="offsets_out_of_range")

    last = orjson.dumps(reply.events()[-1])
    assert b'"end_index":1000' in last or b'"endIndex":1000' in last


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_indices_point_at_nothing(sandbox: SandboxServer, provider: str) -> None:
    reply = await stream(sandbox, provider, ASKED, fault="dangling_indices")

    raw = reply.raw.replace(b" ", b"")
    assert b'index":97' in raw or b'groundingChunkIndices":[97]' in raw


@pytest.mark.parametrize("provider", PROVIDERS)
async def test_a_wrong_content_type_is_somebody_elses_page(
    sandbox: SandboxServer, provider: str
) -> None:
    reply = await stream(sandbox, provider, ASKED, fault="wrong_content_type")

    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    assert reply.raw.startswith(b"<!doctype html>")


@pytest.mark.parametrize("fault", sorted(set(FaultName) - {FaultName.SILENCE, FaultName.ENDLESS}))
async def test_no_fault_breaks_a_reply_that_is_not_streamed(
    sandbox: SandboxServer, fault: str
) -> None:
    reply = await call(
        sandbox, "anthropic", body("anthropic", ASKED), headers={"x-sandbox-fault": fault}
    )

    assert reply.status in {200, 400, 401, 403, 429, 500, 529}


async def test_a_fault_can_be_limited_to_the_first_calls(sandbox: SandboxServer) -> None:
    fault = "overloaded;times=2"

    statuses = [(await stream(sandbox, "anthropic", ASKED, fault=fault)).status for _ in range(3)]

    assert statuses == [529, 529, 200]


async def test_a_fault_can_be_an_option_or_stand_in_the_base_url() -> None:
    async with SandboxServer(fault="server_error") as sandbox:
        everywhere = await call(sandbox, "openai", body("openai", "hi"))
        fault = "rate_limit;retry_after=7"
        here = await call(sandbox, "openai", body("openai", "hi"), fault_in_url=fault)

    assert (everywhere.status, here.status) == (500, 429)
    assert here.headers["retry-after"] == "7"


async def test_an_unknown_fault_is_named(sandbox: SandboxServer) -> None:
    reply = await stream(sandbox, "openai", ASKED, fault="earthquake")

    assert reply.status == 400
    assert "no fault 'earthquake'; there are: unauthorized" in reply.json()["sandbox"]
