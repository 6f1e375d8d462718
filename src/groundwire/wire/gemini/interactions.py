"""Gemini's Interactions API, the successor of generateContent, read as replies of the older."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from groundwire.wire.decoder import TextOrder, TextPart, checked_text

if TYPE_CHECKING:
    from groundwire.model import Json

_COUNTS = {
    "promptTokenCount": "total_input_tokens",
    "candidatesTokenCount": "total_output_tokens",
    "cachedContentTokenCount": "total_cached_tokens",
    "thoughtsTokenCount": "total_thought_tokens",
}


class _Step(TextPart):
    """One step; `pieces` are its text, its thoughts or the JSON of its arguments."""

    __slots__ = ("kind", "raw")

    def __init__(self, index: int, raw: Json) -> None:
        super().__init__((index,))
        self.raw = dict(raw)
        self.kind = checked_text(raw["type"])


class Interaction:
    """Retells the events of one interaction as chunks of generateContent.

    Steps may overlap; each is kept by its number, and a text that comes while an earlier one is
    open waits for it.
    """

    def __init__(self) -> None:
        self._steps: dict[int, _Step] = {}
        self._texts = TextOrder()
        self._thoughts = TextOrder()
        self._told: list[_Step] = []  # Those with text, in the order of the answer.

    @property
    def steps(self) -> list[Json]:
        """Return the steps whole, to be sent back on the next turn."""
        return [step.raw for _, step in sorted(self._steps.items())]

    def retell(self, event: Json) -> Json:
        """Return the chunk that says what an event says, {} for one that says nothing."""
        match event["event_type"]:
            case "step.delta":
                return self._delta(self._step(event), event["delta"])
            case "step.start":
                return self._start(event.get("index"), event["step"])
            case "step.stop":
                return self._stop(self._step(event))
            case "interaction.completed":
                return self._complete(event["interaction"])
            case "error":
                return {"error": event["error"]}
        return {}

    def retell_body(self, body: Json) -> list[Json]:
        """Return the chunks of a whole interaction."""
        told = [
            chunk
            for index, step in enumerate(body["steps"])
            for chunk in (self._start(index, step), self._stop(self._steps[index]))
        ]
        return [*told, self._complete(body)]

    def release(self) -> Json:
        """Return the chunk of what has waited for steps that nothing ends, and of the sources."""
        parts: list[Json] = []
        for _, step in sorted(self._steps.items()):
            # A call whose end is missing may lack a piece.
            if step.kind != "function_call" and (chunk := self._stop(step)):
                parts += chunk["candidates"][0]["content"]["parts"]
        candidate: Json = {"groundingMetadata": self._grounding()}
        if parts:
            candidate["content"] = {"parts": parts}
        return {"candidates": [candidate]}

    def _step(self, event: Json) -> _Step:
        """Return the step that an event is about, the last where it does not say."""
        index = event.get("index")
        return self._steps[index if index in self._steps else max(self._steps)]

    def _start(self, index: Json, raw: Json) -> Json:
        if type(index) is not int:
            index = max(self._steps, default=-1) + 1
        if index in self._steps:
            return {}
        step = self._steps[index] = _Step(index, raw)
        match step.kind:
            case "model_output":
                self._texts.enter(step)
                told = [self._text(step, block) for block in raw.get("content") or ()]
                return _parts([part for parts in told for part in parts])
            case "thought":
                self._thoughts.enter(step)
                told = [self._thought(step, item) for item in raw.get("summary") or ()]
                return _parts([part for parts in told for part in parts])
        return _tool(raw)

    def _delta(self, step: _Step, delta: Json) -> Json:
        match delta["type"]:
            case "text" | "text_annotation_delta":
                return _parts(self._text(step, delta))
            case "thought_summary":
                step.raw.setdefault("summary", []).append(delta["content"])
                return _parts(self._thought(step, delta["content"]))
            case "arguments_delta":
                step.pieces.append(checked_text(delta["arguments"]))
                return {}
        step.raw.update({name: value for name, value in delta.items() if name != "type"})
        return _tool(step.raw)

    def _stop(self, step: _Step) -> Json:
        """End a step; return what it comes to, and what has waited for its end."""
        if not step.is_open:
            return {}
        ready: list[TextPart] = []
        if step.kind == "model_output":
            if self._texts.has_turn(step):
                self._begin(step)
            ready = self._texts.close(step)
            step.raw["content"] = [{"type": "text", "text": step.text}]
        elif step.kind == "thought":
            thoughts = self._thoughts.close(step)
            return _parts([_thought_part(each.text) for each in thoughts if each.pieces])
        step.is_open = False
        for each in ready:
            self._begin(each)
        parts: list[Json] = [{"text": each.text} for each in ready if each.pieces]
        if step.kind == "function_call":
            if step.pieces:
                step.raw["arguments"] = json.loads(step.text)
            arguments = step.raw.get("arguments")
            call = {"id": step.raw["id"], "name": step.raw["name"], "args": arguments}
            parts.append({"functionCall": call})
        return _parts(parts) if parts else {}

    def _begin(self, step: TextPart) -> None:
        if isinstance(step, _Step) and step.start is None:
            step.start = len(self._told)
            self._told.append(step)

    def _text(self, step: _Step, block: Json) -> list[Json]:
        """Return a text as parts, none before its turn; its annotations are for the end."""
        step.notes += block.get("annotations") or ()
        text = checked_text(block.get("text") or "")
        has_turn = self._texts.has_turn(step)
        if has_turn:
            self._begin(step)
        if text:
            step.pieces.append(text)
        return [{"text": text}] if has_turn else []

    def _thought(self, step: _Step, item: Json) -> list[Json]:
        text = checked_text(item.get("text") or "")
        has_turn = self._thoughts.has_turn(step)
        if text:
            step.pieces.append(text)
        return [_thought_part(text)] if has_turn else []

    def _complete(self, interaction: Json) -> Json:
        if interaction.get("status") == "failed":
            return {"error": interaction.get("error") or {"message": "the interaction failed"}}
        usage = interaction.get("usage") or {}
        counts = {ours: usage[theirs] for ours, theirs in _COUNTS.items() if theirs in usage}
        [ending] = self.release()["candidates"]
        ending["finishReason"] = interaction.get("status")
        return {"candidates": [ending], "usageMetadata": counts}

    def _grounding(self) -> Json:
        """Return what the annotations say; they count the bytes of their own step."""
        chunks: list[Json] = []
        supports: list[Json] = []
        before = 0
        for step in self._told:
            for note in step.notes:
                if (chunk := _chunk(note)) is None:
                    continue
                place = {"endIndex": before + (note.get("end_index") or 0)}
                place["startIndex"] = before + (note.get("start_index") or 0)
                segment = place if note.get("end_index") else {}
                supports.append({"segment": segment, "groundingChunkIndices": [len(chunks)]})
                chunks.append(chunk)
            before += len(step.text.encode())
        return {"groundingChunks": chunks, "groundingSupports": supports}


def _chunk(note: Json) -> Json:
    """Return what an annotation cites, None if it is of another kind (times of spoken words)."""
    match note.get("type", "url_citation"):
        case "url_citation":
            return {"web": {"uri": note.get("url"), "title": note.get("title")}}
        case "place_citation":
            return {"maps": {"uri": note.get("url"), "title": note.get("name")}}
        case "file_citation":
            name = note.get("file_name") or note.get("source")
            return {"retrievedContext": {"uri": note.get("document_uri"), "title": name}}
    return None


def _parts(parts: list[Json]) -> Json:
    return {"candidates": [{"content": {"parts": parts}, "index": 0}]}


def _thought_part(text: str) -> Json:
    return {"text": text, "thought": True}


def _tool(step: Json) -> Json:
    """Return what one of Google's own tools was asked, or what it has found."""
    results = step.get("result") or ()
    match step["type"]:
        case "google_search_call":
            queries = (step.get("arguments") or {}).get("queries")
            return {"candidates": [{"groundingMetadata": {"webSearchQueries": queries}}]}
        case "google_search_result":
            shown = dict.fromkeys(entry.get("search_suggestions") or "" for entry in results)
            entry_point = {"renderedContent": "\n".join(filter(None, shown))}
            return {"candidates": [{"groundingMetadata": {"searchEntryPoint": entry_point}}]}
        case "url_context_result":
            pages = [
                {
                    "retrievedUrl": entry.get("url"),
                    "urlRetrievalStatus": f"URL_RETRIEVAL_STATUS_{entry['status'].upper()}",
                }
                for entry in results
            ]
            return {"candidates": [{"urlContextMetadata": {"urlMetadata": pages}}]}
    return {}
