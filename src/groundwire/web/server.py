"""The app on uvicorn: one process or several, started with care and ended in order."""

from __future__ import annotations

import asyncio
import gc
import logging
import multiprocessing
import multiprocessing.connection
import os
import signal
import socket
import sqlite3
import sys
import tempfile
import threading
from collections.abc import Callable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import uvicorn
from fastapi import FastAPI

from groundwire.config.settings import load
from groundwire.errors import ConfigError
from groundwire.redaction import Secret
from groundwire.service.listener import listening
from groundwire.service.logs import LogOptions, configure
from groundwire.service.program import Groundwire
from groundwire.store import Store
from groundwire.store.health import loses_data_of_two_writers
from groundwire.web.app import create_app
from groundwire.web.connection import Connection
from groundwire.web.metrics_port import metrics_of_several, metrics_port
from groundwire.web.options import Options
from groundwire.web.passwords import new_secret

if TYPE_CHECKING:
    from multiprocessing.context import SpawnProcess
    from types import FrameType

GRACE_SECONDS = 5
BACKLOG = 2_048
# A chat leaves next to no cycles behind, so the collector looks less often than it would.
COLLECTOR_THRESHOLDS = (10_000, 20, 20)
# The whole name of a socket has 103 bytes at most; a folder and a process's number have 33.
_LONGEST_FOLDER = 70
_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class Serving:
    """How a server is to run. `database` is "" for the one of the settings.

    `logs` is None where the caller says itself what is logged. `make_app` is `create_app`, or a
    function of a module that puts more than the web app behind the same address.
    """

    options: Options = field(default_factory=Options)
    port: int = 8321
    database: str = ""
    workers: int = 1
    is_setup: bool = False
    logs: LogOptions | None = None
    make_app: Callable[..., FastAPI] = create_app


class Server(uvicorn.Server):
    """uvicorn's, which first ends the turns: a stream would otherwise hold it up to the last."""

    def __init__(self, config: uvicorn.Config, app: FastAPI) -> None:
        super().__init__(config)
        self._app = app
        self._has_time = False

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and leave what the program is made of to itself."""
        await super().startup(sockets)
        # None of it ever becomes garbage, and to look through it again and again costs a tenth.
        gc.collect()
        gc.freeze()
        gc.set_threshold(*COLLECTOR_THRESHOLDS)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Remember which signal ends it: who sends SIGTERM has time, who presses Ctrl-C has not."""
        self._has_time = sig == signal.SIGTERM and not self.should_exit
        super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Give every reader the end of its answer, then close.

        After SIGTERM answers in progress may end first. Until then requests are still served, so
        that whoever wants another answer is told to ask elsewhere.
        """
        if self._has_time:
            draining = asyncio.create_task(self._app.state.site.drain())
            while not draining.done() and self._has_time:
                await asyncio.wait([draining], timeout=0.1)
            draining.cancel()
        await self._app.state.site.close()
        await super().shutdown(sockets)
        if self.force_exit:
            # uvicorn leaves everything as it is then, and its own task dies with a traceback.
            with suppress(TimeoutError):
                await asyncio.wait_for(self.lifespan.shutdown(), GRACE_SECONDS)


def serve(serving: Serving, announce: Callable[[str], None]) -> None:
    """Serve until a signal ends it; `announce` is told where, and how to set it up.

    Raises:
        ConfigError: Others could reach it and nobody could sign in, or the address is taken.
        StoreError: The database cannot be used.
    """
    if serving.logs is not None:
        configure(serving.logs)
    settings = load()
    database = serving.database or settings.store.url
    has_users = asyncio.run(_has_users(database))
    proxies = (*serving.options.trusted_proxies, *settings.web.trusted_proxies)
    options = replace(serving.options, trusted_proxies=proxies)
    if not has_users and options.is_for_others and not serving.is_setup:
        raise ConfigError(_needs_users(options))
    token = new_secret() if serving.is_setup and not has_users else ""
    with closing(listening(options.host, serving.port, backlog=BACKLOG)) as listener:
        cut_stalled(listener, options.stalled_seconds)
        address = address_of(options.host, listener.getsockname()[1])
        announce(f"{address}/setup?token={token}" if token else address)
        ready = replace(serving, options=replace(options, setup_token=None), database=database)
        if serving.workers == 1:
            work(ready, listener, token)
            return
        _warn_of_sqlite(database)
        # Not for one process alone, which a signal ends before it could tidy up.
        with tempfile.TemporaryDirectory(prefix="groundwire-", dir=_folder_of_sockets()) as folder:
            several = replace(ready, options=replace(ready.options, folder=folder))
            with metrics_of_several(settings.metrics, folder):
                WorkerProcesses(several, listener, token).run()


def _needs_users(options: Options) -> str:
    advice = "start once with --setup, which prints a link to make the first one, or"
    if not options.is_local:
        return (
            f"{options.host!r} can be reached by others, and there are no users yet: {advice} "
            "listen on 127.0.0.1"
        )
    return (
        f"--allow-host {options.allowed_hosts[0]} is for others, and there are no users yet: "
        f"{advice} leave --allow-host out"
    )


def _folder_of_sockets() -> str:
    """Return where temporary files are, unless a socket's name would become too long there."""
    usual = tempfile.gettempdir()
    return usual if len(os.fsencode(usual)) <= _LONGEST_FOLDER else "/tmp"  # noqa: S108 - a folder of our own is made in it


def work(serving: Serving, listener: socket.socket, token: str) -> None:
    """Serve from one process."""
    if serving.logs is not None:
        configure(serving.logs)
    options = replace(serving.options, setup_token=Secret(token) if token else None)
    app = serving.make_app(Groundwire(database=serving.database), options, opens=True)
    with metrics_port(load().metrics, getattr(app.state.site, "metrics", None), options.folder):
        server_of(app).run(sockets=[listener])


def _work_for_parent(serving: Serving, listener: socket.socket, token: str) -> None:
    """Serve from one process of several, and end when the one that started it is gone.

    One that was killed could tell nobody, and its workers would hold the address for ever.
    """
    threading.Thread(target=_end_with_parent, name="parent", daemon=True).start()
    work(serving, listener, token)


def _end_with_parent() -> None:
    if parent := multiprocessing.parent_process():
        multiprocessing.connection.wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)


def server_of(app: FastAPI, *, grace_seconds: int = GRACE_SECONDS) -> Server:
    """Return the server of an app, to be run or awaited with a socket that listens."""
    config = uvicorn.Config(
        app,
        loop="uvloop" if sys.platform != "win32" else "asyncio",
        http=Connection,
        ws="none",
        # It would believe whoever connects from this machine; `peer` asks the settings instead.
        proxy_headers=False,
        log_config=None,
        access_log=False,  # Ours shows no queries.
        server_header=False,
        backlog=BACKLOG,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=grace_seconds,
    )
    return Server(config, app)


class WorkerProcesses:
    """Several processes that serve one address; one that ends by itself is replaced."""

    def __init__(self, serving: Serving, listener: socket.socket, token: str) -> None:
        self._context = multiprocessing.get_context("spawn")
        self._arguments = (serving, listener, token)
        self._count = serving.workers
        self._processes: list[SpawnProcess] = []
        self._signal = 0
        self._woken, self._waking = socket.socketpair()

    def run(self) -> None:
        """Start them all, keep them all, and end them all at a signal."""
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, self._end)
        failures = 0
        self._processes = [self._start() for _ in range(self._count)]
        while not self._signal:
            sentinels: Sequence[int | socket.socket] = [each.sentinel for each in self._processes]
            multiprocessing.connection.wait([*sentinels, self._woken])
            ended = [each for each in self._processes if each.exitcode is not None]
            failures += len(ended)
            if self._signal or failures > 10 * self._count:
                break
            for each in ended:
                _LOG.warning("a process ended with %s and is replaced", each.exitcode)
                self._processes[self._processes.index(each)] = self._start()
        for each in self._processes:
            each.terminate()
        for each in self._processes:
            each.join()

    def _start(self) -> SpawnProcess:
        process = self._context.Process(target=_work_for_parent, args=self._arguments)
        process.start()
        return process

    def _end(self, number: int, _: FrameType | None) -> None:
        self._signal = number
        self._waking.send(b"!")


async def _has_users(database: str) -> bool:
    async with Store.open(database) as store:
        return await store.users.count() > 0


def cut_stalled(listener: socket.socket, seconds: float) -> None:
    """Have the system cut off a reader that takes nothing for so long, where it can.

    The server alone cannot: it closes a connection only after all that it has written was taken.
    """
    if sys.platform == "linux":
        milliseconds = max(1, round(seconds * 1000))
        listener.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, milliseconds)


def address_of(host: str, port: int) -> str:
    """Return where a browser on this machine finds what listens there."""
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host)  # noqa: S104 - compared, not bound
    return f"http://{shown or (f'[{host}]' if ':' in host else host)}:{port}"


def _warn_of_sqlite(database: str) -> None:
    if not database.startswith("postgres") and loses_data_of_two_writers():
        _LOG.warning(
            "SQLite %s can lose data when several processes write at once (fixed in 3.51.3): use "
            "PostgreSQL for more than one worker",
            sqlite3.sqlite_version,
        )
