"""A real server on loopback that keeps the headers of every request."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Self

_MODELS = json.dumps({"data": [{"id": "claude-x", "type": "model"}], "has_more": False}).encode()
_FAULT = json.dumps({"type": "error", "error": {"type": "not_found_error", "message": "x"}})


class Recorder:
    """Offers a model, fails at every question, and remembers what it was sent.

    With `location` it sends everybody on to there.
    """

    def __init__(self, location: str = "") -> None:
        self.heads: list[str] = []
        heads = self.heads

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_GET(self) -> None:
                self._answer(200, _MODELS)

            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length", 0)))
                self._answer(404, _FAULT.encode())

            def _answer(self, status: int, body: bytes) -> None:
                heads.append(f"{self.command} {self.path}\n{self.headers}")
                self.send_response(302 if location else status)
                if location:
                    self.send_header("Location", location)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, daemon=True)
        self.url = f"http://127.0.0.1:{self._server.server_port}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Accept no connection any more."""
        if self._thread.is_alive():
            self._server.shutdown()
            self._server.server_close()
            self._thread.join()

    def has_seen(self, secret: str) -> bool:
        """Tell whether a secret was in any request."""
        return any(secret in head for head in self.heads)
