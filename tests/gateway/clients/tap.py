"""A wire tap: a relay between a client and the gateway that keeps the bytes of both."""

from __future__ import annotations

import io
import json
import socket
import threading
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPException, HTTPResponse
from typing import Self

from groundwire.model import Json


@dataclass(frozen=True, slots=True, kw_only=True)
class Sent:
    """A citation as the gateway sent it; `start` and `end` where the dialect has them."""

    url: str
    title: str
    quote: str
    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Exchange:
    """One request with the reply to it."""

    method: str
    path: str
    asked: Json
    status: int
    kind: str
    body: bytes = field(repr=False)

    @property
    def events(self) -> list[Json]:
        """Return what a stream carried, or the one body of a reply that is none."""
        if "event-stream" not in self.kind:
            return [json.loads(self.body)]
        lines = [line[6:] for line in self.body.decode().splitlines() if line[:6] == "data: "]
        return [json.loads(line) for line in lines if line != "[DONE]"]

    @property
    def citations(self) -> list[Sent]:
        """Return every citation, in order, each once."""
        return [one for event in self.events for one in _citations(event)]

    @property
    def searches(self) -> int:
        """Return how many searches the reply shows."""
        return sum(_searches(event) for event in self.events)


def _citations(event: Json) -> Iterator[Sent]:
    kind = event.get("type")
    if kind == "content_block_delta" and event["delta"]["type"] == "citations_delta":
        yield _of_messages(event["delta"]["citation"])
    elif kind == "message":
        for block in event["content"]:
            yield from map(_of_messages, block.get("citations") or ())
    elif kind == "response.output_text.annotation.added":
        yield _of_openai(event["annotation"])
    elif event.get("object") == "response":
        for item in event["output"]:
            for part in item.get("content") or ():
                yield from map(_of_openai, part["annotations"])
    for choice in event.get("choices") or ():
        said = choice.get("delta") or choice.get("message") or {}
        for each in said.get("annotations") or ():
            yield _of_openai(each["url_citation"])


def _of_messages(citation: Json) -> Sent:
    return Sent(url=citation["url"], title=citation["title"], quote=citation["cited_text"])


def _of_openai(annotation: Json) -> Sent:
    return Sent(
        url=annotation["url"],
        title=annotation["title"],
        quote=annotation.get("groundwire", {}).get("quote", ""),
        start=annotation["start_index"],
        end=annotation["end_index"],
    )


def _searches(event: Json) -> int:
    if event.get("type") == "content_block_start":
        return int(event["content_block"]["type"] == "web_search_tool_result")
    if event.get("type") == "response.output_item.done":
        return int(event["item"]["type"] == "web_search_call")
    items = event.get("content") if event.get("type") == "message" else None
    items = event.get("output") if event.get("object") == "response" else items
    kinds = [item["type"] for item in items or ()]
    return kinds.count("web_search_tool_result") + kinds.count("web_search_call")


class _Connection:
    def __init__(self) -> None:
        self.asked = bytearray()
        self.replied = bytearray()


class Tap:
    """Listens on a free port and passes on to `target`, a host and a port."""

    def __init__(self, target: tuple[str, int]) -> None:
        self._target = target
        self._connections: list[_Connection] = []
        self._listener = socket.create_server(("127.0.0.1", 0), backlog=100)
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"
        self._thread = threading.Thread(target=self._accept, name="tap", daemon=True)

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()

    @property
    def exchanges(self) -> list[Exchange]:
        """Return all that was asked so far and answered as a whole."""
        return [one for each in [*self._connections] for one in _exchanges(each)]

    def _accept(self) -> None:
        while True:
            try:
                client, _ = self._listener.accept()
            except OSError:
                return
            kept = _Connection()
            self._connections.append(kept)
            relay = threading.Thread(
                target=_relay, args=(client, self._target, kept), name="tap", daemon=True
            )
            relay.start()


def _relay(client: socket.socket, target: tuple[str, int], kept: _Connection) -> None:
    """Pass on both ways until both sides are done."""
    with client, socket.create_connection(target) as server:
        back = threading.Thread(target=_pump, args=(server, client, kept.replied), daemon=True)
        back.start()
        _pump(client, server, kept.asked)
        back.join()


def _pump(source: socket.socket, sink: socket.socket, memory: bytearray) -> None:
    with suppress(OSError):
        while data := source.recv(65_536):
            memory += data
            sink.sendall(data)
    for side in (source, sink):
        with suppress(OSError):
            side.shutdown(socket.SHUT_RDWR)


class _Bytes(io.BytesIO):
    """Bytes as a socket's file that a reply may close without an end of the next one."""

    def makefile(self, *_: object) -> Self:
        return self

    def close(self) -> None:
        pass


def _exchanges(connection: _Connection) -> Iterator[Exchange]:
    replies = _Bytes(bytes(connection.replied))
    for method, path, body in _requests(bytes(connection.asked)):
        reply = HTTPResponse(replies, method=method)  # type: ignore[arg-type] # as a socket is used
        try:
            reply.begin()
            data = reply.read()
        except (HTTPException, OSError):
            return
        yield Exchange(
            method=method,
            path=path.partition("?")[0],
            asked=json.loads(body) if body else None,
            status=reply.status,
            kind=reply.headers.get("content-type", ""),
            body=data,
        )


def _requests(asked: bytes) -> Iterator[tuple[str, str, bytes]]:
    while asked:
        head, _, asked = asked.partition(b"\r\n\r\n")
        first, *lines = head.decode("latin-1").split("\r\n")
        method, path, _ = first.split(" ", 2)
        headers = {name.lower(): value.strip() for name, _, value in _fields(lines)}
        length = int(headers.get("content-length", 0))
        yield method, path, asked[:length]
        asked = asked[length:]


def _fields(lines: list[str]) -> Iterator[tuple[str, str, str]]:
    return (line.partition(":") for line in lines)
