"""A gate in front of a service: what is asked waits until a test opens it."""

from __future__ import annotations

import socket
import socketserver
import threading
from typing import Self
from urllib.parse import urlsplit


class Gate:
    """Hands on what both sides send while it is open; it is closed at first."""

    def __init__(self, url: str) -> None:
        parts = urlsplit(url)
        self._target = (parts.hostname or "", parts.port or 80)
        self._path = parts.path
        self._is_open = threading.Event()
        gate = self

        class _Handler(socketserver.BaseRequestHandler):
            def handle(self) -> None:
                gate._hand_on(self.request)

        self._server = socketserver.ThreadingTCPServer(("127.0.0.1", 0), _Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, name="gate")

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.open()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    @property
    def url(self) -> str:
        """Return where to ask instead of the service itself."""
        return f"http://127.0.0.1:{self._server.server_address[1]}{self._path}"

    def open(self) -> None:
        """Let everything through, what waits already too."""
        self._is_open.set()

    def close(self) -> None:
        """Have whoever comes from now on wait."""
        self._is_open.clear()

    def _hand_on(self, client: socket.socket) -> None:
        with socket.create_connection(self._target) as service:
            back = threading.Thread(target=_pump, args=(service, client), daemon=True)
            back.start()
            # A connection is used for many requests: each of them waits.
            _pump(client, service, self._is_open)
            back.join()


def _pump(
    source: socket.socket, target: socket.socket, is_open: threading.Event | None = None
) -> None:
    try:
        while data := source.recv(65_536):
            if is_open:
                is_open.wait()
            target.sendall(data)
        target.shutdown(socket.SHUT_WR)
    except OSError:
        return  # One side left; the other notices by itself.
