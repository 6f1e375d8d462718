"""Ways to ask the sandbox through the adapter, and how to read what came."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from groundwire import registry
from groundwire.client import Client
from groundwire.client.adapters import ModelApiAdapter
from groundwire.events import (
    Citations,
    Error,
    RawBlocks,
    StreamEvent,
    TextDelta,
    ThinkingDelta,
    ToolCallDelta,
    ToolCallEnd,
    ToolCallStart,
    Warned,
    WebSearchResults,
    WebSearchStart,
)
from groundwire.model import (
    AssistantMessage,
    Citation,
    Json,
    Message,
    SearchResult,
    Secret,
    ToolCall,
    ToolDefinition,
    Usage,
    UserMessage,
)
from groundwire.sandbox import SandboxServer
from groundwire.wire.contract import Access, Endpoint, Question

CANARY = "canary_Xq7v-2Lw9.Zr4"  # No shape of a key that anyone knows, so nothing hides it by luck.
ASKED = "How dense is the fur of sea otters?"
CALLED = "Use get_weather for Zürich and Paris, both for 9 days"
WEATHER = ToolDefinition(
    name="get_weather",
    description="Tells the weather.",
    parameters={
        "type": "object",
        "properties": {"city": {"type": "string"}, "days": {"type": "integer", "maximum": 7}},
        "required": ["city", "days"],
    },
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Way:
    """A provider, the models to ask it for, and the settings that choose one of its surfaces."""

    name: str
    provider: str
    model: str
    search_model: str = ""
    options: Mapping[str, Json] = field(default_factory=dict)
    thinking: Mapping[str, Json] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.name


_ROUTED = "openai/gpt-5.5"
_AUTO = {"reasoning": {"effort": "low", "summary": "auto"}}
WAYS = (
    Way(
        name="anthropic",
        provider="anthropic",
        model="claude-sonnet-5-5",
        thinking={"thinking": "on", "thinking_display": "summarized"},
    ),
    Way(name="openai", provider="openai", model="gpt-4o", search_model="gpt-5-search-api"),
    Way(name="openai-responses", provider="openai-responses", model="gpt-5.5", thinking=_AUTO),
    Way(name="gemini", provider="gemini", model="gemini-3.8-flash", thinking={"thinking": {}}),
    Way(
        name="gemini-interactions",
        provider="gemini",
        model="gemini-3.8-flash",
        options={"surface": "interactions"},
        thinking={"thinking": {}},
    ),
    Way(name="openrouter", provider="openrouter", model=_ROUTED, thinking=_AUTO),
    Way(
        name="openrouter-server",
        provider="openrouter",
        model=_ROUTED,
        options={"web_tool": "server"},
        thinking=_AUTO,
    ),
    Way(
        name="openrouter-responses",
        provider="openrouter",
        model=_ROUTED,
        options={"surface": "responses"},
        thinking=_AUTO,
    ),
    Way(
        name="openrouter-responses-server",
        provider="openrouter",
        model=_ROUTED,
        options={"surface": "responses", "web_tool": "server"},
        thinking=_AUTO,
    ),
    Way(name="codex", provider="codex", model="gpt-5.5", thinking=_AUTO),
)
WAY = {way.name: way for way in WAYS}


@dataclass(frozen=True, slots=True, kw_only=True)
class Service:
    """The sandbox with a client that is ours and notes its pauses instead of making them."""

    sandbox: SandboxServer
    client: Client
    pauses: list[float]

    def adapter(
        self, way: Way, *, fault: str = "", key: str = CANARY, **options: Json
    ) -> ModelApiAdapter:
        """Return an adapter whose calls all get this fault."""
        access = Access(
            base_url=self.sandbox.base_url(way.provider, fault=fault),
            key=Secret(key),
            options={**way.options, **options},
        )
        provider = registry.get(way.provider)
        endpoint = Endpoint(name=way.provider, provider=provider, access=access)
        return ModelApiAdapter(endpoint, self.client)

    async def ask(
        self, way: Way, *messages: Message | str, fault: str = "", **fields: Json
    ) -> list[StreamEvent]:
        """Return all events of one answer; all fields but `options` are the question's."""
        options = fields.pop("options", {})
        adapter = self.adapter(way, fault=fault, **options)
        return [event async for event in adapter.answer(question(way, *messages, **fields))]


def question(way: Way, *messages: Message | str, **fields: Json) -> Question:
    """Return a question to the model that can do what is asked."""
    said = tuple(UserMessage(content=m) if isinstance(m, str) else m for m in messages)
    searches = fields.get("web_search") and way.search_model
    model = fields.pop("model", way.search_model if searches else way.model)
    return Question(model=model, messages=said, **fields)


def text_in(events: Iterable[StreamEvent]) -> str:
    """Return the answer."""
    return "".join(event.text for event in events if isinstance(event, TextDelta))


def thoughts_in(events: Iterable[StreamEvent]) -> str:
    """Return the reasoning."""
    return "".join(event.text for event in events if isinstance(event, ThinkingDelta))


def citations_in(events: Iterable[StreamEvent]) -> list[Citation]:
    """Return all citations in the order they came."""
    told = [event.citations for event in events if isinstance(event, Citations)]
    return [citation for citations in told for citation in citations]


def found_in(events: Iterable[StreamEvent]) -> list[SearchResult]:
    """Return all that the provider's search found."""
    told = [event.results for event in events if isinstance(event, WebSearchResults)]
    return [result for results in told for result in results]


def queries_in(events: Iterable[StreamEvent]) -> list[str | None]:
    """Return what the provider searched for."""
    return [event.query for event in events if isinstance(event, WebSearchStart)]


def usage_in(events: Iterable[StreamEvent]) -> Usage | None:
    """Return the last report of usage."""
    reports = [event for event in events if isinstance(event, Usage)]
    return reports[-1] if reports else None


def errors_in(events: Iterable[StreamEvent]) -> list[str]:
    """Return the codes of all errors."""
    return [event.code for event in events if isinstance(event, Error)]


def warnings_in(events: Iterable[StreamEvent]) -> list[str]:
    """Return the codes of all warnings."""
    return [event.code for event in events if isinstance(event, Warned)]


def calls_in(events: Sequence[StreamEvent]) -> list[ToolCall]:
    """Return the calls whose arguments are complete."""
    names = {e.tool_call_id: e.tool_name for e in events if isinstance(e, ToolCallStart)}
    pieces = [event for event in events if isinstance(event, ToolCallDelta)]
    ended = [event.tool_call_id for event in events if isinstance(event, ToolCallEnd)]
    return [
        ToolCall(
            id=call_id,
            name=names[call_id],
            arguments="".join(p.arguments_delta for p in pieces if p.tool_call_id == call_id),
        )
        for call_id in ended
    ]


def named_calls(events: Sequence[StreamEvent]) -> list[tuple[str, Json]]:
    """Return names and parsed arguments of the calls."""
    return [(call.name, json.loads(call.arguments or "{}")) for call in calls_in(events)]


def turn_of(way: Way, events: Sequence[StreamEvent]) -> AssistantMessage:
    """Return an answer as the next turn sends it back, with the provider's own blocks."""
    blocks = [event.blocks for event in events if isinstance(event, RawBlocks)]
    return AssistantMessage(
        content=text_in(events),
        tool_calls=tuple(calls_in(events)),
        raw_blocks=blocks[-1] if blocks else None,
        raw_provider=way.provider if blocks else "",
    )
