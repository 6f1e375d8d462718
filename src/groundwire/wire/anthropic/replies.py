"""Reads a reply of the Messages API: blocks that open, grow by deltas and close."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from groundwire.citations import canonical_url
from groundwire.errors import ToolFailedError
from groundwire.events import (
    Citations,
    Done,
    RawBlocks,
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
from groundwire.model import AssistantMessage, Citation, SearchResult, Usage
from groundwire.wire.anthropic.messages import (
    RAW_PROVIDER,
    ContentBlock,
    SourceDocument,
    cited_document,
    documents_in,
    is_citation,
    replayable,
)
from groundwire.wire.decoder import (
    NOTHING,
    JsonDecoder,
    TextOrder,
    UnlinkedSources,
    checked_text,
    is_link,
)

if TYPE_CHECKING:
    from groundwire.events import StreamEvent
    from groundwire.model import Json

PAUSED = "pause_turn"

# What the next turn can be told from our own messages; any other block only the service can.
_PLAIN = frozenset({"text", "tool_use"})

_COUNTS = (
    ("input_tokens", (), "input_tokens"),
    ("output_tokens", (), "output_tokens"),
    ("cached_input_tokens", (), "cache_read_input_tokens"),
    ("cache_write_tokens", (), "cache_creation_input_tokens"),
    ("thinking_tokens", ("output_tokens_details",), "thinking_tokens"),
    ("searches", ("server_tool_use",), "web_search_requests"),
    ("fetches", ("server_tool_use",), "web_fetch_requests"),
)


class MessagesDecoder(JsonDecoder):
    """Reads one answer, which takes several replies if the service pauses.

    `documents` are those of the request, which citations count before the fetched ones; without
    them a citation is mapped by its quote.
    """

    service = "anthropic"

    def __init__(self, documents: Iterable[SourceDocument] = ()) -> None:
        self._documents = list(documents)
        self._blocks: dict[int, ContentBlock] = {}
        self._texts = TextOrder()
        self._thoughts = TextOrder()
        self._speaker: ContentBlock | None = None  # The text block that is emitted as it comes.
        self._ended_blocks: dict[int, ContentBlock] = {}
        self._earlier_blocks: list[Json] = []
        self._fetch_urls: dict[str, str] = {}
        self._cited: set[tuple[str, str, int | None, int | None]] = set()
        self._unlinked = UnlinkedSources(self.service)
        self._usage = UsageTally()
        self._stop_reason = ""
        self._is_paused = False

    def read(self, data: Json) -> Sequence[StreamEvent]:
        """Return what one event of the stream means; text comes first because it is most."""
        kind = data.get("type")
        if kind == "content_block_delta":
            delta = data["delta"]
            block = self._blocks.get(data["index"])
            if delta["type"] == "text_delta":
                text = delta["text"]
                if block is not None and block is self._speaker and text.__class__ is str:
                    if not text:
                        return NOTHING
                    block.pieces.append(text)
                    self.text_length += len(text)
                    return [TextDelta(text)]
            return self._grow(block, data["index"], delta)
        return NOTHING if self.is_done else self._read_rare(kind, data)

    def _read_rare(self, kind: str | None, data: Json) -> Sequence[StreamEvent]:
        events: Sequence[StreamEvent] = NOTHING
        match kind:
            case "content_block_start":
                events = self._open(data["index"], data["content_block"])
            case "content_block_stop" if block := self._blocks.get(data["index"]):
                events = self._close(block)
            case "message_start":
                events = self._begin(data["message"])
            case "message_delta":
                stopped = data.get("delta") or {}
                self._stop_reason = stopped.get("stop_reason") or self._stop_reason
                events = self._usage.take(data.get("usage"))
            case "message_stop":
                events = self._end()
            case "error" | None if "error" in data and not self._has_failed:
                events = [*self._release(), self.fault(data["error"])]
        return events

    def read_body(self, body: Json) -> Sequence[StreamEvent]:
        """Return what a whole reply means."""
        if "error" in body:
            return [self.fault(body["error"])]
        events = [*self._begin(body)]
        for index, block in enumerate(body["content"]):
            events += self._open(index, block)
            events += self._close(self._blocks[index])
        self._stop_reason = body.get("stop_reason") or self._stop_reason
        return [*events, *self._end()]

    def finish(self) -> Sequence[StreamEvent]:
        """Return what is known of an answer that was cut off, then the error."""
        failure = super().finish()
        return [*self._release(), *failure] if failure else failure

    def _begin(self, message: Json) -> Sequence[StreamEvent]:
        """Begin a reply: the first, the next after a pause, or one that replaces a broken one."""
        orphans = self._release() if self._blocks else []
        self._blocks.clear()
        if self._is_paused:
            self._leave_pause()
        return [*orphans, *self._usage.take(message.get("usage"))]

    def _leave_pause(self) -> None:
        self._is_paused = False
        self.continuation = None
        self._stop_reason = ""
        self._usage.close_reply()

    def _open(self, index: int, raw: Json) -> list[StreamEvent]:
        """Open a block; only a sound one is kept, so that closing it cannot fail at the end."""
        if not isinstance(index, int):
            raise TypeError("a block without a number")
        if self._is_paused:
            self._leave_pause()
        events = self._fall_silent(self._blocks.pop(index, None))
        block = ContentBlock(index, raw)
        raw = block.raw
        match raw["type"]:
            case "text":
                text = checked_text(raw.get("text") or "")
                self._texts.enter(block)
                events += self._take_text(block, text)
            case "thinking":
                thinking = checked_text(raw.get("thinking") or "")
                self._thoughts.enter(block)
                events += self._take_thinking(block, thinking)
            case "tool_use":
                events.append(ToolCallStart(raw["id"], raw["name"]))
            case "server_tool_use" if raw.get("input"):
                events += self._announce(block)
            case "web_search_tool_result":
                events.append(_search_outcome(raw["content"]))
            case "web_fetch_tool_result":
                events.append(self._fetch_outcome(raw))
        self._blocks[index] = block
        return events

    def _grow(self, block: ContentBlock | None, index: int, delta: Json) -> Sequence[StreamEvent]:
        """Take any delta but the usual one: text for a block that is open."""
        if self.is_done:
            # A source may come after the end; nothing else there belongs to the answer.
            block = self._ended_blocks.get(index)
            if block is None or delta["type"] != "citations_delta":
                return NOTHING
        elif block is None:
            self._open(index, {"type": "text", "text": ""})
            block = self._blocks[index]
        match delta["type"]:
            case "text_delta":
                return self._take_text(block, checked_text(delta["text"]))
            case "thinking_delta":
                return self._take_thinking(block, checked_text(delta["thinking"]))
            case "input_json_delta" if piece := checked_text(delta["partial_json"]):
                block.pieces.append(piece)
                if block.kind == "tool_use":
                    return [ToolCallDelta(block.raw["id"], piece)]
            case "signature_delta":
                block.raw["signature"] = checked_text(delta["signature"])
            case "citations_delta" if is_citation(delta["citation"]):
                block.citations.append(delta["citation"])
                # One that comes late is not lost; its block's text is known by then.
                return NOTHING if block.is_open else self._citations(block)
        return NOTHING

    def _take_text(self, block: ContentBlock, text: str) -> list[StreamEvent]:
        """Return the next piece of a block, nothing before its turn."""
        if not text:
            return []
        # Text where none is expected is emitted as it comes.
        is_stray = block.kind != "text" or (block.start is not None and not block.is_open)
        has_turn = is_stray or self._texts.has_turn(block)
        if has_turn and block.start is None:
            block.start = self.text_length
        self._speaker = block if has_turn and not is_stray else None
        block.pieces.append(text)
        if not has_turn:
            return []
        self.text_length += len(text)
        return [TextDelta(text)]

    def _take_thinking(self, block: ContentBlock, thinking: str) -> list[StreamEvent]:
        if not thinking:
            return []
        has_turn = self._thoughts.has_turn(block) or block.kind != "thinking"
        block.pieces.append(thinking)
        return [ThinkingDelta(thinking)] if has_turn else []

    def _fall_silent(self, block: ContentBlock | None) -> list[StreamEvent]:
        """End the words of a block; return what has waited for that, with its sources."""
        if block is None or not block.is_open:
            return []
        events: list[StreamEvent] = []
        if block.kind == "text":
            self._speaker = None
            ready = [block] if self._texts.has_turn(block) else []
            for each in (*ready, *self._texts.close(block)):
                if not isinstance(each, ContentBlock):
                    continue
                if each.start is None:  # It had to wait.
                    each.start = self.text_length
                    self.text_length += len(each.text)
                    events += [TextDelta(each.text)] if each.pieces else []
                if not each.is_open:
                    events += self._citations(each)
        elif block.kind == "thinking":
            ready_thoughts = self._thoughts.close(block)
            events += [ThinkingDelta(each.text) for each in ready_thoughts if each.pieces]
        block.is_open = False
        return events

    def _close(self, block: ContentBlock) -> list[StreamEvent]:
        if not block.is_open:
            return []
        events = self._fall_silent(block)
        raw = block.settle()
        match raw["type"]:
            case "tool_use" if block.pieces:
                return [ToolCallEnd(raw["id"])]
            case "tool_use":
                arguments = json.dumps(raw.get("input") or {}, ensure_ascii=False)
                return [ToolCallDelta(raw["id"], arguments), ToolCallEnd(raw["id"])]
            case "server_tool_use" if not block.is_announced:
                return self._announce(block)
            case _:
                return events

    def _announce(self, block: ContentBlock) -> list[StreamEvent]:
        """Tell what the service's own tool is about to do; never a call for us to make."""
        block.is_announced = True
        given = block.raw.get("input") or {}
        match block.raw.get("name"):
            case "web_search":
                return [WebSearchStart(given.get("query") or None)]
            case "web_fetch" if given.get("url"):
                self._fetch_urls[block.raw["id"]] = given["url"]
                return [WebFetchStart(given["url"])]
            case _:
                return []

    def _fetch_outcome(self, raw: Json) -> WebFetchResult:
        page = raw["content"]
        url = page.get("url") or self._fetch_urls.get(raw["tool_use_id"], "")
        if "error_code" in page:
            return WebFetchResult(url, error=page["error_code"])
        self._documents += documents_in([raw])
        return WebFetchResult(url, title=page["content"].get("title") or "")

    def _citations(self, block: ContentBlock) -> list[StreamEvent]:
        """Return the sources of a text block that were not named for it before."""
        if not block.citations or block.start is None:
            return []
        length = len(block.text)
        span = (block.start, block.start + length) if length else (None, None)
        fresh = []
        unlinked: list[StreamEvent] = []
        for raw in block.citations:
            title = raw.get("title") or ""
            url = raw.get("url") or raw.get("source") or ""
            if not url and (document := cited_document(raw, self._documents)):
                url, title = document.url, document.title
            if not is_link(url):
                unlinked += self._unlinked.take(raw.get("document_title"), title, url)
                continue
            quote = raw.get("cited_text") or ""
            place = (canonical_url(url), quote, *span)
            if place not in self._cited:
                self._cited.add(place)
                fresh.append(
                    Citation(url=url, title=title, quote=quote, start=span[0], end=span[1])
                )
        return unlinked + ([Citations(tuple(fresh))] if fresh else [])

    def _release(self) -> list[StreamEvent]:
        """Return what has waited for its turn, and the sources of text that goes no further."""
        events: list[StreamEvent] = []
        for index in sorted(self._blocks):
            events += self._fall_silent(self._blocks[index])
        for index in sorted(self._blocks):
            events += self._citations(self._blocks[index])
        return events

    def _end(self) -> list[StreamEvent]:
        if self._has_failed or self._is_paused:
            return []
        events: list[StreamEvent] = []
        settled: list[Json] = []
        for index in sorted(self._blocks):
            events += self._close(self._blocks[index])
            settled.append(self._blocks[index].settle())
        self._ended_blocks, self._blocks = self._blocks, {}
        self._earlier_blocks += replayable(settled)
        blocks = list(self._earlier_blocks)
        if self._stop_reason == PAUSED:
            text = "".join(block["text"] for block in blocks if block["type"] == "text")
            self._is_paused = True
            self.continuation = AssistantMessage(
                content=text, raw_blocks=blocks, raw_provider=RAW_PROVIDER
            )
            return events
        if any(block["type"] not in _PLAIN for block in blocks):
            events.append(RawBlocks(blocks))
        self.is_done = True
        return [*events, *self.cut_off(self._stop_reason), Done(self._stop_reason)]


def _search_outcome(content: Json) -> StreamEvent:
    if not isinstance(content, list):
        reason = f"the web search of anthropic failed: {content['error_code']}"
        return Warned(reason, ToolFailedError.code)
    results = []
    for hit in content:
        if hit.get("url"):
            title, published = hit.get("title") or "", hit.get("page_age") or ""
            results.append(SearchResult(url=hit["url"], title=title, published=published))
    return WebSearchResults(tuple(results))


@dataclass(slots=True)
class UsageTally:
    """Counts that replace one another within a reply and add up over replies."""

    _before: Counter[str] = field(default_factory=Counter)
    _now: dict[str, int] = field(default_factory=dict)
    _reported: Usage = field(default_factory=Usage)

    def take(self, report: Json) -> list[Usage]:
        """Take a report of the current reply and return the new total, if it is new."""
        if not isinstance(report, dict):
            return []
        for name, path, key in _COUNTS:
            place = report
            for step in path:
                place = place.get(step) or {}
            if isinstance(count := place.get(key), int):
                self._now[name] = count
        counts = self._before.copy()
        counts.update(self._now)
        total = Usage(**counts)
        if total == self._reported:
            return []
        self._reported = total
        return [total]

    def close_reply(self) -> None:
        """Add what the current reply has cost to what was before it."""
        self._before.update(self._now)
        self._now.clear()
