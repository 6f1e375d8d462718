"""A Messages service on a real socket that does only what a test tells it to."""

from __future__ import annotations

import json
import queue
import socket
import threading
from typing import Self

from groundwire.model import Json

START: Json = {
    "type": "message_start",
    "message": {
        "id": "msg_told",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-5-5",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 9, "output_tokens": 1},
    },
}
_HEAD = "HTTP/1.1 {status} X\r\nContent-Type: {kind}\r\nConnection: close\r\n{more}\r\n"


class ToldModel:
    """Takes requests one after the other; `asked` is released when one has come as a whole."""

    def __init__(self) -> None:
        self.asked = threading.Semaphore(0)
        self._said: queue.Queue[bytes | None] = queue.Queue()
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._thread = threading.Thread(target=self._serve, name="told model")

    @property
    def url(self) -> str:
        """Return where it is."""
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.end()
        self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        self._thread.join()

    def refuse(self, status: int, kind: str, message: str = "No.") -> None:
        """Answer with a status and an error."""
        body = json.dumps({"type": "error", "error": {"type": kind, "message": message}}).encode()
        length = f"Content-Length: {len(body)}\r\n"
        head = _HEAD.format(status=status, kind="application/json", more=length)
        self._said.put(head.encode() + body)
        self.end()

    def begin(self) -> None:
        """Answer with a status, and nothing else yet."""
        self._said.put(_HEAD.format(status=200, kind="text/event-stream", more="").encode())

    def say(self, *events: Json) -> None:
        """Send events."""
        for event in events:
            self._said.put(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())

    def end(self) -> None:
        """Close the connection."""
        self._said.put(None)

    def _serve(self) -> None:
        while True:
            try:
                connection, _ = self._listener.accept()
            except OSError:
                return
            with connection:
                _read_request(connection)
                self.asked.release()
                while (data := self._said.get()) is not None:
                    connection.sendall(data)


def _read_request(connection: socket.socket) -> None:
    with connection.makefile("rb") as reader:
        length = 0
        while line := reader.readline().strip():
            name, _, value = line.partition(b":")
            length = int(value) if name.lower() == b"content-length" else length
        reader.read(length)
