"""Gemini's Interactions API, the successor of generateContent, told in the words of the older."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groundwire.model import Json

_COUNTS = {
    "promptTokenCount": "total_input_tokens",
    "candidatesTokenCount": "total_output_tokens",
    "cachedContentTokenCount": "total_cached_tokens",
    "thoughtsTokenCount": "total_thought_tokens",
}


class Interaction:
    """Retells the events of one interaction as chunks of generateContent.

    Steps come one after the other, each from start to stop; `steps` holds them whole, to be sent
    back on the next turn.
    """

    def __init__(self) -> None:
        self.steps: list[Json] = []
        self._texts: list[str] = []
        self._bytes_before = 0
        self._arguments: list[str] = []
        self._chunks: list[Json] = []
        self._supports: list[Json] = []

    def retell(self, event: Json) -> Json:
        """Return the chunk that says what an event says, {} for one that says nothing."""
        match event["event_type"]:
            case "step.delta":
                return self._delta(event["delta"])
            case "step.start":
                return self._start(event["step"])
            case "step.stop":
                return self._stop()
            case "interaction.completed":
                return self._complete(event["interaction"])
            case "error":
                return {"error": event["error"]}
        return {}

    def retell_body(self, body: Json) -> list[Json]:
        """Return the chunks of a whole interaction."""
        told = [chunk for step in body["steps"] for chunk in (self._start(step), self._stop())]
        return [*told, self._complete(body)]

    def _start(self, step: Json) -> Json:
        self.steps.append(dict(step))
        match step["type"]:
            case "model_output":
                return _parts([self._text(block) for block in step.get("content") or ()])
            case "thought":
                return _parts([_thought(item) for item in step.get("summary") or ()])
        return _tool(step)

    def _delta(self, delta: Json) -> Json:
        step = self.steps[-1]
        match delta["type"]:
            case "text" | "text_annotation_delta":
                return _parts([self._text(delta)])
            case "thought_summary":
                step.setdefault("summary", []).append(delta["content"])
                return _parts([_thought(delta["content"])])
            case "arguments_delta":
                self._arguments.append(delta["arguments"])
                return {}
        step.update({name: value for name, value in delta.items() if name != "type"})
        return _tool(step)

    def _stop(self) -> Json:
        step = self.steps[-1]
        if step["type"] == "model_output":
            text = "".join(self._texts)
            step["content"] = [{"type": "text", "text": text}]
            self._bytes_before += len(text.encode())
            self._texts.clear()
        if step["type"] != "function_call":
            return {}
        if self._arguments:
            step["arguments"] = json.loads("".join(self._arguments))
            self._arguments.clear()
        call = {"id": step["id"], "name": step["name"], "args": step.get("arguments")}
        return _parts([{"functionCall": call}])

    def _text(self, block: Json) -> Json:
        """Return a text as a part; annotations count the bytes of their own step."""
        for note in block.get("annotations") or ():
            place = {"endIndex": self._bytes_before + (note.get("end_index") or 0)}
            place["startIndex"] = self._bytes_before + (note.get("start_index") or 0)
            segment = place if note.get("end_index") else {}
            self._supports.append(
                {"segment": segment, "groundingChunkIndices": [len(self._chunks)]}
            )
            self._chunks.append({"web": {"uri": note.get("url"), "title": note.get("title")}})
        text = block.get("text") or ""
        self._texts.append(text)
        return {"text": text}

    def _complete(self, interaction: Json) -> Json:
        if interaction.get("status") == "failed":
            return {"error": interaction.get("error") or {"message": "the interaction failed"}}
        usage = interaction.get("usage") or {}
        grounding = {"groundingChunks": self._chunks, "groundingSupports": self._supports}
        ending = {"finishReason": interaction.get("status"), "groundingMetadata": grounding}
        counts = {ours: usage[theirs] for ours, theirs in _COUNTS.items() if theirs in usage}
        return {"candidates": [ending], "usageMetadata": counts}


def _parts(parts: list[Json]) -> Json:
    return {"candidates": [{"content": {"parts": parts}, "index": 0}]}


def _thought(item: Json) -> Json:
    return {"text": item.get("text") or "", "thought": True}


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
