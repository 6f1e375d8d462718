"""A sandbox, and a client of ours that never really waits."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from groundwire.client import Client
from groundwire.config.settings import NetworkSettings
from groundwire.testing import SandboxServer, sandbox
from tests.adapters.questions import Service

__all__ = ["sandbox", "service"]


@pytest.fixture
async def service(sandbox: SandboxServer) -> AsyncIterator[Service]:
    """Return the sandbox and a client that notes its pauses instead of making them."""
    pauses: list[float] = []

    async def pause(seconds: float) -> None:
        pauses.append(seconds)

    async with Client(NetworkSettings(), pause=pause) as client:
        yield Service(sandbox=sandbox, client=client, pauses=pauses)
