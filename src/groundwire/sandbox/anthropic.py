"""Anthropic Messages: a plan becomes content blocks, and blocks become events."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace

from groundwire.sandbox import anthropic_checks as checks
from groundwire.sandbox import anthropic_code as code
from groundwire.sandbox.answers import (
    AnswerPlan,
    AskedQuestion,
    Fetch,
    PlannedCall,
    Search,
    Segment,
)
from groundwire.sandbox.anthropic_question import (
    cites_fetched_pages,
    pending_searches,
    question_of,
)
from groundwire.sandbox.json import Json
from groundwire.sandbox.wire import (
    BAD_KEY,
    Call,
    Frame,
    Framing,
    Kind,
    RefusalError,
    Trouble,
    opaque,
    pieces,
    prompt_tokens,
    token_count,
)

RETRIEVED = "2026-11-01T12:00:00.000000+00:00"
TROUBLES = {
    Trouble.UNAUTHORIZED: (401, "authentication_error", "invalid x-api-key"),
    Trouble.FORBIDDEN: (
        403,
        "permission_error",
        "Your API key does not have permission to use the specified resource.",
    ),
    Trouble.RATE_LIMIT: (
        429,
        "rate_limit_error",
        "This request would exceed your organization's rate limit of 50 requests per minute.",
    ),
    Trouble.QUOTA: (
        400,
        "invalid_request_error",
        "Your credit balance is too low to access the Anthropic API.",
    ),
    Trouble.CONTEXT_TOO_LONG: (400, "invalid_request_error", "prompt is too long: 9 tokens > 8"),
    Trouble.SERVER_ERROR: (500, "api_error", "Internal server error"),
    Trouble.OVERLOADED: (529, "overloaded_error", "Overloaded"),
}


class Anthropic:
    """Speaks the Messages API, version 2023-06-01 and 2026-10-21."""

    name = "anthropic"

    def authorize(self, call: Call) -> None:
        key = call.headers.get("x-api-key") or call.bearer()
        if not key or key == BAD_KEY:
            raise self.refusal(Trouble.UNAUTHORIZED, call)

    def read(self, call: Call) -> AskedQuestion:
        checks.check(call)
        return question_of(call.body)

    def is_streaming(self, call: Call) -> bool:
        return bool(call.body.get("stream"))

    def framing(self, _call: Call) -> Framing:
        return Framing(is_padded=True)

    def headers(self, call: Call) -> dict[str, str]:
        limits = {"requests": 50, "tokens": 90_000, "input-tokens": 50_000, "output-tokens": 10_000}
        headers = {"request-id": call.id("req_011C", length=20), "cache-control": "no-cache"}
        for name, limit in limits.items():
            headers[f"anthropic-ratelimit-{name}-limit"] = str(limit)
            headers[f"anthropic-ratelimit-{name}-remaining"] = str(limit - 1)
            headers[f"anthropic-ratelimit-{name}-reset"] = "2026-11-01T12:00:01Z"
        return headers

    def models(self, _call: Call) -> Json:
        data = [
            {
                "type": "model",
                "id": name,
                "display_name": name.replace("-", " ").title(),
                "created_at": "2026-01-01T00:00:00Z",
            }
            for name in checks.MODELS
        ]
        return {
            "data": data,
            "has_more": False,
            "first_id": data[0]["id"],
            "last_id": data[-1]["id"],
        }

    def refusal(
        self, trouble: Trouble, call: Call, retry_after: float | None = None
    ) -> RefusalError:
        status, _, _ = TROUBLES[trouble]
        headers = {} if retry_after is None else {"retry-after": f"{retry_after:g}"}
        if trouble is Trouble.OVERLOADED:
            headers["x-should-retry"] = "true"
        return RefusalError(status, _error(trouble, call), headers)

    def malformed(self, message: str, call: Call) -> RefusalError:
        return checks.refuse(call, message)

    def failure_frames(self, trouble: Trouble, call: Call, _sent: int) -> list[Frame]:
        """Return the error event, after which the service just closes."""
        return [Frame(event="error", data=_error(trouble, call), kind=Kind.END)]

    def unknown_frame(self, padding: str = "") -> Frame:
        data = {"type": "content_block_glow", "index": 0, "glow": {"type": "warm"}}
        return Frame(event="content_block_glow", data=data | ({"pad": padding} if padding else {}))

    def count(self, call: Call) -> Json:
        """Return how many tokens a request has; it says nothing of how long the answer may be."""
        self.read(replace(call, body={"max_tokens": 1, **call.body}))
        return {"input_tokens": prompt_tokens(call.body)}

    def reply(self, plan: AnswerPlan, call: Call) -> Json:
        blocks = content_blocks(plan, call)
        message = _message(call) | {"content": blocks, "stop_reason": _stop_reason(plan)}
        message |= code.container(call)
        return message | {"usage": _start_usage(call) | _end_usage(plan, call)}

    def frames(self, plan: AnswerPlan, call: Call) -> list[Frame]:
        """Return the events, with a ping after the first block has started."""
        start = _message(call) | {"usage": _start_usage(call)}
        frames = [_frame(Kind.START, "message_start", message=start)]
        for index, block in enumerate(content_blocks(plan, call)):
            frames += _block_frames(index, block)
        frames.insert(2, Frame(event="ping", data='{"type": "ping"}'))
        delta = {"stop_reason": _stop_reason(plan), "stop_sequence": None} | code.container(call)
        frames.append(
            _frame(Kind.OTHER, "message_delta", delta=delta, usage=_end_usage(plan, call))
        )
        return [*frames, _frame(Kind.END, "message_stop")]


def content_blocks(plan: AnswerPlan, call: Call) -> list[Json]:
    """Return the blocks of the message as they stand when it is complete."""
    pending = pending_searches(call.body)
    blocks: list[Json] = []
    if plan.thinking and not pending:
        shown = (call.body.get("thinking") or {}).get("display") != "omitted"
        signature = opaque(checks.THOUGHT_MARK, plan.thinking)
        text = plan.thinking if shown else ""
        blocks.append({"type": "thinking", "thinking": text, "signature": signature})
    searched = _search_blocks(plan, call, pending)
    if plan.pauses:
        return [*blocks, *searched]
    blocks += searched if pending else code.wrapped(call, "web_search", searched)
    fetched: list[Json] = []
    for number, fetch in enumerate(plan.fetches):
        call_id = call.id("srvtoolu_01", "fetch", number)
        fetched.append(_server_call(call_id, "web_fetch", {"url": fetch.url}))
        fetched.append(_fetch_result(call_id, fetch, call))
    blocks += code.wrapped(call, "web_fetch", fetched)
    blocks += [_text_block(segment, plan, call) for segment in plan.segments]
    return blocks + [_tool_use(call, number, wanted) for number, wanted in enumerate(plan.calls)]


def _search_blocks(plan: AnswerPlan, call: Call, pending: list[str]) -> list[Json]:
    """Return searches and their results, up to a pause."""
    blocks: list[Json] = []
    for number, search in enumerate(plan.searches):
        call_id = call.id("srvtoolu_01", "search", number)
        if number < len(pending):
            call_id = pending[number]
        else:
            blocks.append(_server_call(call_id, "web_search", {"query": search.query}))
            if plan.pauses and not pending:
                return blocks
        blocks.append(_search_result(call_id, search))
    if plan.pauses:
        call_id = call.id("srvtoolu_01", "again", len(pending))
        blocks.append(_server_call(call_id, "web_search", {"query": plan.searches[0].query}))
    return blocks


def _server_call(call_id: str, name: str, arguments: Json) -> Json:
    return {
        "type": "server_tool_use",
        "id": call_id,
        "name": name,
        "input": arguments,
        "caller": code.DIRECT,
    }


def _tool_use(call: Call, number: int, wanted: PlannedCall) -> Json:
    return {
        "type": "tool_use",
        "id": call.id("toolu_01", number),
        "name": wanted.name,
        "input": wanted.arguments,
        "caller": code.DIRECT,
    }


def _search_result(call_id: str, search: Search) -> Json:
    content: Json = [
        {
            "type": "web_search_result",
            "title": hit.page.title,
            "url": hit.page.url,
            "encrypted_content": opaque(checks.CONTENT_MARK, hit.page.url),
            "page_age": hit.page.published or None,
        }
        for hit in search.hits
    ]
    if search.error:
        content = {"type": "web_search_tool_result_error", "error_code": search.error}
    return {
        "type": "web_search_tool_result",
        "tool_use_id": call_id,
        "content": content,
        "caller": code.DIRECT,
    }


def _fetch_result(call_id: str, fetch: Fetch, call: Call) -> Json:
    content: Json = {"type": "web_fetch_tool_result_error", "error_code": fetch.error}
    if fetch.page:
        source = {"type": "text", "media_type": "text/plain", "data": fetch.page.text}
        document = {"type": "document", "source": source, "title": fetch.page.title}
        if cites_fetched_pages(call.body):
            document["citations"] = {"enabled": True}
        content = {
            "type": "web_fetch_result",
            "url": fetch.url,
            "retrieved_at": RETRIEVED,
            "content": document,
        }
    return {
        "type": "web_fetch_tool_result",
        "tool_use_id": call_id,
        "content": content,
        "caller": code.DIRECT,
    }


def _text_block(segment: Segment, plan: AnswerPlan, call: Call) -> Json:
    block: Json = {"type": "text", "text": segment.text}
    if segment.page is None or (segment.was_fetched and not cites_fetched_pages(call.body)):
        return block
    if code.filtered_tools(call.body) and segment.result_index is None:
        return block
    return {"citations": [_citation(segment, plan)]} | block


def _citation(segment: Segment, plan: AnswerPlan) -> Json:
    page = segment.page
    if page is None:
        return {}
    if segment.result_index is not None:
        return {
            "type": "search_result_location",
            "cited_text": segment.quote,
            "search_result_index": segment.result_index,
            "source": page.url,
            "title": page.title,
            "start_block_index": 0,
            "end_block_index": 1,
        }
    if segment.was_fetched:
        documents = [fetch.page for fetch in plan.fetches if fetch.page]
        start = page.text.index(segment.quote)
        return {
            "type": "char_location",
            "cited_text": segment.quote,
            "document_index": documents.index(page),
            "document_title": page.title,
            "start_char_index": start,
            "end_char_index": start + len(segment.quote),
            "file_id": None,
        }
    return {
        "type": "web_search_result_location",
        "cited_text": segment.quote,
        "url": page.url,
        "title": page.title,
        "encrypted_index": opaque(checks.INDEX_MARK, f"{page.url}#{segment.quote}"),
    }


def _block_frames(index: int, block: Json) -> Iterator[Frame]:
    """Yield a block's start, deltas and stop; results come whole in the start."""
    empty, deltas = _opening(block), list(_deltas(block))
    yield _frame(Kind.OTHER, "content_block_start", index=index, content_block=empty)
    for kind, delta in deltas:
        yield _frame(kind, "content_block_delta", index=index, delta=delta)
    yield _frame(Kind.OTHER, "content_block_stop", index=index)


def _opening(block: Json) -> Json:
    match block["type"]:
        case "thinking":
            return block | {"thinking": "", "signature": ""}
        case "tool_use" | "server_tool_use" if block["caller"] == code.DIRECT:
            return block | {"input": {}}
        case "text":
            return block | {"text": ""} | ({"citations": []} if "citations" in block else {})
    return block


def _deltas(block: Json) -> Iterator[tuple[Kind, Json]]:
    match block["type"]:
        case "thinking":
            for piece in pieces(block["thinking"], (2, 4)):
                yield Kind.OTHER, {"type": "thinking_delta", "thinking": piece}
            yield Kind.OTHER, {"type": "signature_delta", "signature": block["signature"]}
        case "tool_use" | "server_tool_use" if block["caller"] == code.DIRECT:
            text = json.dumps(block["input"], ensure_ascii=False) if block["input"] else ""
            for piece in ("", *pieces(text, (2, 3))):
                yield Kind.OTHER, {"type": "input_json_delta", "partial_json": piece}
        case "text":
            for citation in block.get("citations", ()):
                yield Kind.CITATION, {"type": "citations_delta", "citation": citation}
            for piece in pieces(block["text"], (1, 3, 6)):
                yield Kind.TEXT, {"type": "text_delta", "text": piece}


def _frame(kind: Kind, event: str, **fields: Json) -> Frame:
    return Frame(event=event, kind=kind, data={"type": event} | fields)


def _error(trouble: Trouble, call: Call) -> Json:
    _, kind, message = TROUBLES[trouble]
    error = {"type": kind, "message": message}
    return {"type": "error", "error": error, "request_id": call.id("req_011C", length=20)}


def _message(call: Call) -> Json:
    return {
        "model": call.body["model"],
        "id": call.id("msg_01"),
        "type": "message",
        "role": "assistant",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
    }


def _stop_reason(plan: AnswerPlan) -> str:
    if plan.pauses:
        return "pause_turn"
    if plan.calls:
        return "tool_use"
    return "max_tokens" if plan.is_cut else "end_turn"


def _start_usage(call: Call) -> Json:
    return {
        "input_tokens": prompt_tokens(call.body),
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "cache_creation": {"ephemeral_5m_input_tokens": 0, "ephemeral_1h_input_tokens": 0},
        "output_tokens": 3,
        "service_tier": "standard",
    }


def _end_usage(plan: AnswerPlan, call: Call) -> Json:
    """Return the totals: what was found counts as input too."""
    found = sum(len(hit.page.text) for search in plan.searches for hit in search.hits)
    read = sum(len(fetch.page.text) for fetch in plan.fetches if fetch.page)
    usage: Json = {
        "input_tokens": prompt_tokens(call.body) + (found + read) // 4,
        "cache_creation_input_tokens": 0,
        "cache_read_input_tokens": 0,
        "output_tokens": token_count(plan.thinking + plan.text) + 12 * len(plan.calls),
    }
    if plan.searches or plan.fetches:
        usage["server_tool_use"] = {
            "web_search_requests": sum(not search.error for search in plan.searches),
            "web_fetch_requests": len(plan.fetches),
        }
    return usage
