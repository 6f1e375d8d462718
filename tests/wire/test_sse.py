"""The event-stream parser: hand-written cases, arbitrary chunking and the limit."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundwire.errors import EventTooLargeError
from groundwire.wire.sse import IncompleteEvent, SseEvent, SseParser


def parse(body: bytes, chunk_size: int = 0) -> list[SseEvent]:
    parser = SseParser()
    size = chunk_size or max(len(body), 1)
    return [
        event
        for start in range(0, len(body), size)
        for event in parser.feed(body[start : start + size])
    ]


def test_an_event_line_names_the_type() -> None:
    assert parse(b'event: ping\ndata: {"a": 1}\n\n') == [SseEvent("ping", '{"a": 1}')]


def test_an_event_line_without_a_name_means_message() -> None:
    assert parse(b"event: \ndata: a\n\nevent:\ndata: b\n\n") == [
        SseEvent("message", "a"),
        SseEvent("message", "b"),
    ]


def test_the_word_data_inside_another_field_starts_no_data() -> None:
    assert parse(b"event: data: x\n\nid: data: 7\ndata: y\n\n") == [
        SseEvent("message", "y", "data: 7")
    ]


def test_the_word_data_inside_the_data_stays_there() -> None:
    assert parse(b"data: a data: b\n\nevent: e\ndata: data: c\n\n") == [
        SseEvent("message", "a data: b"),
        SseEvent("e", "data: c"),
    ]


def test_a_comment_that_mentions_data_is_a_comment() -> None:
    assert parse(b": data: no\n\n: data: no\ndata: yes\n\n") == [SseEvent("message", "yes")]


def test_keep_alive_comments_make_no_events() -> None:
    assert parse(b": OPENROUTER PROCESSING\n\n: OPENROUTER PROCESSING\n\ndata: x\n\n") == [
        SseEvent("message", "x")
    ]


def test_a_crlf_shared_by_two_chunks_ends_one_line() -> None:
    parser = SseParser()

    events = [*parser.feed(b"data: a\r"), *parser.feed(b"\ndata: b\r"), *parser.feed(b"\n\r")]

    assert events == [SseEvent("message", "a\nb")]


def test_an_event_is_handed_out_at_its_cr_without_waiting_for_an_lf() -> None:
    assert SseParser().feed(b"data: a\r\r") == [SseEvent("message", "a")]


def test_an_empty_chunk_changes_nothing() -> None:
    parser = SseParser()

    events = [*parser.feed(b"data: a\r"), *parser.feed(b""), *parser.feed(b"\n\r\n")]

    assert events == [SseEvent("message", "a")]


def test_what_is_left_at_the_end_is_available_but_is_not_an_event() -> None:
    parser = SseParser()

    events = parser.feed(b'data: whole\n\nevent: delta\ndata: {"cut": "h')

    assert events == [SseEvent("message", "whole")]
    assert parser.close() == IncompleteEvent("delta", '{"cut": "h')


def test_a_body_that_ends_between_events_leaves_nothing() -> None:
    parser = SseParser()
    parser.feed(b"data: x\n\n\n: bye\n")

    assert parser.close() is None


def test_the_id_of_an_incomplete_event_is_forgotten() -> None:
    parser = SseParser()
    parser.feed(b"id: 1\ndata: x\n\nid: 2\ndata: y\n")

    parser.close()

    assert parser.feed(b"\n") == [SseEvent("message", "y", "2")]


def test_retry_takes_only_plain_digits() -> None:
    parser = SseParser()

    parser.feed(b"retry: 1500\n\nretry: +5\n\nretry: " + b"9" * 5000 + b"\n\n")

    assert parser.retry_milliseconds == 1500


def test_an_event_over_the_limit_is_an_error() -> None:
    parser = SseParser(max_event_bytes=100)

    with pytest.raises(EventTooLargeError):
        parser.feed(b"data: " + b"x" * 101 + b"\n\n")


def test_an_event_over_the_limit_is_noticed_before_it_ends_and_is_not_kept() -> None:
    parser = SseParser(max_event_bytes=100)

    with pytest.raises(EventTooLargeError):
        for _ in range(20):
            parser.feed(b"data: xxxx")

    assert parser.close() is None


def test_events_before_the_one_over_the_limit_are_not_lost() -> None:
    parser = SseParser(max_event_bytes=100)

    events = parser.feed(b"data: a\n\ndata: b\n\ndata: " + b"x" * 101 + b"\n\ndata: c\n\n")

    assert events == [SseEvent("message", "a"), SseEvent("message", "b")]
    with pytest.raises(EventTooLargeError):
        parser.feed(b"")


def test_many_small_events_together_may_exceed_the_limit_of_one() -> None:
    assert len(SseParser(max_event_bytes=100).feed(b"data: x\n\n" * 50)) == 50


def reference(body: bytes) -> list[SseEvent]:
    """The standard's own algorithm, line by line, with no thought of speed."""
    text = body.decode("utf-8", "replace").removeprefix("\ufeff")
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")[:-1]
    events: list[SseEvent] = []
    event_type, data, identifier = "", "", ""
    last_event_id = ""
    for line in lines:
        if not line:
            last_event_id = identifier
            if data:
                events.append(SseEvent(event_type or "message", data[:-1], last_event_id))
            event_type, data = "", ""
            continue
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            data += value + "\n"
        elif name == "event":
            event_type = value
        elif name == "id" and "\0" not in value:
            identifier = value
    return events


pieces = st.lists(
    st.sampled_from(
        [
            b"data",
            b"event",
            b"id",
            b"retry",
            b":",
            b": ",
            b" ",
            b"\n",
            b"\r",
            b"\r\n",
            b"\n\n",
            b"x",
            b"data: x\n\n",
            b"event: e\ndata: y\n\n",
            "é€😀".encode(),
            b"\xff",
            b"\xe2\x82",
            b"\0",
            "\u2028\x85\x0b".encode(),
            b"\xef\xbb\xbf",
            b"7",
        ]
    ),
    max_size=30,
).map(b"".join)


@given(body=pieces, cuts=st.lists(st.integers(min_value=0, max_value=200), max_size=10))
def test_any_bytes_in_any_chunks_give_what_the_standard_says(body: bytes, cuts: list[int]) -> None:
    parser = SseParser()
    borders = [0, *sorted(min(cut, len(body)) for cut in cuts), len(body)]

    events = [event for start, end in pairwise(borders) for event in parser.feed(body[start:end])]

    assert events == reference(body)
