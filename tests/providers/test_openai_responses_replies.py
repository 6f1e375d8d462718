"""What replies in Responses say, streamed and whole."""

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
    Warned,
    WebFetchResult,
    WebFetchStart,
    WebSearchResults,
    WebSearchStart,
)
from groundwire.model import Citation, Json, SearchResult, Usage
from groundwire.wire.openai.responses_replies import ResponsesDecoder
from tests.providers.openai_wire import (
    COMPLETED,
    URL,
    added,
    begun,
    cited,
    delta,
    feed,
    finished,
    message,
    replay,
    search,
)


def decoder() -> ResponsesDecoder:
    return ResponsesDecoder("openai-responses")


def test_a_searched_answer_is_told_once_with_spans_of_the_whole_answer() -> None:
    events = replay(decoder(), "openai-responses-search.sse")

    link = f"([otters.example]({URL}))"
    assert events[:-2] == [
        ThinkingDelta("I look it up."),
        WebSearchStart("otters hands"),
        WebSearchStart("otters asleep"),
        WebSearchResults(
            (
                SearchResult(url=URL, title="otters.example"),
                SearchResult(url="https://sea.example/otter", title="sea.example"),
            )
        ),
        WebFetchStart(URL),
        WebFetchResult(URL),
        TextDelta("Found. "),
        TextDelta("Yes 🦦 "),
        TextDelta(link),
        Citations((Citation(url=URL, title="Otters hold hands", start=13, end=61),)),
        Usage(
            input_tokens=900,
            output_tokens=50,
            cached_input_tokens=100,
            thinking_tokens=20,
            searches=2,
        ),
    ]
    assert f"Found. Yes 🦦 {link}"[13:61] == link
    kept, end = events[-2:]
    assert isinstance(kept, RawBlocks)
    assert [item["id"] for item in kept.blocks] == [
        "rs_1",
        "ws_1",
        "ws_2",
        "ws_3",
        "msg_1",
        "msg_2",
    ]
    assert end == Done("completed")


def test_calls_are_told_in_pieces_or_whole() -> None:
    events = replay(decoder(), "codex-tools.sse")

    assert events == [
        ToolCallStart("call_a", "weather"),
        ToolCallDelta("call_a", '{"city":'),
        ToolCallDelta("call_a", '"Oslo"}'),
        ToolCallEnd("call_a"),
        ToolCallStart("call_b", "clock"),
        ToolCallDelta("call_b", "{}"),
        ToolCallEnd("call_b"),
        Usage(input_tokens=67, output_tokens=21),
        Done("completed"),
    ]


def test_pieces_under_another_id_belong_to_the_call_that_began_last() -> None:
    call = {"type": "function_call", "id": "x1", "call_id": "call_a", "name": "weather"}
    piece = {"type": "response.function_call_arguments.delta", "item_id": "x2", "delta": "{}"}

    events = feed(decoder(), [begun(call), piece, COMPLETED])

    assert events == [
        ToolCallStart("call_a", "weather"),
        ToolCallDelta("call_a", "{}"),
        ToolCallEnd("call_a"),
        Done("completed"),
    ]


def test_text_that_did_not_come_in_pieces_is_told_when_its_item_is_done() -> None:
    whole = message("Yes. ", "Yes.", annotations=[cited(0, 3)])

    events = feed(decoder(), [finished(whole), finished(message("Bye.")), COMPLETED])

    assert events == [
        TextDelta("Yes. "),
        TextDelta("Yes."),
        Citations((Citation(url=URL, title="T", start=0, end=3),)),
        Citations((Citation(url=URL, title="T", start=5, end=8),)),
        TextDelta("Bye."),
        Done("completed"),
    ]


def test_text_that_came_in_no_event_is_told_from_the_response() -> None:
    response = {"status": "completed", "output": [message("Yes."), message("No.")]}

    events = feed(decoder(), [{"type": "response.completed", "response": response}])

    assert events == [TextDelta("Yes."), TextDelta("No."), Done("completed")]


def test_text_that_came_without_items_is_not_told_again_but_cited() -> None:
    output = [message("Yes."), message("No.", annotations=[cited(0, 2)])]
    response = {"status": "completed", "output": output}

    events = feed(
        decoder(),
        [delta("Yes."), delta("No."), {"type": "response.completed", "response": response}],
    )

    assert events == [
        TextDelta("Yes."),
        TextDelta("No."),
        Citations((Citation(url=URL, title="T", start=4, end=6),)),
        Done("completed"),
    ]


def test_an_annotation_counts_from_its_own_part() -> None:
    part = {"type": "response.content_part.added", "item_id": "m"}
    done = {"type": "response.content_part.done", "item_id": "m"}

    events = feed(
        decoder(),
        [
            {**part, "content_index": 0},
            delta("Otter. "),
            {**done, "content_index": 0, "part": {"type": "output_text", "text": "Otter. "}},
            {**part, "content_index": 1},
            {**delta("Seal."), "content_index": 1},
            added(0, 4, content_index=1),
            added(0, 5, content_index=0),
        ],
    )

    assert events[2:] == [
        Citations((Citation(url=URL, title="T", start=7, end=11),)),
        Citations((Citation(url=URL, title="T", start=0, end=5),)),
    ]


def test_an_annotation_past_the_text_waits_and_in_the_end_has_no_place() -> None:
    events = feed(decoder(), [delta("Yes"), added(0, 5), added(0, 99), delta(" it is"), COMPLETED])

    assert events == [
        TextDelta("Yes"),
        TextDelta(" it is"),
        Citations(
            (Citation(url=URL, title="T", start=0, end=5), Citation(url=URL, title="T")),
        ),
        Done("completed"),
    ]


def test_an_annotation_of_only_a_url_is_a_citation() -> None:
    bare = {"type": "url_citation", "url": URL}
    event = {"type": "response.output_text.annotation.added", "annotation": bare}

    told = feed(decoder(), [delta("Yes"), event, finished(message("Yes", annotations=[bare]))])

    assert told == [TextDelta("Yes"), Citations((Citation(url=URL, title="otters.example"),))]


@pytest.mark.parametrize("item", [search(type="search"), {"type": "web_search_call"}])
def test_a_search_that_does_not_tell_its_words_is_still_told(item: Json) -> None:
    assert feed(decoder(), [begun(item), finished(item)]) == [WebSearchStart(None)]


def test_searches_are_counted_where_the_bill_does_not_tell_them() -> None:
    calls = [search(type="search", query="a"), search(type="search", query="b")]
    opened = search(type="open_page", url=URL)

    events = feed(decoder(), [*map(finished, [*calls, opened]), COMPLETED])

    assert events == [
        WebSearchStart("a"),
        WebSearchStart("b"),
        WebFetchStart(URL),
        WebFetchResult(URL),
        Usage(searches=2),
        RawBlocks([*calls, opened]),
        Done("completed"),
    ]


def test_what_failed_at_the_provider_is_told() -> None:
    searched = search(status="failed", type="search", query="a")
    opened = search(status="failed", type="open_page", url=URL)

    events = feed(decoder(), [finished(searched), finished(opened)])

    assert events == [
        WebSearchStart("a"),
        Warned("a web search of openai-responses failed", "tool_failed"),
        WebFetchStart(URL),
        WebFetchResult(URL, error="failed"),
    ]


def test_reasoning_is_thinking_with_space_between_its_parts() -> None:
    text: Json = {"type": "response.reasoning_summary_text.delta"}
    part: Json = {"type": "response.reasoning_summary_part.added"}
    item = {"type": "reasoning", "summary": [{"type": "summary_text", "text": "A"}]}

    events = feed(
        decoder(),
        [
            {**part, "summary_index": 0},
            {**text, "delta": "A"},
            {**part, "summary_index": 1},
            {**text, "delta": "B"},
            finished(item),
            finished(item),
        ],
    )

    assert events == [
        ThinkingDelta("A"),
        ThinkingDelta("\n\n"),
        ThinkingDelta("B"),
        ThinkingDelta("A"),
    ]


def test_a_refusal_is_text() -> None:
    refused = {"type": "message", "content": [{"type": "refusal", "refusal": "I can't."}]}

    streamed = feed(
        decoder(), [{"type": "response.refusal.delta", "delta": "I can't."}, finished(refused)]
    )
    whole = feed(decoder(), [finished(refused)])

    assert streamed == whole == [TextDelta("I can't.")]


def test_reasoning_that_cannot_be_sent_back_keeps_its_companions_here() -> None:
    items = [{"type": "reasoning", "summary": []}, search(type="search", query="a")]

    events = feed(decoder(), [*map(finished, items), COMPLETED])

    assert events == [WebSearchStart("a"), Usage(searches=1), Done("completed")]


WHOLE: Json = {
    "status": "completed",
    "error": None,
    "output": [
        {"type": "reasoning", "summary": [{"text": "A"}, {"text": "B"}], "encrypted_content": "g"},
        search(type="search", query="a", sources=[{"type": "url", "url": URL}]),
        message("Yes", annotations=[cited(0, 3)]),
        {"type": "function_call", "call_id": "c", "name": "weather", "arguments": "{}"},
    ],
    "usage": {"input_tokens": 3, "output_tokens": 2, "cost": 0.5},
}


def test_a_whole_reply_says_the_same_as_a_stream() -> None:
    told: list[StreamEvent] = [
        ThinkingDelta("A\n\nB"),
        WebSearchStart("a"),
        WebSearchResults((SearchResult(url=URL, title="otters.example"),)),
        TextDelta("Yes"),
        Citations((Citation(url=URL, title="T", start=0, end=3),)),
        ToolCallStart("c", "weather"),
        ToolCallDelta("c", "{}"),
        ToolCallEnd("c"),
        Usage(input_tokens=3, output_tokens=2, searches=1, cost_usd=0.5),
        RawBlocks(WHOLE["output"]),
        Done("completed"),
    ]

    assert decoder().feed_body(WHOLE) == told
    assert feed(decoder(), [{"type": "response.completed", "response": WHOLE}]) == told
