"""`groundwire events`: replay saved replies and print what they say."""

from __future__ import annotations

from dataclasses import asdict
from typing import IO, TYPE_CHECKING

import click

from groundwire.cli.output import print_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from groundwire.events import StreamEvent
    from groundwire.wire.contract import Answers
    from groundwire.wire.sse import SseEvent, SseParser

    Replay = Callable[[bytes, int, str], Iterator[dict[str, object]]]


@click.command()
@click.argument("reader", metavar="sse|PROVIDER")
@click.argument("files", nargs=-1, required=True, type=click.File("rb"), metavar="FILE…")
@click.option(
    "--chunk",
    "chunk_size",
    type=click.IntRange(min=1),
    help="Hand the bytes on in pieces of this size; by default whole.",
)
def events(reader: str, files: tuple[IO[bytes], ...], chunk_size: int | None) -> None:
    """Print what saved replies say.

    Prints a JSON line for each event.

    With "sse", FILE is any event stream, and a line has file, type and data. With the name of a
    provider that answers, FILE is one of its replies, a stream or a JSON body, and a line has
    file, type and what that type of event carries.

    What a body ends in the middle of is not an event: it is told on standard error.
    """
    replay = _sse_events if reader == "sse" else _provider_events(reader)
    for file in files:
        body = file.read()
        for event in replay(body, chunk_size or max(len(body), 1), file.name):
            print_json({"file": file.name, **event})


def _sse_events(body: bytes, size: int, name: str) -> Iterator[dict[str, object]]:
    from groundwire.wire.sse import SseParser

    parser = SseParser()
    for event in _parsed(parser, body, size):
        yield {"type": event.type, "data": event.data, "last_event_id": event.last_event_id}
    _tell_incomplete(parser, name)


def _provider_events(provider_name: str) -> Replay:
    from groundwire import registry
    from groundwire.errors import UnsupportedError
    from groundwire.wire.contract import Answers

    provider = registry.get(provider_name)
    if not isinstance(provider, Answers):
        raise UnsupportedError(provider_name, "answer")

    def replay(body: bytes, size: int, name: str) -> Iterator[dict[str, object]]:
        for event in _stream_events(provider, body, size, name):
            yield {"type": type(event).__name__, **asdict(event)}

    return replay


def _stream_events(provider: Answers, body: bytes, size: int, name: str) -> Iterator[StreamEvent]:
    from groundwire.events import Done
    from groundwire.wire.contract import HttpReply
    from groundwire.wire.sse import SseParser

    decoder = provider.answer_decoder()
    if body.lstrip()[:1] in (b"{", b"["):
        reply = HttpReply(status=200, body=body, service=name)
        yield from decoder.feed_body(reply.json())
    else:
        parser = SseParser()
        for event in _parsed(parser, body, size):
            yield from decoder.feed_data(event.data)
        _tell_incomplete(parser, name)
    yield from decoder.finish()
    if decoder.continuation is not None:
        yield Done("pause_turn")  # Live, the answer would go on with the next reply.


def _parsed(parser: SseParser, body: bytes, size: int) -> Iterator[SseEvent]:
    for start in range(0, len(body), size):
        yield from parser.feed(body[start : start + size])


def _tell_incomplete(parser: SseParser, name: str) -> None:
    if left := parser.close():
        click.echo(f"{name}: ends in the middle of an event: {left.data[:80]!r}", err=True)
