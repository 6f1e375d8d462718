"""OpenAI Responses: output items, and the events that build them up."""

from __future__ import annotations

import json
from collections.abc import Iterator
from itertools import count

from groundwire.sandbox import openai_service as shared
from groundwire.sandbox import responses_checks as checks
from groundwire.sandbox.answers import AnswerPlan, AskedQuestion, Search
from groundwire.sandbox.json import Json
from groundwire.sandbox.openai_service import Link, linked_answer
from groundwire.sandbox.responses_echo import echoed
from groundwire.sandbox.wire import (
    CREATED,
    Call,
    Frame,
    Kind,
    Trouble,
    opaque,
    pieces,
    prompt_tokens,
    token_count,
)


class OpenAIResponses(shared.OpenAIService):
    """Speaks Responses."""

    name = "openai-responses"

    def read(self, call: Call) -> AskedQuestion:
        checks.check_model(call, shared.MODELS)
        checks.check_body(call)
        return checks.question_of(call.body)

    def failure_frames(self, trouble: Trouble, call: Call, sent: int) -> list[Frame]:
        """Return the error event and the failed response, preceded by a start if none was sent."""
        error = shared.trouble_body(trouble)["error"]
        inner = {"code": error["code"] or "server_error", "message": error["message"]}
        failed = response(call, "failed") | {"error": inner}
        events = [("error", {"error": error}), ("response.failed", {"response": failed})]
        if not sent:
            events = [*_opening(call), *events]
        return [
            _frame(number, kind, Kind.END if kind == "response.failed" else Kind.OTHER, fields)
            for number, (kind, fields) in enumerate(events, start=sent)
        ]

    def unknown_frame(self, padding: str = "") -> Frame:
        data = {"type": "response.glow.added", "sequence_number": 0, "pad": padding}
        return Frame(event="response.glow.added", data=data)

    def count(self, call: Call) -> Json:
        self.read(call)
        return {"object": "response.input_tokens", "input_tokens": prompt_tokens(call.body)}

    def reply(self, plan: AnswerPlan, call: Call) -> Json:
        return finished(plan, call, output_items(plan, call))

    def frames(self, plan: AnswerPlan, call: Call) -> list[Frame]:
        """Return the events; each citation follows the delta that closes its link."""
        items = output_items(plan, call)
        numbers = count()
        frames = [_frame(next(numbers), kind, Kind.START, data) for kind, data in _opening(call)]
        _, links = linked_answer(plan)
        for index, item in enumerate(items):
            frames += [
                _frame(next(numbers), event, kind, {"output_index": index} | fields)
                for event, kind, fields in _item_events(item, links)
            ]
        last = finished(plan, call, items)
        name = "response.incomplete" if plan.is_cut else "response.completed"
        return [*frames, _frame(next(numbers), name, Kind.END, {"response": last})]


def output_items(plan: AnswerPlan, call: Call) -> list[Json]:
    """Return the items as they stand when the response is complete."""
    items: list[Json] = []
    if plan.thinking:
        items.append(_reasoning(plan, call))
    items += [_search_call(call, number, search) for number, search in enumerate(plan.searches)]
    for number, fetch in enumerate(plan.fetches):
        action = {"type": "open_page", "url": fetch.url}
        items.append(_web_call(call.id("ws_", "open", number, length=48), action))
    text, links = linked_answer(plan)
    if text:
        part = {
            "type": "output_text",
            "annotations": [annotation(link) for link in links],
            "logprobs": [],
            "text": text,
        }
        items.append(
            {
                "id": call.id("msg_", length=48),
                "type": "message",
                "status": "incomplete" if plan.is_cut else "completed",
                "content": [part],
                "phase": "final_answer",
                "role": "assistant",
            }
        )
    return items + [_function_call(plan, call, number) for number in range(len(plan.calls))]


def annotation(link: Link) -> Json:
    """Return a citation, which on this surface is flat."""
    return {
        "type": "url_citation",
        "end_index": link.end,
        "start_index": link.start,
        "title": link.page.title,
        "url": link.url,
    }


def _reasoning(plan: AnswerPlan, call: Call) -> Json:
    wants_summary = (call.body.get("reasoning") or {}).get("summary")
    summary = [{"type": "summary_text", "text": plan.thinking}] if wants_summary else []
    item = {"id": call.id("rs_", length=48), "type": "reasoning", "summary": summary}
    if "reasoning.encrypted_content" in (call.body.get("include") or ()):
        item["encrypted_content"] = opaque(b"gAAAA", plan.thinking)
    return item


def _search_call(call: Call, number: int, search: Search) -> Json:
    action: Json = {"type": "search", "query": search.query, "queries": [search.query]}
    if "web_search_call.action.sources" in (call.body.get("include") or ()):
        action["sources"] = [{"type": "url", "url": hit.page.url} for hit in search.hits]
    return _web_call(call.id("ws_", number, length=48), action)


def _web_call(item_id: str, action: Json) -> Json:
    return {"id": item_id, "type": "web_search_call", "status": "completed", "action": action}


def _function_call(plan: AnswerPlan, call: Call, number: int) -> Json:
    wanted = plan.calls[number]
    return {
        "id": call.id("fc_", number, length=48),
        "type": "function_call",
        "status": "completed",
        "arguments": json.dumps(wanted.arguments, ensure_ascii=False, separators=(",", ":")),
        "call_id": call.id("call_", number),
        "name": wanted.name,
    }


def _item_events(item: Json, links: list[Link]) -> Iterator[tuple[str, Kind, Json]]:
    """Yield the events from an item's first sight to its completion."""
    empty: Json = {"status": "in_progress"} if "status" in item else {}
    match item["type"]:
        case "message":
            empty["content"] = []
        case "reasoning":
            empty["summary"] = []
        case "function_call":
            empty["arguments"] = ""
    opened = {key: value for key, value in (item | empty).items() if key != "action"}
    yield "response.output_item.added", Kind.OTHER, {"item": opened}
    for event, kind, fields in _inner_events(item, links):
        yield event, kind, {"item_id": item["id"]} | fields
    yield "response.output_item.done", Kind.OTHER, {"item": item}


def _inner_events(item: Json, links: list[Link]) -> Iterator[tuple[str, Kind, Json]]:
    match item["type"]:
        case "web_search_call":
            for state in ("in_progress", "searching", "completed"):
                yield f"response.web_search_call.{state}", Kind.OTHER, {}
        case "function_call":
            for piece in pieces(item["arguments"]):
                yield "response.function_call_arguments.delta", Kind.OTHER, _delta(piece)
            done = {"arguments": item["arguments"]}
            yield "response.function_call_arguments.done", Kind.OTHER, done
        case "reasoning":
            yield from _summary_events(item)
        case "message":
            yield from _text_events(item["content"][0], links)


def _summary_events(item: Json) -> Iterator[tuple[str, Kind, Json]]:
    for index, part in enumerate(item["summary"]):
        place, empty = {"summary_index": index}, {"type": "summary_text", "text": ""}
        name = "response.reasoning_summary"
        yield f"{name}_part.added", Kind.OTHER, place | {"part": empty}
        for piece in pieces(part["text"], (2,)):
            yield f"{name}_text.delta", Kind.OTHER, place | _delta(piece)
        yield f"{name}_text.done", Kind.OTHER, place | {"text": part["text"]}
        yield f"{name}_part.done", Kind.OTHER, place | {"part": part}


def _text_events(part: Json, links: list[Link]) -> Iterator[tuple[str, Kind, Json]]:
    place: Json = {"content_index": 0}
    empty = part | {"text": "", "annotations": []}
    yield "response.content_part.added", Kind.OTHER, place | {"part": empty}
    position = 0
    for index, link in enumerate(links):
        yield from _deltas(part["text"][position : link.start], place)
        # The model writes a link in one piece.
        yield from _deltas(part["text"][link.start : link.end], place, size=1000)
        added = place | {"annotation_index": index, "annotation": annotation(link)}
        yield "response.output_text.annotation.added", Kind.CITATION, added
        position = link.end
    yield from _deltas(part["text"][position:], place)
    done = place | {"text": part["text"], "logprobs": []}
    yield "response.output_text.done", Kind.OTHER, done
    yield "response.content_part.done", Kind.OTHER, place | {"part": part}


def _deltas(text: str, place: Json, size: int = 1) -> Iterator[tuple[str, Kind, Json]]:
    for piece in pieces(text, (size,)):
        yield "response.output_text.delta", Kind.TEXT, place | {"logprobs": []} | _delta(piece)


def _delta(piece: str) -> Json:
    # The padding is random on the real wire, so that lengths of packets tell nothing.
    return {"delta": piece, "obfuscation": "x" * (1 + len(piece) % 9)}


def _opening(call: Call) -> list[tuple[str, Json]]:
    started = {"response": response(call, "in_progress")}
    return [("response.created", started), ("response.in_progress", started)]


def _frame(number: int, event: str, kind: Kind, fields: Json) -> Frame:
    data = {"type": event, "sequence_number": number} | fields
    return Frame(event=event, kind=kind, data=data)


def finished(plan: AnswerPlan, call: Call, items: list[Json]) -> Json:
    """Return the response object at the end."""
    text, _ = linked_answer(plan)
    prompt, thought = prompt_tokens(call.body), token_count(plan.thinking) if plan.thinking else 0
    prompt += sum(len(hit.page.text) // 4 for search in plan.searches for hit in search.hits)
    output = token_count(text) + thought + 12 * len(plan.calls)
    return response(call, "incomplete" if plan.is_cut else "completed") | {
        "completed_at": CREATED + 3,
        "incomplete_details": {"reason": "max_output_tokens"} if plan.is_cut else None,
        "output": items,
        "tool_usage": {"web_search": {"num_requests": len(plan.searches)}},
        "usage": {
            "input_tokens": prompt,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": output,
            "output_tokens_details": {"reasoning_tokens": thought},
            "total_tokens": prompt + output,
        },
    }


# What is the same in every response that the sandbox gives.
_ALWAYS: Json = {
    "object": "response",
    "created_at": CREATED,
    "background": False,
    "completed_at": None,
    "error": None,
    "frequency_penalty": 0.0,
    "incomplete_details": None,
    "moderation": None,
    "presence_penalty": 0.0,
    "previous_response_id": None,
    "safety_identifier": None,
    "service_tier": "default",
    "top_logprobs": 0,
    "truncation": "disabled",
    "usage": None,
    "user": None,
}


def response(call: Call, status: str) -> Json:
    """Return the response object, which repeats most of the request."""
    body = call.body
    reasoning = body.get("reasoning") or {}
    return {
        **_ALWAYS,
        "id": call.id("resp_", length=50),
        "status": status,
        "instructions": body.get("instructions"),
        "max_output_tokens": body.get("max_output_tokens"),
        "max_tool_calls": body.get("max_tool_calls"),
        "model": body["model"],
        "output": [],
        "parallel_tool_calls": body.get("parallel_tool_calls", True),
        "prompt_cache_key": body.get("prompt_cache_key"),
        "prompt_cache_retention": body.get("prompt_cache_retention"),
        "reasoning": {"effort": reasoning.get("effort"), "summary": reasoning.get("summary")},
        "store": body.get("store", True),
        "temperature": body.get("temperature", 1.0),
        "text": body.get("text") or {"format": {"type": "text"}, "verbosity": "medium"},
        "tool_choice": body.get("tool_choice", "auto"),
        "tool_usage": {"web_search": {"num_requests": 0}},
        "tools": echoed(body.get("tools")),
        "top_p": body.get("top_p", 1.0),
        "metadata": body.get("metadata") or {},
    }
