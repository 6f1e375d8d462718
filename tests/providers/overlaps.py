"""Streams whose items overlap, and what a reply says however its events were mixed."""

import json
from collections import Counter
from collections.abc import Sequence
from random import Random
from typing import Any

from groundwire.events import (
    Citations,
    Done,
    Error,
    RawBlocks,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    Usage,
    Warned,
    WebFetchResult,
    WebFetchStart,
    WebSearchResults,
    WebSearchStart,
)
from groundwire.model import Json
from groundwire.wire.contract import Decoder


def mixed(lists: Sequence[Sequence[Json]], chance: Random) -> list[Json]:
    """Return the events of several items in one stream.

    Each item's events keep their order, and an item begins only after those before it.
    """
    left = [list(events) for events in lists if events]
    begun = 0
    told: list[Json] = []
    while any(left):
        ready = [at for at in range(len(left)) if left[at] and at <= begun]
        at = chance.choice(ready)
        begun = max(begun, at + 1)
        told.append(left[at].pop(0))
    return told


def told_by(decoder: Decoder, objects: Sequence[Json]) -> list[StreamEvent]:
    """Return all that a stream says."""
    events = [event for each in objects for event in decoder.feed_data(json.dumps(each))]
    return [*events, *decoder.finish()]


def content(events: Sequence[StreamEvent]) -> dict[str, Any]:
    """Return what events say, without the order in which different things were said."""
    text = "".join(event.text for event in events if isinstance(event, TextDelta))
    cited = [each for event in events if isinstance(event, Citations) for each in event.citations]
    names = {event.tool_call_id: event.tool_name for event in _of(events, ToolCallStart)}
    arguments = dict.fromkeys(names, "")
    for event in _of(events, ToolCallDelta):
        arguments[event.tool_call_id] += event.arguments_delta
    return {
        "text": text,
        "thinking": Counter("".join(each.text for each in _of(events, ThinkingDelta))),
        "cited": Counter((each.url, each.start, each.end, each.quote) for each in cited),
        "names": names,
        "arguments": {id_: json.loads(said or "{}") for id_, said in arguments.items()},
        "ended": Counter(event.tool_call_id for event in _of(events, ToolCallEnd)),
        "queries": Counter(event.query for event in _of(events, WebSearchStart)),
        "found": {hit.url for event in _of(events, WebSearchResults) for hit in event.results},
        "fetched": Counter(event.url for event in _of(events, WebFetchStart)),
        "read": Counter(event.url for event in _of(events, WebFetchResult)),
        "usage": _of(events, Usage)[-1:],
        "raw": [event.blocks for event in _of(events, RawBlocks)],
        "warned": Counter(event.message for event in _of(events, Warned)),
        "failed": [event.code for event in _of(events, Error)],
        "done": [event.stop_reason for event in _of(events, Done)],
    }


def _of(events: Sequence[StreamEvent], kind: type) -> list[Any]:
    return [event for event in events if isinstance(event, kind)]
