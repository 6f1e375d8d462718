"""What a Responses client's timer counts while a search goes on, byte for byte."""

from __future__ import annotations

import json

from groundwire.model import Json
from groundwire.wire.openai.responses_outbound import ResponsesWriter
from groundwire.wire.outbound import SearchBegan, SearchEnded


def _event(sent: bytes) -> tuple[str, Json]:
    name, data, _ = sent.decode().split("\n", 2)
    return name.removeprefix("event: "), json.loads(data.removeprefix("data: "))


def test_a_search_keeps_its_stream_alive_by_its_own_event() -> None:
    writer = ResponsesWriter("m", shows_searches=True)
    writer.start()

    before, _ = _event(writer.keep_alive())
    writer.write([SearchBegan(id="ws_1", query="otters")])
    first, second = _event(writer.keep_alive()), _event(writer.keep_alive())
    writer.write([SearchEnded(id="ws_1", query="otters")])
    after, _ = _event(writer.keep_alive())

    assert (before, after) == ("response.in_progress", "response.in_progress")
    assert first[0] == second[0] == "response.web_search_call.searching"
    assert (first[1]["item_id"], first[1]["output_index"]) == ("ws_1", 0)
    assert second[1]["sequence_number"] == first[1]["sequence_number"] + 1
