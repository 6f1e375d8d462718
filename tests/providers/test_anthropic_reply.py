"""What Anthropic's replies mean, as a stream and as a whole."""

from pathlib import Path

import pytest

from groundwire.events import (
    Citations,
    Done,
    RawBlocks,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    Usage,
    WebSearchResults,
    WebSearchStart,
)
from groundwire.model import AssistantMessage, Citation, SearchResult
from groundwire.providers.anthropic import provider
from groundwire.wire.sse import SseParser
from tests.providers.anthropic_wire import (
    OTTER,
    START,
    closing,
    ending,
    feed,
    growing,
    opening,
    text,
)

REPLIES = Path(__file__).parent / "replies"


def _searched() -> list[StreamEvent]:
    """Return what a whole search says, with what is left at its end."""
    decoder = provider.answer_decoder()
    wire = SseParser().feed((REPLIES / "anthropic-search.sse").read_bytes())
    return [*(event for data in wire for event in decoder.feed(data)), *decoder.finish()]


def test_a_search_is_told_from_query_to_citation() -> None:
    events = [event for event in _searched() if not isinstance(event, RawBlocks)]

    assert events == [
        Usage(input_tokens=300, output_tokens=2, cached_input_tokens=12, cache_write_tokens=0),
        WebSearchStart("sea otters"),
        WebSearchResults(
            (
                SearchResult(
                    url="https://example.org/otter", title="Otter", published="May 2, 2026"
                ),
                SearchResult(url="https://example.net/raft", title=""),
            )
        ),
        TextDelta("Yes 🦦: "),
        TextDelta("otters hold"),
        TextDelta(" hands"),
        Citations(
            (
                Citation(
                    url="https://example.org/otter",
                    title="Otter",
                    quote="Otters hold hands.",
                    start=7,
                    end=24,
                ),
            )
        ),
        Usage(
            input_tokens=9000,
            output_tokens=80,
            cached_input_tokens=12,
            cache_write_tokens=0,
            searches=1,
            fetches=0,
        ),
        Done("end_turn"),
    ]


def test_the_blocks_of_a_search_are_kept_with_what_only_the_service_can_read() -> None:
    raw = _searched()[-2]

    assert isinstance(raw, RawBlocks)
    assert [block["type"] for block in raw.blocks] == [
        "server_tool_use",
        "web_search_tool_result",
        "text",
        "text",
    ]
    assert raw.blocks[0]["input"] == {"query": "sea otters"}
    assert raw.blocks[1]["content"][0]["encrypted_content"] == "T3R0ZXI="
    assert raw.blocks[3]["text"] == "otters hold hands"
    assert [citation["encrypted_index"] for citation in raw.blocks[3]["citations"]] == [
        "T25l",
        "VHdv",
    ]


def test_a_whole_reply_says_what_its_stream_says() -> None:
    blocks = [
        {"type": "text", "text": "See: "},
        {"type": "text", "text": "hands", "citations": [OTTER]},
        {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {"a": 1}},
        {"type": "tool_use", "id": "toolu_2", "name": "now", "input": {}},
    ]
    body = {
        "type": "message",
        "content": blocks,
        "stop_reason": "tool_use",
        "usage": {"input_tokens": 5, "output_tokens": 7, "server_tool_use": None},
    }

    events = provider.answer_decoder().feed_body(body)

    assert events == [
        Usage(input_tokens=5, output_tokens=7),
        TextDelta("See: "),
        TextDelta("hands"),
        Citations(
            (
                Citation(
                    url="https://example.org/otter", quote="Otters hold hands.", start=5, end=10
                ),
            )
        ),
        ToolCallStart("toolu_1", "add"),
        ToolCallDelta("toolu_1", '{"a": 1}'),
        ToolCallEnd("toolu_1"),
        ToolCallStart("toolu_2", "now"),
        ToolCallDelta("toolu_2", "{}"),
        ToolCallEnd("toolu_2"),
        Done("tool_use"),
    ]


def test_tool_calls_run_side_by_side_and_always_have_arguments() -> None:
    events = feed(
        provider.answer_decoder(),
        START,
        opening(0, {"type": "tool_use", "id": "toolu_1", "name": "add", "input": {}}),
        opening(1, {"type": "tool_use", "id": "toolu_2", "name": "now", "input": {}}),
        growing(1, "input_json_delta", partial_json=""),
        growing(0, "input_json_delta", partial_json='{"a"'),
        closing(1),
        growing(0, "input_json_delta", partial_json=": 1}"),
        closing(0),
        *ending("tool_use"),
    )

    assert events == [
        ToolCallStart("toolu_1", "add"),
        ToolCallStart("toolu_2", "now"),
        ToolCallDelta("toolu_1", '{"a"'),
        ToolCallDelta("toolu_2", "{}"),
        ToolCallEnd("toolu_2"),
        ToolCallDelta("toolu_1", ": 1}"),
        ToolCallEnd("toolu_1"),
        Done("tool_use"),
    ]


def test_thoughts_are_shown_and_kept_with_their_signature() -> None:
    redacted = {"type": "redacted_thinking", "data": "c2VjcmV0"}

    events = feed(
        provider.answer_decoder(),
        START,
        opening(0, {"type": "thinking", "thinking": "", "signature": ""}),
        growing(0, "thinking_delta", thinking="Otters"),
        growing(0, "thinking_delta", thinking="?"),
        growing(0, "signature_delta", signature="c2ln"),
        closing(0),
        opening(1, redacted),
        closing(1),
        *text(2, "Yes."),
        *ending("end_turn"),
    )

    assert events == [
        ThinkingDelta("Otters"),
        ThinkingDelta("?"),
        TextDelta("Yes."),
        RawBlocks(
            [
                {"type": "thinking", "thinking": "Otters?", "signature": "c2ln"},
                redacted,
                {"type": "text", "text": "Yes."},
            ]
        ),
        Done("end_turn"),
    ]


def test_code_that_claude_runs_is_kept_but_not_told() -> None:
    code = {"type": "server_tool_use", "id": "c", "name": "code_execution", "input": {"code": "1"}}
    outcome = {"type": "code_execution_tool_result", "tool_use_id": "c", "content": {}}

    events = feed(
        provider.answer_decoder(),
        START,
        opening(0, code),
        closing(0),
        opening(1, outcome),
        closing(1),
        *ending("end_turn"),
    )

    assert events == [RawBlocks([code, outcome]), Done("end_turn")]


SAID = {"type": "text", "text": "Let me see. "}
CALL = {"type": "server_tool_use", "id": "s", "name": "web_search", "input": {"query": "q"}}
RESULT = {"type": "web_search_tool_result", "tool_use_id": "s", "content": []}
CITED = Citation(url="https://example.org/otter", quote="Otters hold hands.", start=12, end=15)


def test_a_pause_is_continued_in_the_same_answer() -> None:
    decoder = provider.answer_decoder()

    before = feed(
        decoder,
        START,
        *text(0, "Let me see. "),
        opening(1, CALL),
        closing(1),
        *ending("pause_turn", input_tokens=10, server_tool_use={"web_search_requests": 2}),
    )
    paused = decoder.continuation
    ended = decoder.finish()
    after = feed(
        decoder,
        {"type": "message_start", "message": {"usage": {"input_tokens": 1, "output_tokens": 1}}},
        opening(0, RESULT),
        closing(0),
        *text(1, "Yes", OTTER),
        *ending("end_turn", input_tokens=30, server_tool_use={"web_search_requests": 3}),
    )

    told = [TextDelta("Let me see. "), WebSearchStart("q"), Usage(input_tokens=10, searches=2)]
    assert before == told
    assert paused == AssistantMessage(
        content="Let me see. ", raw_blocks=[SAID, CALL], raw_provider="anthropic"
    )
    assert ended == ()
    assert after == [
        Usage(input_tokens=11, output_tokens=1, searches=2),
        WebSearchResults(()),
        TextDelta("Yes"),
        Citations((CITED,)),
        Usage(input_tokens=40, output_tokens=1, searches=5),
        RawBlocks([SAID, CALL, RESULT, {"type": "text", "text": "Yes", "citations": [OTTER]}]),
        Done("end_turn"),
    ]
    assert decoder.continuation is None


@pytest.mark.parametrize("reason", ["refusal", "stop_sequence"])
def test_the_reason_to_stop_is_the_services_own_word(reason: str) -> None:
    events = feed(provider.answer_decoder(), START, *ending(reason))

    assert events == [Done(reason)]
