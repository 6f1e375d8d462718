"""What holds for every test."""

from __future__ import annotations

import signal


def pytest_configure() -> None:
    # A shell lets what it starts in the background ignore Ctrl-C, and every command that a test
    # starts would inherit that: tests of Ctrl-C would wait for ever.
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
