"""What holds for every test."""

from __future__ import annotations

import atexit
import gc
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import trustme
from hypothesis import HealthCheck, settings

from tests.fuzz_budget import budget
from tests.postgresql import PostgreSql, start_postgresql


def pytest_configure() -> None:
    # How long an example takes says how busy the machine is, and nothing of what is tested.
    settings.register_profile(
        "busy",
        deadline=None,
        max_examples=budget(100),
        suppress_health_check=[HealthCheck.too_slow],
    )
    settings.load_profile("busy")
    # A shell lets what it starts in the background ignore Ctrl-C, and every command that a test
    # starts would inherit that: tests of Ctrl-C would wait for ever.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # No test reads or writes the files of whoever runs it.
    folder = tempfile.mkdtemp(prefix="groundwire-home-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ["GROUNDWIRE_HOME"] = folder
    _keep_bytecode()
    _trust_few(Path(folder))
    _ask_name_servers_once()
    # Thousands of tests are collected and stay: looking through them for garbage takes seconds.
    gc.disable()


def pytest_collection_finish() -> None:
    gc.freeze()
    gc.enable()


def _keep_bytecode() -> None:
    """Have the many processes that tests start read bytecode, where images say not to write it.

    A server that compiles itself takes half a second longer to start.
    """
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False


def _trust_few(folder: Path) -> None:
    """Trust one authority, which signed nothing, in the place of the machine's many.

    Tests reach nobody whom those know, and reading them takes 35 ms of every client's start.
    """
    path = folder / "authority.pem"
    trustme.CA().cert_pem.write_to_path(path)
    os.environ["SSL_CERT_FILE"] = str(path)


def _ask_name_servers_once() -> None:
    """Have a name server that does not answer cost a second, in all processes that tests start.

    Before a service reads a page, its host is looked up, and hosts of tests are known nowhere.
    """
    os.environ["RES_OPTIONS"] = "timeout:1 attempts:1"


@pytest.fixture(scope="session")
def postgresql() -> Iterator[PostgreSql]:
    """Give a server that is there for the whole run: each test makes a database, and drops it."""
    server = start_postgresql()
    yield server
    server.remove()
