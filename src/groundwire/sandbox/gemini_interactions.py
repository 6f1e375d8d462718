"""Gemini Interactions: a plan becomes steps, and steps become events."""

from __future__ import annotations

import json
from collections.abc import Iterator

from groundwire.sandbox import interaction_checks as checks
from groundwire.sandbox.answers import AnswerPlan, AskedQuestion
from groundwire.sandbox.gemini import Gemini, shown_pages, suggestions
from groundwire.sandbox.json import Json
from groundwire.sandbox.wire import (
    Call,
    Frame,
    Framing,
    Kind,
    Trouble,
    opaque,
    pieces,
    prompt_tokens,
    token_count,
)

WHEN = "2026-10-26T12:00:00Z"
TOOL_TOKENS = 100


class GeminiInteractions(Gemini):
    """Speaks Interactions, beside generateContent under the same roof."""

    name = "gemini-interactions"

    def read(self, call: Call) -> AskedQuestion:
        return checks.question_of(call)

    def is_streaming(self, call: Call) -> bool:
        return bool(call.body.get("stream"))

    def framing(self, _call: Call) -> Framing:
        return Framing(content_type="text/event-stream")

    def failure_frames(self, trouble: Trouble, call: Call, _sent: int) -> list[Frame]:
        error = self.refusal(trouble, call).body["error"]
        told = {"code": error["status"].lower(), "message": error["message"]}
        return [_frame("error", Kind.END, error=told)]

    def unknown_frame(self, padding: str = "") -> Frame:
        return _frame("step.glow", index=0, glow={"warmth": 1, "pad": padding})

    def reply(self, plan: AnswerPlan, call: Call) -> Json:
        return _interaction(plan, call) | {"steps": steps(plan, call)}

    def frames(self, plan: AnswerPlan, call: Call) -> list[Frame]:
        """Return the events, each step from start to stop."""
        begun = {"id": _id(call), "status": "in_progress", "object": "interaction"}
        begun["model"] = call.body["model"]
        frames = [
            _frame("interaction.created", Kind.START, interaction=begun),
            _frame("interaction.status_update", interaction_id=_id(call), status="in_progress"),
        ]
        for index, step in enumerate(steps(plan, call)):
            bare, deltas = _opened(step)
            frames.append(_frame("step.start", index=index, step=bare))
            frames += [
                _frame("step.delta", kind, index=index, delta=delta) for kind, delta in deltas
            ]
            frames.append(_frame("step.stop", index=index))
        ended = _interaction(plan, call)
        frames.append(_frame("interaction.completed", Kind.END, interaction=ended))
        return [*frames, Frame(data="[DONE]", event="done", kind=Kind.END)]


def steps(plan: AnswerPlan, call: Call) -> list[Json]:
    """Return the steps as they stand in the end; a search is told after the text it led to."""
    signature = opaque(b"\x0a\xc0thought", plan.text + str(call.number))
    made: list[Json] = []
    if plan.thinking:
        thought: Json = {"type": "thought", "signature": signature}
        if checks.shows_thoughts(call.body):
            thought["summary"] = [{"type": "text", "text": plan.thinking}]
        made.append(thought)
    made += _fetch_steps(plan, call)
    if plan.text:
        block: Json = {"type": "text", "text": plan.text}
        notes = _annotations(plan)
        content = [block | ({"annotations": notes} if notes else {})]
        made.append({"type": "model_output", "content": content})
    made += _search_steps(plan, call)
    for number, wanted in enumerate(plan.calls):
        name = call.id("", "function", number, length=8)
        asked = {"name": wanted.name, "arguments": wanted.arguments}
        made.append({"type": "function_call", "id": name} | asked)
    return made


def _search_steps(plan: AnswerPlan, call: Call) -> Iterator[Json]:
    if not plan.searches:
        return
    place = call.id("", "search", length=8)
    queries = [search.query for search in plan.searches]
    asked = {"arguments": {"queries": queries}}
    yield {"type": "google_search_call", "id": place, "signature": ""} | asked
    found = {"result": [{"search_suggestions": suggestions(queries)}]}
    yield {"type": "google_search_result", "call_id": place, "signature": ""} | found


def _fetch_steps(plan: AnswerPlan, call: Call) -> Iterator[Json]:
    if not plan.fetches:
        return
    place = call.id("", "fetch", length=8)
    asked = {"arguments": {"urls": [fetch.url for fetch in plan.fetches]}}
    yield {"type": "url_context_call", "id": place, "signature": ""} | asked
    result = [
        {"url": fetch.url, "status": "success" if fetch.page else "error"} for fetch in plan.fetches
    ]
    yield {"type": "url_context_result", "call_id": place, "signature": "", "result": result}


def _annotations(plan: AnswerPlan) -> list[Json]:
    """Return the citations; offsets are UTF-8 bytes of the step's text."""
    pages = {page.url: web["web"] for page, web in zip(plan.pages, shown_pages(plan), strict=True)}
    notes: list[Json] = []
    position = 0
    for segment in plan.segments:
        end = position + len(segment.text.encode())
        if segment.page:
            page = pages[segment.page.url]
            place = {"start_index": position, "end_index": end}
            notes.append(
                place | {"url": page["uri"], "title": page["title"], "type": "url_citation"}
            )
        position = end
    return notes


def _opened(step: Json) -> tuple[Json, list[tuple[Kind, Json]]]:
    """Return a step as it begins, and the deltas that complete it."""
    kind = step["type"]
    match kind:
        case "thought":
            told = [
                {"type": "thought_summary", "content": item} for item in step.get("summary", ())
            ]
            signed = {"type": "thought_signature", "signature": step["signature"]}
            return {"type": kind}, [(Kind.OTHER, delta) for delta in (*told, signed)]
        case "model_output":
            [block] = step["content"]
            told = [{"type": "text", "text": piece} for piece in pieces(block["text"], (20,))]
            deltas = [(Kind.TEXT, delta) for delta in told]
            if notes := block.get("annotations"):
                cited = {"type": "text_annotation_delta", "annotations": notes}
                deltas.append((Kind.CITATION, cited))
            return {"type": kind}, deltas
        case "function_call":
            text = json.dumps(step["arguments"], ensure_ascii=False)
            told = [{"type": "arguments_delta", "arguments": each} for each in pieces(text, (4,))]
            return step | {"arguments": {}}, [(Kind.OTHER, delta) for delta in told]
    name = "arguments" if "arguments" in step else "result"
    bare = {key: value for key, value in step.items() if key != name}
    return bare, [(Kind.OTHER, {"type": kind, name: step[name]})]


def _interaction(plan: AnswerPlan, call: Call) -> Json:
    status = "incomplete" if plan.is_cut else "requires_action" if plan.calls else "completed"
    return {
        "id": _id(call),
        "status": status,
        "usage": _usage(plan, call),
        "created": WHEN,
        "updated": WHEN,
        "service_tier": "standard",
        "object": "interaction",
        "model": call.body["model"],
    }


def _usage(plan: AnswerPlan, call: Call) -> Json:
    prompt, answer = prompt_tokens(call.body), token_count(plan.text) + 12 * len(plan.calls)
    thought = token_count(plan.thinking)
    tools = TOOL_TOKENS if plan.searches or plan.fetches else 0
    return {
        "total_tokens": prompt + answer + thought + tools,
        "total_input_tokens": prompt,
        "input_tokens_by_modality": [{"modality": "text", "tokens": prompt}],
        "total_cached_tokens": 0,
        "total_output_tokens": answer,
        "total_tool_use_tokens": tools,
        "tool_use_tokens_by_modality": [{"modality": "text", "tokens": tools}],
        "total_thought_tokens": thought,
    }


def _id(call: Call) -> str:
    return call.id("v1_", length=64)


def _frame(event: str, kind: Kind = Kind.OTHER, **fields: Json) -> Frame:
    return Frame(event=event, kind=kind, data={**fields, "event_type": event})
