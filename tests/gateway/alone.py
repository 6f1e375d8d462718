"""The gateway alone on a real socket, without a web app."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager

from groundwire.cli.app import create_gateway_app
from groundwire.service.program import Groundwire
from groundwire.web import Options
from groundwire.web.server import server_of
from tests.patience import wait_until_started


@contextmanager
def served_alone(program: Groundwire) -> Iterator[str]:
    """Serve a program that keeps nothing; give its address."""
    server = server_of(create_gateway_app(program, Options()), grace_seconds=2)
    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=server.run, args=([listener],))
    thread.start()
    wait_until_started(server, thread)
    try:
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()
