"""Long cited answers in each provider's own form, and a server that sends their ready bytes.

    python -m bench.model_streams

The answers are put into form by the sandbox, so they have the framing, the order and the padding
of the real ones: a search, its results, a claim with its source in every third sentence, usage.
They are composed like recorded ones. Citations per event here and in the recorded searches:
Anthropic 0.05 and 0.06, Responses 0.02 and 0.03, Gemini 0.47 and 0.71, whose events are longest
(one in 180 characters; of the eight recorded answers above 500 characters the median has one in
159, all together one in 265). Chat has 0.01; no recorded stream of OpenAI's own has any.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain, count, cycle, islice
from selectors import SelectSelector

from groundwire.sandbox.answers import SENTENCE, AnswerPlan, Search, Segment
from groundwire.sandbox.anthropic import Anthropic
from groundwire.sandbox.gemini import Gemini
from groundwire.sandbox.openai_chat import OpenAIChat
from groundwire.sandbox.openai_responses import OpenAIResponses
from groundwire.sandbox.openai_service import linked_answer
from groundwire.sandbox.pages import PAGES
from groundwire.sandbox.web import Hit
from groundwire.sandbox.wire import Call, Dialect

PACE_SECONDS = 0.02
# Streams that run at the same time send at different moments, so that a reader wakes up for every
# event. Sent at once, it would be chance how many of them it finds when it wakes.
PHASES = 20
EVENTS = {"fast": 2000, "paced": 200, "stepped": 400, "brief": 30}
# Gemini writes some twenty tokens in an event, so that these are a long answer too.
GEMINI_SHARE = 0.5
SAMPLE_CLAIMS = 50
DIALECTS: dict[str, Dialect] = {
    "anthropic": Anthropic(),
    "openai-responses": OpenAIResponses(),
    "openai": OpenAIChat(),
    "gemini": Gemini(),
}
SEARCH_TOOLS = {
    "anthropic": [{"type": "web_search_20250305", "name": "web_search", "max_uses": 5}],
    "openai-responses": [{"type": "web_search"}],
    "gemini": [{"googleSearch": {}}],
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Stream:
    """One answer: its events as bytes, and what whoever reads them should end with."""

    events: tuple[bytes, ...]
    content_type: str
    text: str
    citations: int


@cache
def stream(provider: str, mode: str) -> Stream:
    """Return the answer of a provider that has about as many events as the mode asks for."""
    sample = len(_compose(provider, SAMPLE_CLAIMS).events)
    frame = len(_compose(provider, 0).events)
    per_claim = (sample - frame) / SAMPLE_CLAIMS
    wanted = EVENTS[mode] * (GEMINI_SHARE if provider == "gemini" and mode == "fast" else 1)
    return _compose(provider, max(1, round((wanted - frame) / per_claim)))


def _compose(provider: str, claims: int) -> Stream:
    return composed(provider, _plan(claims))


def composed(provider: str, plan: AnswerPlan) -> Stream:
    """Return a plan as a provider sends it."""
    dialect = DIALECTS[provider]
    body = {
        "model": "m",
        "messages": [{"role": "user", "content": "What do the pages say?"}],
        "stream": True,
        "stream_options": {"include_usage": True},
        "tools": SEARCH_TOOLS.get(provider, []),
        "include": ["web_search_call.action.sources"],
    }
    call = Call(action="stream", number=1, body=body, query={"alt": "sse"}, model="m")
    framing = dialect.framing(call)
    text = linked_answer(plan)[0] if provider.startswith("openai") else plan.text
    return Stream(
        events=tuple(framing.encode(dialect.frames(plan, call))),
        content_type=framing.content_type,
        text=text,
        citations=sum(segment.page is not None for segment in plan.segments),
    )


def _plan(claims: int) -> AnswerPlan:
    hits = tuple(Hit(page=page, passages=page.passages) for page in PAGES[:5])
    search = Search(query="what the pages say", hits=hits)
    return AnswerPlan(searches=(search,), segments=tuple(islice(_segments(), 2 * claims)))


def _segments() -> Iterator[Segment]:
    """Yield two sentences of our own, then one that rests on a page, for ever."""
    said = cycle((page, quote) for page in PAGES for quote in SENTENCE.findall(page.text))
    while True:
        (_, first), (_, second), (page, quote) = islice(said, 3)
        yield Segment(text=f"\n\n{first.strip()} {second.strip()} ")
        yield Segment(text=quote.strip(), page=page, quote=quote)


class Pieces:
    """A stream as the server sends it: each event in an HTTP chunk of its own."""

    def __init__(self, source: Stream) -> None:
        kind = source.content_type.encode()
        self.head = (
            b"HTTP/1.1 200 OK\r\nContent-Type: %b\r\nTransfer-Encoding: chunked\r\n\r\n" % kind
        )
        self.chunks = [b"%x\r\n%b\r\n" % (len(event), event) for event in source.events]
        self.end = b"0\r\n\r\n"
        self.whole = b"".join(chain([self.head], self.chunks, [self.end]))
        self.facts = {
            "events": len(source.events),
            "sha256": hashlib.sha256(source.text.encode()).hexdigest(),
            "citations": source.citations,
        }


_numbers = count()


async def _send_paced(writer: asyncio.StreamWriter, pieces: Pieces) -> None:
    """Send an event at every beat of the clock, in a phase that the streams take in turns."""
    clock = asyncio.get_running_loop().time
    phase = next(_numbers) % PHASES / PHASES
    first_beat = clock() // PACE_SECONDS + 1 + phase
    writer.write(pieces.head)
    for number, chunk in enumerate(pieces.chunks):
        await asyncio.sleep((first_beat + number) * PACE_SECONDS - clock())
        writer.write(chunk)
    writer.write(pieces.end)


async def _handle(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Answer `POST /MODE/PROVIDER/…` with that stream, whatever is asked."""
    try:
        while True:
            head = (await reader.readuntil(b"\r\n\r\n")).lower()
            size = head.partition(b"content-length:")[2].partition(b"\r\n")[0]
            await reader.readexactly(int(size or 0))
            _, mode, provider, _ = head.split(b" ")[1].decode().split("/", 3)
            pieces = _pieces(provider, mode)
            if mode == "fast":
                writer.write(pieces.whole)
            else:
                await _send_paced(writer, pieces)
            await writer.drain()
    except (asyncio.IncompleteReadError, ConnectionError):
        writer.close()


@cache
def _pieces(provider: str, mode: str) -> Pieces:
    return Pieces(stream(provider, mode))


async def serve() -> None:
    """Send streams for ever; the first line of output tells the port and what the streams hold."""
    facts = {
        provider: {mode: _pieces(provider, mode).facts for mode in EVENTS} for provider in DIALECTS
    }
    server = await asyncio.start_server(_handle, "127.0.0.1", 0, backlog=1000)
    port = server.sockets[0].getsockname()[1]
    print(json.dumps({"port": port, "streams": facts}), flush=True)
    await server.serve_forever()


def _precise_loop() -> asyncio.AbstractEventLoop:
    """Return a loop that keeps time: the usual one rounds every wait up to a millisecond."""
    return asyncio.SelectorEventLoop(SelectSelector())


if __name__ == "__main__":
    with asyncio.Runner(loop_factory=_precise_loop) as runner:
        runner.run(serve())
