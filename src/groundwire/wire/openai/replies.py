"""What replies in Chat Completions and in Responses have in common."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from groundwire.events import Done, WebSearchResults
from groundwire.model import SearchResult, Usage, domain_of
from groundwire.wire.decoder import NOTHING, JsonDecoder
from groundwire.wire.errors import message_of
from groundwire.wire.openai.url_citations import UrlCitations
from groundwire.wire.text import parsed
from groundwire.wire.tool_calls import ToolCalls

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.events import StreamEvent
    from groundwire.model import Json

END_MARKER = "[DONE]"


class OpenAIDecoder(JsonDecoder):
    """The base of both decoders: usage, citations, tool calls, faults and the end."""

    end_marker = END_MARKER

    def __init__(self, service: str) -> None:
        self.service = service
        self._stop_reason = ""
        self._usage = Usage()
        self._citations = UrlCitations(service)
        self._calls = ToolCalls()
        self._found: set[str] = set()

    def read_end(self) -> Sequence[StreamEvent]:
        """Return the end: nothing comes after the marker."""
        return self._end()

    def _end(self) -> Sequence[StreamEvent]:
        """Return what is left to tell when the reply is complete.

        A reply that failed is done only if it also said why it stopped.
        """
        if self.is_done:
            return NOTHING
        self.is_done = True
        events = [*self._calls.end_all(), *self._citations.settle(self.text_length)]
        events += self.cut_off(self._stop_reason)
        if self._stop_reason or not self._has_failed:
            events.append(Done(self._stop_reason))
        return events

    def _failed(self, error: Json) -> list[StreamEvent]:
        """Return the error, unless one was emitted: services report the same failure twice."""
        if self._has_failed:
            return []
        code = error.get("code") if isinstance(error, dict) else None
        return [self.fault(spelled_out(error), code if type(code) is int else 200)]

    def _spent(self, usage: Json, searches: int | None = None) -> list[StreamEvent]:
        """Return the whole bill if this report changes it; what it leaves out stays."""
        told = {} if not isinstance(usage, dict) else _amounts(usage)
        if searches is not None:
            told["searches"] = searches
        total = replace(self._usage, **told)
        if total == self._usage:
            return []
        self._usage = total
        return [total]

    def _hits(self, sources: Json) -> list[StreamEvent]:
        """Return the search hits that are new: URLs, or objects that have one."""
        results = []
        for source in sources:
            hit = source if isinstance(source, dict) else {"url": source}
            url = hit.get("url")
            if isinstance(url, str) and url and url not in self._found:
                self._found.add(url)
                results.append(_result(url, hit))
        return [WebSearchResults(tuple(results))] if results else []


def spelled_out(error: Json) -> Json:
    """Return an error with what OpenRouter's upstream said about it, which it keeps apart."""
    metadata = error.get("metadata") if isinstance(error, dict) else None
    if not isinstance(metadata, dict) or not (raw := metadata.get("raw")):
        return error
    said = (message_of(parsed(raw)) if isinstance(raw, str) else "") or raw
    whose = metadata.get("provider_name") or "upstream"
    return {**error, "message": f"{message_of(error)} ({whose}: {said})"}


def _amounts(usage: Json) -> Json:
    """Return the fields of Usage that a report names; Chat and Responses differ in the words."""
    read = _inner(usage, "prompt_tokens_details") or _inner(usage, "input_tokens_details")
    written = _inner(usage, "completion_tokens_details") or _inner(usage, "output_tokens_details")
    cost = usage.get("cost")
    if isinstance(cost, dict):  # Perplexity's bill is itemised.
        cost = cost.get("total_cost")
    counts = {
        "input_tokens": usage.get("prompt_tokens", usage.get("input_tokens")),
        "output_tokens": usage.get("completion_tokens", usage.get("output_tokens")),
        "cached_input_tokens": read.get("cached_tokens"),
        "cache_write_tokens": read.get("cache_write_tokens"),
        "thinking_tokens": written.get("reasoning_tokens"),
        "searches": _inner(usage, "server_tool_use_details").get("web_search_requests"),
    }
    told: Json = {name: count for name, count in counts.items() if type(count) is int}
    if type(cost) in (int, float):
        told["cost_usd"] = float(cost)
    return told


def _inner(usage: Json, name: str) -> Json:
    inner = usage.get(name)
    return inner if isinstance(inner, dict) else {}


def _result(url: str, hit: Json) -> SearchResult:
    texts = {
        name: value if isinstance(value := hit.get(name), str) else ""
        for name in ("title", "snippet", "date")
    }
    return SearchResult(
        url=url,
        title=texts["title"] or domain_of(url),
        snippet=texts["snippet"],
        published=texts["date"],
    )
