"""What holds for every test."""

from __future__ import annotations

import atexit
import os
import shutil
import signal
import tempfile

from hypothesis import HealthCheck, settings


def pytest_configure() -> None:
    # How long an example takes says how busy the machine is, and nothing of what is tested.
    settings.register_profile("busy", deadline=None, suppress_health_check=[HealthCheck.too_slow])
    settings.load_profile("busy")
    # A shell lets what it starts in the background ignore Ctrl-C, and every command that a test
    # starts would inherit that: tests of Ctrl-C would wait for ever.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    # No test reads or writes the files of whoever runs it.
    folder = tempfile.mkdtemp(prefix="groundwire-home-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    os.environ["GROUNDWIRE_HOME"] = folder
