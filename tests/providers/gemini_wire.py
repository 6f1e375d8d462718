"""Questions to Gemini and replies of it in their real shape, to be put together in tests."""

import json
from pathlib import Path

from groundwire.events import StreamEvent
from groundwire.model import Json, Message, Secret, ToolDefinition, UserMessage
from groundwire.providers.gemini import Gemini, provider
from groundwire.wire.contract import Access, Question
from groundwire.wire.sse import SseEvent, SseParser

REPLIES = Path(__file__).parent / "replies"
HOST = "https://generativelanguage.googleapis.com"
REDIRECT = "https://vertexaisearch.cloud.google.com/grounding-api-redirect/"
LOOK = ToolDefinition(
    name="look",
    description="Look.",
    parameters={
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "type": "object",
        "properties": {"at": {"type": "string"}},
        "additionalProperties": False,
    },
)


def access(**options: Json) -> Access:
    """Return the way in, with options."""
    return Access(base_url=HOST, key=Secret("AIza-secret"), options=options)


def ask(*messages: Message, model: str = "gemini-2.5-flash", **fields: Json) -> Question:
    """Return a question."""
    return Question(model=model, messages=messages or (UserMessage(content="Hi"),), **fields)


def body_for(question: Question, **options: Json) -> Json:
    """Return the body of the request for a question."""
    return json.loads(provider.answer_request(question, access(**options)).body or b"")


def contents_for(*messages: Message, model: str = "gemini-2.5-flash") -> Json:
    """Return the conversation in a request."""
    return body_for(ask(*messages, model=model))["contents"]


def stream(name: str, chunk_size: int = 7) -> list[StreamEvent]:
    """Return what a saved stream says, however it is cut."""
    body = (REPLIES / name).read_bytes()
    parser, decoder = SseParser(), Gemini(now=lambda: 1700).answer_decoder()
    events: list[StreamEvent] = []
    for start in range(0, len(body), chunk_size):
        for sent in parser.feed(body[start : start + chunk_size]):
            events += decoder.feed(sent)
    return [*events, *decoder.finish()]


def decode(*chunks: Json) -> list[StreamEvent]:
    """Return what chunks of a stream say, and its end."""
    decoder = Gemini(now=lambda: 1700).answer_decoder()
    events = [
        event for chunk in chunks for event in decoder.feed(SseEvent("message", json.dumps(chunk)))
    ]
    return [*events, *decoder.finish()]


def chunk(*parts: Json, **candidate: Json) -> Json:
    """Return one chunk of a stream."""
    return {"candidates": [{"content": {"parts": list(parts), "role": "model"}, **candidate}]}
