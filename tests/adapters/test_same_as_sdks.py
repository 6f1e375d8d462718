"""The official SDKs, streaming, and the adapter see the same in the same request."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import pytest

from groundwire.events import Done, StreamEvent
from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from tests.adapters.questions import (
    ASKED,
    CALLED,
    WAY,
    WEATHER,
    Service,
    Way,
    citations_in,
    named_calls,
    queries_in,
    text_in,
    usage_in,
)

PAUSED = "Pause, then tell me about tides"


@dataclass(frozen=True, slots=True, kw_only=True)
class Seen:
    """What somebody made of a reply; a citation is a URL and the stretch of text it stands at."""

    text: str
    calls: list[tuple[str, Json]]
    citations: list[tuple[str, str]]
    queries: list[str | None]
    tokens: tuple[int | None, int | None]
    searches: int | None
    stop: str


def _seen_by_us(events: list[StreamEvent]) -> Seen:
    text, usage = text_in(events), usage_in(events)
    assert usage is not None
    (stop,) = [event.stop_reason for event in events if isinstance(event, Done)]
    return Seen(
        text=text,
        calls=named_calls(events),
        citations=[(c.url, text[c.start : c.end]) for c in citations_in(events)],
        queries=queries_in(events),
        tokens=(usage.input_tokens, usage.output_tokens),
        searches=usage.searches,
        stop=stop,
    )


def _sdk(name: str) -> Any:
    return pytest.importorskip(name, reason=f"needs the {name} SDK (test extra)")


def _last_body(sandbox: SandboxServer) -> Json:
    """Return what we have sent last; the SDK sends the same."""
    return dict(sandbox.requests[-1].body)


@pytest.fixture
def anthropic(sandbox: SandboxServer) -> Iterator[Any]:
    base_url = f"{sandbox.root}/anthropic"
    with _sdk("anthropic").Anthropic(api_key="k-1", base_url=base_url, max_retries=0) as client:
        yield client


@pytest.fixture
def openai(sandbox: SandboxServer) -> Iterator[Any]:
    base_url = sandbox.base_url("openai")
    with _sdk("openai").OpenAI(api_key="k-1", base_url=base_url, max_retries=0) as client:
        yield client


@pytest.fixture
def gemini(sandbox: SandboxServer) -> Iterator[Any]:
    options = {"base_url": f"{sandbox.root}/gemini", "api_version": "v1beta"}
    client = _sdk("google.genai").Client(api_key="k-1", http_options=options)
    yield client
    client.close()


def _claude_message(client: Any, body: Json) -> Any:
    with client.messages.stream(**{k: v for k, v in body.items() if k != "stream"}) as stream:
        return stream.get_final_message()


def _seen_in_message(message: Any) -> Seen:
    texts = [block for block in message.content if block.type == "text"]
    own = [block for block in message.content if block.type == "server_tool_use"]
    billed = message.usage.server_tool_use
    return Seen(
        text="".join(block.text for block in texts),
        calls=[(b.name, b.input) for b in message.content if b.type == "tool_use"],
        citations=[(c.url, block.text) for block in texts for c in block.citations or ()],
        queries=[block.input["query"] for block in own],
        tokens=(message.usage.input_tokens, message.usage.output_tokens),
        searches=billed and billed.web_search_requests,
        stop=message.stop_reason,
    )


ASKS: list[Json] = [
    {"messages": ("Hello, is anybody there?",)},
    {"messages": (CALLED,), "tools": (WEATHER,)},
]
SEARCHES: Json = {"messages": (ASKED,), "web_search": True}
UMLAUTS: Json = {"messages": ("Umlaute, 新幹線 and emoji",), "web_search": True}
each_ask = pytest.mark.parametrize(
    "fields", [*ASKS, SEARCHES, UMLAUTS], ids=["plain", "calls", "search", "scripts"]
)


async def _ask(service: Service, way: Way, fields: Json) -> Seen:
    rest = {name: value for name, value in fields.items() if name != "messages"}
    return _seen_by_us(await service.ask(way, *fields["messages"], **rest))


@each_ask
async def test_anthropics_sdk_sees_the_same(service: Service, anthropic: Any, fields: Json) -> None:
    ours = await _ask(service, WAY["anthropic"], fields)

    message = await asyncio.to_thread(_claude_message, anthropic, _last_body(service.sandbox))

    assert ours == _seen_in_message(message)


async def test_both_halves_of_a_paused_answer_add_up_to_ours(
    service: Service, anthropic: Any
) -> None:
    ours = await _ask(service, WAY["anthropic"], {"messages": (PAUSED,), "web_search": True})
    first_body, second_body = (dict(entry.body) for entry in service.sandbox.requests)

    first = _seen_in_message(await asyncio.to_thread(_claude_message, anthropic, first_body))
    second = _seen_in_message(await asyncio.to_thread(_claude_message, anthropic, second_body))

    halves = (first.tokens, second.tokens)
    assert (first.stop, second.stop) == ("pause_turn", "end_turn")
    assert ours.text == first.text + second.text
    assert ours.citations == second.citations
    assert ours.queries == first.queries
    assert ours.tokens == tuple(sum(n or 0 for n in pair) for pair in zip(*halves, strict=True))
    assert ours.searches == (first.searches or 0) + (second.searches or 0)


def _seen_in_chunks(chunks: list[Any]) -> Seen:
    choices = [choice for chunk in chunks for choice in chunk.choices]
    text = "".join(choice.delta.content or "" for choice in choices)
    pieces = [piece for choice in choices for piece in choice.delta.tool_calls or ()]
    names = {p.index: p.function.name for p in pieces if p.function.name}
    arguments = {
        index: "".join(p.function.arguments or "" for p in pieces if p.index == index)
        for index in names
    }
    notes = [n for c in choices for n in getattr(c.delta, "annotations", None) or ()]
    inner = [note["url_citation"] for note in notes]
    usage = next(chunk.usage for chunk in chunks if chunk.usage)
    billed = getattr(usage, "server_tool_use_details", None) or {}
    return Seen(
        text=text,
        calls=[(name, json.loads(arguments[index])) for index, name in names.items()],
        # Zero and zero stand for no place, which is the whole text to us.
        citations=[(n["url"], text[n["start_index"] : n["end_index"] or None]) for n in inner],
        queries=[],
        tokens=(usage.prompt_tokens, usage.completion_tokens),
        searches=billed.get("web_search_requests"),
        stop=next(c.finish_reason for c in choices if c.finish_reason),
    )


@each_ask
@pytest.mark.parametrize("name", ["openai", "openrouter", "openrouter-server"])
async def test_openais_sdk_sees_the_same_in_chat_completions(
    service: Service, openai: Any, name: str, fields: Json
) -> None:
    ours = await _ask(service, WAY[name], fields)
    body = _last_body(service.sandbox)
    extra = {key: body.pop(key) for key in ("plugins",) if key in body}
    client = openai.with_options(base_url=service.sandbox.base_url(WAY[name].provider))

    chunks = await asyncio.to_thread(
        lambda: list(client.chat.completions.create(**body, extra_body=extra))
    )

    assert ours == _seen_in_chunks(chunks)


def _seen_in_response(response: Any) -> Seen:
    text = response.output_text
    messages = [item for item in response.output if item.type == "message"]
    notes = [n for item in messages for part in item.content for n in part.annotations]
    searched = [item for item in response.output if item.type == "web_search_call"]
    calls = [item for item in response.output if item.type == "function_call"]
    return Seen(
        text=text,
        calls=[(item.name, json.loads(item.arguments)) for item in calls],
        citations=[(n.url, text[n.start_index : n.end_index]) for n in notes],
        queries=[item.action.query for item in searched],
        tokens=(response.usage.input_tokens, response.usage.output_tokens),
        searches=len(searched),
        stop=response.status,
    )


@each_ask
@pytest.mark.parametrize(
    "name",
    ["openai-responses", "openrouter-responses", "openrouter-responses-server", "codex"],
)
async def test_openais_sdk_sees_the_same_in_responses(
    service: Service, openai: Any, name: str, fields: Json
) -> None:
    ours = await _ask(service, WAY[name], fields)
    body = _last_body(service.sandbox)
    extra = {key: body.pop(key) for key in ("plugins",) if key in body}
    client = openai.with_options(base_url=service.sandbox.base_url(WAY[name].provider))

    events = await asyncio.to_thread(
        lambda: list(client.responses.create(**body, extra_body=extra))
    )

    deltas = [event.delta for event in events if event.type == "response.output_text.delta"]
    assert ours == _seen_in_response(events[-1].response)
    assert ours.text == "".join(deltas)


def _seen_in_contents(chunks: list[Any]) -> Seen:
    candidates = [chunk.candidates[0] for chunk in chunks if chunk.candidates]
    parts = [part for c in candidates for part in (c.content and c.content.parts) or ()]
    text = "".join(part.text or "" for part in parts if not part.thought)
    calls = [part.function_call for part in parts if part.function_call]
    # It grows from chunk to chunk, and the last has it all.
    grounding: Any = candidates[-1].grounding_metadata
    supports = (grounding and grounding.grounding_supports) or []
    queries = list((grounding and grounding.web_search_queries) or [])
    usage = chunks[-1].usage_metadata
    return Seen(
        text=text,
        calls=[(call.name, call.args) for call in calls],
        citations=[
            (grounding.grounding_chunks[index].web.uri, support.segment.text)
            for support in supports
            for index in support.grounding_chunk_indices
        ],
        queries=queries,
        tokens=(usage.prompt_token_count, usage.candidates_token_count),
        searches=len(queries) or None,
        stop=candidates[-1].finish_reason.value,
    )


@each_ask
async def test_googles_sdk_sees_the_same(service: Service, gemini: Any, fields: Json) -> None:
    way = WAY["gemini"]
    ours = await _ask(service, way, fields)
    body = _last_body(service.sandbox)

    chunks = await asyncio.to_thread(
        lambda: list(
            gemini.models.generate_content_stream(
                model=way.model,
                contents=body["contents"],
                config={
                    "tools": body.get("tools"),
                    "automatic_function_calling": {"disable": True},
                },
            )
        )
    )

    # The SDK's own fields make its request longer than ours.
    theirs = _seen_in_contents(chunks)
    assert ours.tokens[1] == theirs.tokens[1]
    assert replace(ours, tokens=theirs.tokens) == theirs
