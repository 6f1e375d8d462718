"""Loads Groundwire once, and is forked for every command: `python -m tests.forked.server SOCKET`.

It tells each launcher which process it got and how that ended, and ends one whose launcher is gone.
"""

from __future__ import annotations

import atexit
import gc
import importlib
import io
import json
import os
import pkgutil
import runpy
import selectors
import signal
import socket
import sys
import threading
import traceback
from contextlib import suppress
from dataclasses import dataclass
from types import ModuleType

import groundwire

_STREAMS = (0, 1, 2)
# What runs when it is loaded, and what no command loads.
_NOT_LOADED = ("groundwire.__main__", "groundwire.store.migrations.env", "groundwire.testing")


@dataclass(frozen=True, slots=True, kw_only=True)
class Command:
    """What a launcher handed over."""

    words: list[str]
    variables: dict[str, str]
    folder: str
    streams: list[int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Running:
    """A process of a command; `ended` can be read from when it has ended."""

    process: int
    ended: int
    launcher: socket.socket


def _load() -> None:
    """Load every module of the package, and with it what they need."""
    for module in pkgutil.walk_packages(groundwire.__path__, "groundwire."):
        if not module.name.startswith(_NOT_LOADED):
            importlib.import_module(module.name)
    # It chooses by the environment when it is loaded.
    assert "keyring" not in sys.modules
    gc.collect()
    gc.freeze()


def _received(launcher: socket.socket) -> Command:
    size, streams, _, _ = socket.recv_fds(launcher, 4, len(_STREAMS))
    data = bytearray()
    while len(data) < int.from_bytes(size, "big"):
        data += launcher.recv(1 << 16)
    return Command(**json.loads(data), streams=streams)


class Server:
    """Forks, and waits for whatever was forked."""

    def __init__(self, address: str) -> None:
        self._listener = socket.socket(socket.AF_UNIX)
        self._listener.bind(address)
        self._listener.listen(64)
        self._selector = selectors.DefaultSelector()
        self._selector.register(self._listener, selectors.EVENT_READ)
        self._selector.register(0, selectors.EVENT_READ)

    def next_command(self) -> Command | None:
        """Return a command in a process made for it, None in this one when its starter is gone."""
        while True:
            ready = {key.fd: key.data for key, _ in self._selector.select()}
            if 0 in ready:
                return None
            for running in {each.process: each for each in ready.values() if each}.values():
                self._end(running, is_ended=running.ended in ready)
            if self._listener.fileno() in ready and (command := self._fork()):
                return command

    def _fork(self) -> Command | None:
        """Return the command in the new process, None in this one."""
        launcher, _ = self._listener.accept()
        command = _received(launcher)
        if not (process := os.fork()):
            return command
        for stream in command.streams:
            os.close(stream)
        launcher.sendall(process.to_bytes(4, "big"))
        running = Running(process=process, ended=os.pidfd_open(process), launcher=launcher)
        self._selector.register(running.ended, selectors.EVENT_READ, running)
        self._selector.register(launcher, selectors.EVENT_READ, running)
        return None

    def _end(self, running: Running, *, is_ended: bool) -> None:
        """Tell how a process ended; where its launcher is gone instead, end it."""
        self._selector.unregister(running.ended)
        self._selector.unregister(running.launcher)
        os.close(running.ended)
        if not is_ended:
            os.kill(running.process, signal.SIGKILL)
        _, status = os.waitpid(running.process, 0)
        with running.launcher, suppress(OSError):
            running.launcher.sendall(status.to_bytes(4, "big"))


def _become(command: Command) -> None:
    """Be the process that was asked for, in all but what is loaded."""
    for stream, given in zip(_STREAMS, command.streams, strict=True):
        os.dup2(given, stream)
    os.closerange(len(_STREAMS), 1024)
    os.environ.clear()
    os.environ.update(command.variables)
    os.chdir(command.folder)
    more = command.variables.get("PYTHONPATH", "")
    sys.path[:1] = [command.folder, *filter(None, more.split(os.pathsep))]
    sys.argv = ["-c", *command.words[2:]]
    sys.stdin = io.TextIOWrapper(io.BufferedReader(io.FileIO(0)), encoding="utf-8")
    sys.stdout = _writer(1)
    sys.stderr = _writer(2, errors="backslashreplace")


def _writer(stream: int, errors: str = "strict") -> io.TextIOWrapper:
    buffer = io.BufferedWriter(io.FileIO(stream, "w"))
    by_line = errors != "strict" or os.isatty(stream)
    return io.TextIOWrapper(buffer, encoding="utf-8", errors=errors, line_buffering=by_line)


def _run(kind: str, named: str) -> int:
    """Run a module or a text as Python does, and return the exit code."""
    code: object = None
    try:
        if kind == "-m":
            runpy.run_module(named, run_name="__main__", alter_sys=True)
        else:
            main_module = sys.modules["__main__"] = ModuleType("__main__")
            exec(compile(named, "<string>", "exec", dont_inherit=True), vars(main_module))
    except SystemExit as ended:
        code = ended.code
    except BaseException:  # noqa: BLE001 - what the interpreter does in the end
        traceback.print_exc()
        code = 1
    if isinstance(code, str):
        sys.stderr.write(f"{code}\n")
        code = 1
    return code if isinstance(code, int) else 0


def main() -> None:
    """Serve until the standard input ends; a process of a command runs it and ends with it."""
    _load()
    server = Server(sys.argv[1])
    os.write(1, b"ready\n")
    if command := server.next_command():
        _become(command)
        code = _run(*command.words[:2])
        # As a forked process of multiprocessing ends: to take all modules apart would cost more
        # than most commands.
        threading._shutdown()  # type: ignore[attr-defined]
        atexit._run_exitfuncs()
        sys.stdout.flush()
        os._exit(code)


if __name__ == "__main__":
    main()
