"""Programs in processes forked from one that has loaded Groundwire: to load it costs a second each.

`groundwire("ask")` is a command line to be started in place of `python -m groundwire ask`: a
process with an environment, a folder, streams, signals and an exit code of its own. What differs:
no terminal controls it, SIGSTOP does not stop it, whoever kills it is told before it is gone, and
modules are there before it asks for them. Tests of those start Python itself with `of_its_own`, as
`tests/test_forked.py` does once for every command.
"""

from __future__ import annotations

import atexit
import shutil
import subprocess
import sys
import tempfile
from functools import cache
from pathlib import Path
from typing import Literal

_ROOT = Path(__file__).parents[2]
_LAUNCHER = str(Path(__file__).with_name("launcher.py"))


def groundwire(*words: str) -> list[str]:
    """Return the command line of a command."""
    return python("-m", "groundwire", *words)


def of_its_own(*words: str) -> list[str]:
    """Return the same, for a Python of its own."""
    return [sys.executable, "-m", "groundwire", *words]


def python(kind: Literal["-c", "-m"], named: str, *words: str) -> list[str]:
    """Return the command line of a module or of a text with arguments."""
    # Without the site's packages: it only hands over, and is there in some milliseconds.
    return [sys.executable, "-I", "-S", _LAUNCHER, _address(), kind, named, *words]


@cache
def _address() -> str:
    """Start the server, which ends with this process, and return where it listens."""
    folder = tempfile.mkdtemp(prefix="groundwire-forked-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    address = f"{folder}/socket"
    # It inherits no end of its own standard input: when this process is gone, that is closed.
    server = subprocess.Popen(
        [sys.executable, "-m", "tests.forked.server", address],
        cwd=_ROOT,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    assert server.stdin is not None
    assert server.stdout is not None
    assert server.stdout.readline() == b"ready\n"
    server.stdout.close()
    atexit.register(_stop, server)
    return address


def _stop(server: subprocess.Popen[bytes]) -> None:
    assert server.stdin is not None
    server.stdin.close()
    server.wait()
