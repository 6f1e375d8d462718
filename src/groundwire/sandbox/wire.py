"""What every protocol of the sandbox is made of: calls, refusals, frames and their framing."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from itertools import cycle
from typing import Protocol, runtime_checkable

import orjson

from groundwire.sandbox.answers import AnswerPlan, AskedQuestion
from groundwire.sandbox.json import Json

TOKEN = re.compile(r"\s?\w{1,7}|.", re.DOTALL)
BAD_KEY = "bad-key"
# Fixed, so that two runs send the same bytes.
CREATED = 1_793_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A request as it came in; `number` counts the server's calls and seeds every id.

    `action` is the last part of the path: `messages`, `responses`, `streamGenerateContent` …
    """

    action: str
    number: int
    body: Json = None
    headers: Mapping[str, str] = field(default_factory=dict)
    query: Mapping[str, str] = field(default_factory=dict)
    model: str = ""
    version: str = ""
    extra_models: tuple[str, ...] = ()

    def bearer(self) -> str:
        """Return the key of the Authorization header, "" if there is none."""
        return self.headers.get("authorization", "").removeprefix("Bearer ").strip()

    def id(self, prefix: str, *parts: object, length: int = 24) -> str:
        """Return an id that is the same for the same call and parts."""
        seed = "/".join(map(str, (prefix, self.number, *parts)))
        digest = base64.b64encode(hashlib.sha512(seed.encode()).digest(), b"xy").decode()
        return prefix + digest[:length]


class RefusalError(Exception):
    """A reply that is not 200, in the provider's own shape."""

    def __init__(self, status: int, body: Json, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(f"{status}: {body}")
        self.status = status
        self.body = body
        self.headers = dict(headers or {})


class Trouble(StrEnum):
    """Why a provider does not answer; each has its own words for it."""

    UNAUTHORIZED = "unauthorized"
    FORBIDDEN = "forbidden"
    RATE_LIMIT = "rate_limit"
    QUOTA = "quota"
    CONTEXT_TOO_LONG = "context_too_long"
    SERVER_ERROR = "server_error"
    OVERLOADED = "overloaded"


class Kind(StrEnum):
    """What a frame is for; faults are placed by it."""

    START = "start"
    TEXT = "text"
    CITATION = "citation"
    END = "end"
    OTHER = "other"


@dataclass(frozen=True, slots=True, kw_only=True)
class Frame:
    """One event. `data` is JSON, or text that is sent as it is (`[DONE]`, a comment)."""

    data: Json
    event: str = ""
    kind: Kind = Kind.OTHER
    is_comment: bool = False

    def encode(self, framing: Framing, number: int) -> bytes:
        """Return the frame's bytes; `number` is its place in the stream."""
        payload = self.data if isinstance(self.data, str) else framing.dump(self.data, number)
        end = framing.line_end
        if self.is_comment:
            return f": {payload}{end}{end}".encode()
        event = f"event: {self.event}{end}" if self.event else ""
        return f"{event}data: {payload}{end}{end}".encode()


@dataclass(frozen=True, slots=True, kw_only=True)
class Framing:
    """How a provider writes events.

    `is_padded` is Anthropic's blank space before the last brace, `is_spaced` Google's after a
    colon.
    """

    line_end: str = "\n"
    is_padded: bool = False
    is_spaced: bool = False
    content_type: str = "text/event-stream; charset=utf-8"

    def dump(self, data: Json, number: int) -> str:
        """Return the JSON text of one event."""
        if self.is_spaced:
            return json.dumps(data, ensure_ascii=False, separators=(",", ": "))
        text = orjson.dumps(data).decode()
        padding = " " * (number * 7 % 16) if self.is_padded else ""
        return f"{text[:-1]}{padding}{text[-1]}"

    def encode(self, frames: list[Frame]) -> list[bytes]:
        """Return the bytes of each frame."""
        return [frame.encode(self, number) for number, frame in enumerate(frames)]


class JsonArrayFraming(Framing):
    """Gemini without `alt=sse`: one JSON array that grows by an element per chunk."""

    def encode(self, frames: list[Frame]) -> list[bytes]:
        """Return one piece per element; together they are a JSON array."""
        bodies = [orjson.dumps(frame.data, option=orjson.OPT_INDENT_2) for frame in frames]
        return [
            (b"[" if number == 0 else b",\r\n")
            + body
            + (b"]" if number == len(bodies) - 1 else b"")
            for number, body in enumerate(bodies)
        ]


class Dialect(Protocol):
    """One provider's protocol: checks a call, and turns a plan into a body or into frames."""

    name: str

    def authorize(self, call: Call, /) -> None:
        """Raise a refusal unless the call carries a key."""

    def read(self, call: Call, /) -> AskedQuestion:
        """Check the body as strictly as the service does and return what is asked."""

    def is_streaming(self, call: Call, /) -> bool:
        """Tell whether the reply is a stream."""

    def reply(self, plan: AnswerPlan, call: Call, /) -> Json:
        """Return the body of a reply that is not streamed."""

    def frames(self, plan: AnswerPlan, call: Call, /) -> list[Frame]:
        """Return the events of a streamed reply."""

    def framing(self, call: Call, /) -> Framing:
        """Return how this call's events are written."""

    def models(self, call: Call, /) -> Json:
        """Return the list of models."""

    def headers(self, call: Call, /) -> dict[str, str]:
        """Return the headers that stand beside every reply."""

    def refusal(
        self, trouble: Trouble, call: Call, retry_after: float | None = None, /
    ) -> RefusalError:
        """Return the reply to a call that gets into trouble."""

    def malformed(self, message: str, call: Call, /) -> RefusalError:
        """Return the reply to a body that cannot be read."""

    def failure_frames(self, trouble: Trouble, call: Call, sent: int, /) -> list[Frame]:
        """Return the events that end a stream in trouble after so many others."""

    def unknown_frame(self, padding: str = "") -> Frame:
        """Return an event that no documentation names."""


@runtime_checkable
class CountsTokens(Protocol):
    """A protocol that also says how long a request is, without answering it."""

    def count(self, call: Call, /) -> Json:
        """Check the body as for an answer and return how many tokens it has."""


def pieces(text: str, sizes: tuple[int, ...] = (1,)) -> Iterator[str]:
    """Cut a text into deltas of so many tokens each; the sizes are used in turn."""
    tokens = TOKEN.findall(text)
    position = 0
    for size in cycle(sizes):
        if position >= len(tokens):
            return
        yield "".join(tokens[position : position + size])
        position += size


def token_count(text: str) -> int:
    """Return how many tokens a text has; at least one, as with every real counter."""
    return max(1, len(TOKEN.findall(text)))


# What a model gets to read of a request; how it is to answer costs nothing.
_READ = (
    *("messages", "system", "tools", "contents", "systemInstruction", "system_instruction"),
    *("input", "instructions"),
)


def prompt_tokens(body: Json) -> int:
    """Return how many tokens a request has, roughly: four bytes each."""
    read = {name: value for name, value in body.items() if name in _READ}
    return max(1, len(orjson.dumps(read)) // 4)


def opaque(prefix: bytes, text: str) -> str:
    """Return text in a form that a client can only keep and send back."""
    check = hashlib.sha256(prefix + text.encode()).digest()[:8]
    return base64.b64encode(prefix + check + text.encode()).decode()


def is_intact(prefix: bytes, value: str) -> bool:
    """Tell whether an opaque value is unchanged; one that is not ours is left alone."""
    try:
        raw = base64.b64decode(value, validate=True)
    except ValueError:
        return False
    if not raw.startswith(prefix):
        return True
    check, text = raw[len(prefix) : len(prefix) + 8], raw[len(prefix) + 8 :]
    return hashlib.sha256(prefix + text).digest()[:8] == check


def unknown_key(value: Json, known: frozenset[str]) -> str | None:
    """Return the first key that a service would not know."""
    return (
        next((key for key in value if key not in known), None) if isinstance(value, dict) else None
    )
