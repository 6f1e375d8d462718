"""For tests of programs that use Groundwire, or any provider's SDK: a sandbox per test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from groundwire.sandbox import SandboxServer

__all__ = ["SandboxServer", "sandbox"]


@pytest.fixture
def sandbox() -> Iterator[SandboxServer]:
    """Run a sandbox on a free loopback port, in a thread, so that any client can call it."""
    with SandboxServer() as server:
        yield server
