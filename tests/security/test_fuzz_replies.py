"""Replies of model providers, distorted: every event has the types it declares, nothing escapes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import fields, is_dataclass
from functools import cache
from pathlib import Path
from random import Random
from types import NoneType, UnionType
from typing import Any, Union, get_args, get_origin, get_type_hints

import pytest

from groundwire import citations, registry
from groundwire.events import Citations, Done, Error, StreamEvent, TextDelta, Warned
from groundwire.model import Json
from groundwire.wire.contract import Answers, Decoder, HttpReply
from groundwire.wire.http import understand
from groundwire.wire.sse import SseParser
from tests.security.fuzzing import (
    PLANTED,
    chances,
    damaged,
    distorted,
    fuzz,
    one_of,
    our_errors_only,
    recordings,
    shows_the_key,
    values,
    written,
)

FOLDERS = {
    "anthropic": ("anthropic",),
    "codex": ("codex",),
    "gemini": ("gemini", "gemini_interactions"),
    "openai": ("openai_chat", "perplexity"),
    "openai-responses": ("openai_responses", "other"),
    "openrouter": ("openrouter",),
}
OWN_REPLIES = Path(__file__).parents[1] / "providers" / "replies"
every_provider = pytest.mark.parametrize("name", FOLDERS)


@cache
def streams(name: str) -> list[list[str]]:
    """Return the data of recorded streams; our own replies where there are no recordings."""
    found = [*recordings(*FOLDERS[name], ending=".sse"), *OWN_REPLIES.glob(f"{name}-*.sse")]
    return [SseParser().feed_data(path.read_bytes()) for path in found]


@cache
def bodies(name: str) -> list[Json]:
    """Return recorded whole replies."""
    found = recordings(*FOLDERS[name], ending=".json")
    return [json.loads(path.read_bytes()) for path in found] or [{"error": {"message": "no"}}]


def provider_of(name: str) -> Answers:
    provider = registry.get(name)
    assert isinstance(provider, Answers)
    return provider


def distorted_stream(events: Sequence[str], chance: Random) -> list[str]:
    """Return a stream in which some events are distorted, lost, doubled or out of order."""
    told = list(events)
    for _ in range(chance.choice((1, 2, 5))):
        at = chance.randrange(len(told)) if told else 0
        match chance.randrange(6):
            case 0:
                del told[at : at + chance.choice((1, 1, 5))]
            case 1:
                told.insert(at, one_of(events, chance))
            case 2 if told:
                told[at] = damaged(told[at].encode(), chance).decode("utf-8", "replace")
            case _ if told and told[at].startswith("{"):
                value = distorted(_parsed(told[at]), chance)
                told[at] = written(value, chance).decode("utf-8", "replace")
    return told


def _parsed(text: str) -> Json:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return {}


def told_by(decoder: Decoder, stream: Sequence[str]) -> list[StreamEvent]:
    events = [event for text in stream for event in decoder.feed_data(text)]
    return [*events, *decoder.finish()]


def check(events: Sequence[StreamEvent], decoder: Decoder) -> None:
    """Check what every reply must keep, however broken."""
    assert [wrong for event in events for wrong in wrong_types(event)] == []
    said = [event.message for event in events if isinstance(event, Error | Warned)]
    assert [message for message in said if shows_the_key(message)] == []
    text = "".join(event.text for event in events if isinstance(event, TextDelta))
    cited = [each for event in events if isinstance(event, Citations) for each in event.citations]
    marked = citations.place(text, cited)
    assert marked.unmark() == text
    for source in marked.sources:
        assert all(0 <= start <= end <= len(marked.text) for start, end in source.spans)
    if decoder.continuation is None:
        assert any(isinstance(event, Error | Done) for event in events)


def wrong_types(event: Any) -> Iterator[str]:
    """Yield the fields of an event, and of what is in it, that do not hold what they declare."""
    hints = get_type_hints(type(event))
    for field in fields(event):
        value = getattr(event, field.name)
        if not _fits(value, hints[field.name]):
            yield f"{type(event).__name__}.{field.name}: {type(value).__name__} {value!r:.80}"
        for inner in value if isinstance(value, tuple) else ():
            yield from wrong_types(inner) if is_dataclass(inner) else ()


def _fits(value: Any, declared: Any) -> bool:
    if declared is Any:
        return True
    if get_origin(declared) in (UnionType, Union):
        return any(_fits(value, each) for each in get_args(declared))
    if get_origin(declared) is tuple:
        return isinstance(value, tuple) and all(_fits(v, get_args(declared)[0]) for v in value)
    if declared is float:
        return type(value) in (int, float)
    return (
        type(value) is declared
        if declared in (int, bool, NoneType)
        else isinstance(value, declared)
    )


@every_provider
@fuzz(40, chance=chances)
def test_a_distorted_stream_is_read_to_its_end(name: str, chance: Random) -> None:
    decoder = provider_of(name).answer_decoder()
    stream = distorted_stream(one_of(streams(name), chance), chance)

    check(told_by(decoder, stream), decoder)


@every_provider
@fuzz(40, chance=chances)
def test_a_distorted_body_is_read_or_told_of(name: str, chance: Random) -> None:
    decoder = provider_of(name).answer_decoder()
    body = distorted(one_of(bodies(name), chance), chance)

    check([*decoder.feed_body(body), *decoder.finish()], decoder)


@every_provider
@fuzz(15, body=values)
def test_any_json_is_a_body_or_told_of(name: str, body: Json) -> None:
    decoder = provider_of(name).answer_decoder()

    check([*decoder.feed_data(json.dumps(body)), *decoder.finish()], decoder)
    whole = provider_of(name).answer_decoder()
    check([*whole.feed_body(body), *whole.finish()], whole)


@every_provider
@fuzz(30, chance=chances)
def test_a_failed_reply_and_a_list_of_models_are_ours_or_an_error_of_ours(
    name: str, chance: Random
) -> None:
    provider = registry.get(name)
    models = {"data": [{"id": "m", "name": "M", "created": 1}], "models": [{"name": "models/m"}]}
    error = {"error": {"message": PLANTED, "code": 400, "details": [{"retryDelay": "3s"}]}}
    body = written(distorted(one_of([models, error, *bodies(name)], chance), chance), chance)
    reply = HttpReply(status=chance.choice((200, 400, 401, 404, 429, 500)), body=body, service=name)

    with our_errors_only():
        assert not shows_the_key(str(understand(provider.error_from, reply)))
        listed = understand(provider_of(name).models, reply)
        assert [wrong for model in listed for wrong in wrong_types(model)] == []
