"""Replies in Anthropic's Messages, as a gateway writes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.errors import ContextTooLongError
from groundwire.events import ThinkingDelta, ToolCallDelta, ToolCallEnd, ToolCallStart
from groundwire.wire.anthropic.messages import parsed_input
from groundwire.wire.outbound import (
    MAX_RESULTS,
    Compared,
    Ended,
    OwnFields,
    PageRead,
    SearchBegan,
    SearchEnded,
    Stop,
    Template,
    Text,
    Writer,
    encoded,
    named_event,
    new_id,
    total_of,
)

if TYPE_CHECKING:
    from groundwire.model import Json
    from groundwire.wire.outbound import OutboundEvent, Refusal, SentCitation

PING = named_event({"type": "ping"})
_STOPS = {
    Stop.END: "end_turn",
    Stop.LENGTH: "max_tokens",
    Stop.TOOLS: "tool_use",
    Stop.REFUSAL: "refusal",
}
_ERROR_TYPES = {
    401: "authentication_error",
    403: "permission_error",
    404: "not_found_error",
    413: "request_too_large",
    429: "rate_limit_error",
    500: "api_error",
    503: "overloaded_error",
    529: "overloaded_error",
}
_DELTAS = {"text": "text_delta", "thinking": "thinking_delta"}


def error_body(refusal: Refusal, request_id: str = "") -> Json:
    """Return a failure in this dialect."""
    kind = _ERROR_TYPES.get(refusal.status, "invalid_request_error")
    # There is no word for it but these: clients look for them, and make the conversation shorter.
    opening = "prompt is too long: " if refusal.code == ContextTooLongError.code else ""
    message = opening + refusal.message
    body: Json = {"type": "error", "error": {"type": kind, "message": message}}
    return {**body, "request_id": request_id} if request_id else body


class MessagesWriter(Writer):
    """Writes one reply: blocks one after the other, the client's tools last.

    Searches are shown to a client that declared the hosted tool (`shows_searches`), pages to one
    that declared the other (`shows_pages`). For those every cited sentence is a block of its own;
    all others get one block of text, because some show no more than the last one.
    """

    def __init__(
        self, model: str, *, shows_searches: bool = False, shows_pages: bool = False
    ) -> None:
        self.id = new_id("msg_")
        self._model = model
        self._shows_searches = shows_searches
        self._shows_pages = shows_pages
        self._splits = shows_searches or shows_pages
        self._content: list[Json] = []
        self._own = OwnFields()
        self._pieces: list[str] = []
        self._is_open = False
        self._template: Template | None = None
        self._end: Json = {"stop_reason": None, "stop_sequence": None}
        self._usage: Json = {"input_tokens": 0, "output_tokens": 0}

    def start(self) -> bytes:
        """Return the first event."""
        return named_event({"type": "message_start", "message": self.body()})

    def keep_alive(self) -> bytes:
        """Return a ping."""
        return PING

    def fail(self, refusal: Refusal) -> bytes:
        """Return the error that ends the stream."""
        return named_event(error_body(refusal))

    def body(self) -> Json:
        """Return the whole reply."""
        return {
            "id": self.id,
            "type": "message",
            "role": "assistant",
            "model": self._model,
            "content": self._content,
            **self._end,
            "usage": self._usage,
        }

    def _written(self, event: OutboundEvent) -> bytes:
        sent = b""
        match event:
            case Text():
                sent = self._text(event)
            case ThinkingDelta(text):
                sent = self._thought(text)
            case ToolCallStart() | ToolCallDelta() | ToolCallEnd():
                sent = self._call(event)
            case SearchBegan() | SearchEnded() if self._shows_searches:
                sent = self._search(event)
            case PageRead() if self._shows_pages:
                sent = self._page(event)
            case Compared():
                self._own.take(event)
            case Ended():
                sent = self._ended(event)
        return sent

    def _text(self, event: Text) -> bytes:
        if not event.text and not event.citations:
            return b""
        opening = b"" if self._fits(event) else self._begun({"type": "text", "text": ""})
        cited = [_citation(each, self._own.of(each)) for each in event.citations]
        if cited:
            block = self._content[-1]
            block["citations"] = [*block.get("citations", ()), *cited]
        sent = [opening, self._delta("text", event.text) if event.text else b""]
        deltas = [{"type": "citations_delta", "citation": each} for each in cited]
        return b"".join([*sent, *map(self._raw_delta, deltas)])

    def _fits(self, event: Text) -> bool:
        """Tell whether text belongs to the open block: cited and plain sentences do not mix."""
        if not self._is_open or self._content[-1]["type"] != "text":
            return False
        has_citations = bool(self._content[-1].get("citations"))
        # What has no words of its own is about those before it.
        return not self._splits or not event.text or not (event.citations or has_citations)

    def _thought(self, text: str) -> bytes:
        kinds = [block["type"] for block in self._content]
        if not self._splits and "text" in kinds:
            return b""  # It would cut the one block of text in two.
        is_going_on = self._is_open and kinds[-1] == "thinking"
        block = {"type": "thinking", "thinking": "", "signature": ""}
        opening = b"" if is_going_on else self._begun(block)
        return opening + self._delta("thinking", text)

    def _call(self, event: ToolCallStart | ToolCallDelta | ToolCallEnd) -> bytes:
        match event:
            case ToolCallStart(id_, name):
                return self._begun({"type": "tool_use", "id": id_, "name": name, "input": {}})
            case ToolCallDelta(_, arguments):
                return self._input(arguments)
            case ToolCallEnd():
                return self._closed()

    def _search(self, event: SearchBegan | SearchEnded) -> bytes:
        if isinstance(event, SearchBegan):
            return self._server_call(event.id, "web_search", {"query": event.query})
        content: Json = [_result(page) for page in event.pages[:MAX_RESULTS]]
        if event.error:
            content = {"type": "web_search_tool_result_error", "error_code": event.error}
        result = {"type": "web_search_tool_result", "tool_use_id": event.id, "content": content}
        return self._begun(result) + self._closed()

    def _page(self, event: PageRead) -> bytes:
        call = self._server_call(event.id, "web_fetch", {"url": event.url})
        content: Json = {"type": "web_fetch_tool_result_error", "error_code": event.error}
        if not event.error:
            source = {"type": "text", "media_type": "text/plain", "data": event.text}
            document = {"type": "document", "title": event.title or None, "source": source}
            content = {
                "type": "web_fetch_result",
                "url": event.url,
                "retrieved_at": None,
                "content": document,
            }
        result = {"type": "web_fetch_tool_result", "tool_use_id": event.id, "content": content}
        return call + self._begun(result) + self._closed()

    def _server_call(self, id_: str, name: str, arguments: Json) -> bytes:
        """Return a call with its input in a delta: Claude Code shows a query only from there."""
        block = {"type": "server_tool_use", "id": id_, "name": name, "input": {}}
        opening = self._begun(block)
        return opening + self._input(encoded(arguments).decode()) + self._closed()

    def _ended(self, event: Ended) -> bytes:
        read, written = total_of(event.usage)
        self._end = {"stop_reason": _STOPS[event.stop], "stop_sequence": None}
        self._usage = {
            "input_tokens": read,
            "output_tokens": written,
            "server_tool_use": {
                "web_search_requests": event.searches,
                "web_fetch_requests": event.pages,
            },
        }
        closing = self._closed()
        last: Json = {"type": "message_delta", "delta": self._end, "usage": self._usage}
        if compared := self._own.compared:
            # A citation goes out with its words, before anybody can have compared them.
            last["groundwire"] = {"citations": compared}
        return closing + named_event(last) + named_event({"type": "message_stop"})

    def _begun(self, block: Json) -> bytes:
        closing = self._closed()
        self._is_open = True
        self._template = None
        started = {"type": "content_block_start", "index": len(self._content)}
        sent = named_event({**started, "content_block": block})
        # As it is now: what follows grows the one that is kept for the whole reply.
        self._content.append({**block})
        return closing + sent

    def _delta(self, kind: str, text: str) -> bytes:
        self._pieces.append(text)
        if self._template is None:
            self._template = Template(
                lambda gap: self._raw_delta({"type": _DELTAS[kind], kind: gap})
            )
        return self._template.filled(text)

    def _input(self, piece: str) -> bytes:
        self._pieces.append(piece)
        return self._raw_delta({"type": "input_json_delta", "partial_json": piece})

    def _raw_delta(self, delta: Json) -> bytes:
        index = len(self._content) - 1
        return named_event({"type": "content_block_delta", "index": index, "delta": delta})

    def _closed(self) -> bytes:
        if not self._is_open:
            return b""
        self._is_open = False
        block, grown = self._content[-1], "".join(self._pieces)
        self._pieces.clear()
        if block["type"] in _DELTAS:
            block[block["type"]] = grown
        elif grown:
            block["input"] = parsed_input(grown)
        return named_event({"type": "content_block_stop", "index": len(self._content) - 1})


def _result(page: Json) -> Json:
    return {
        "type": "web_search_result",
        "url": page.url,
        "title": page.title or page.url,
        "encrypted_content": page.state,
        "page_age": page.published or None,
    }


def _citation(one: SentCitation, own: Json) -> Json:
    # The dialect has no place but the block; ours counts in the text of all blocks.
    own |= {"start_index": one.start, "end_index": one.end}
    return {
        "type": "web_search_result_location",
        "url": one.url,
        "title": one.title or one.url,
        "cited_text": one.quote,
        "encrypted_index": one.state,
        "groundwire": own,
    }
