"""The process under torture: the server as `groundwire serve` runs it, with a window to look in.

The signal USR1 has it write the names of its tasks. When the process that started it is gone, it
goes too.
"""

from __future__ import annotations

import asyncio
import json
import logging
import os
import signal
import socket
import sys
import threading
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from groundwire.cli.app import create_app
from groundwire.client import Client
from groundwire.errors import GroundwireError
from groundwire.service import program
from groundwire.web import Options, Serving, serve, server

PAGES_HOST = "pages.test"
_PUBLIC = "93.184.215.14"


class _BentSocket(socket.socket):
    """Connects to this machine, whatever public address it is told."""

    port = 0

    def connect(self, _: Any, /) -> None:  # noqa: ANN401 - an address of any family
        super().connect(("127.0.0.1", self.port))


def bend_pages(port: int) -> None:
    """Have one public name lead to a server of this machine; all checks stay as they are."""

    async def resolve(host: str) -> Sequence[str]:
        return (_PUBLIC,) if host == PAGES_HOST else ()

    def make_socket(address: tuple[Any, ...]) -> socket.socket:
        return _BentSocket(address[0], socket.SOCK_STREAM)

    _BentSocket.port = port
    bent = partial(Client, resolve=resolve, make_socket=make_socket)
    vars(program)["Client"] = bent


class _Watched(server.Server):
    window = Path()
    send_buffer_bytes = 0

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        for each in sockets or () if self.send_buffer_bytes else ():
            each.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, self.send_buffer_bytes)
        loop = asyncio.get_running_loop()
        loop.add_signal_handler(signal.SIGUSR1, self._look_in)
        await super().startup(sockets)

    def _look_in(self) -> None:
        names = [_name(task) for task in asyncio.all_tasks()]
        written = self.window.with_suffix(".new")
        written.write_text(json.dumps(names))
        written.rename(self.window)


def _name(task: asyncio.Task[Any]) -> str:
    made = task.get_coro()
    return getattr(made, "__qualname__", repr(made))


def _go_with_parent() -> None:
    os.read(0, 1)  # Nothing ever comes but the end.
    os._exit(1)


def main() -> None:
    """Serve as the one argument says: JSON with what `torture.server` wants."""
    given = json.loads(sys.argv[1])
    threading.Thread(target=_go_with_parent, daemon=True).start()
    logging.basicConfig(level=logging.DEBUG if given["logs_all"] else logging.INFO)
    _Watched.window = Path(given["window"])
    _Watched.send_buffer_bytes = given["send_buffer_bytes"]
    vars(server)["Server"] = _Watched
    if given["pages_port"]:
        bend_pages(given["pages_port"])
    options = Options(**given["options"])
    try:
        serve(
            Serving(options=options, port=0, database=given["database"], make_app=create_app),
            lambda url: print(json.dumps({"url": url}), flush=True),
        )
    except GroundwireError as error:
        sys.exit(f"groundwire: {error}")


if __name__ == "__main__":
    main()
