"""A sandbox, and the tools over it."""

from __future__ import annotations

from collections.abc import AsyncIterator

import pytest

from groundwire.client import Client
from groundwire.testing import SandboxServer, sandbox
from tests.tools.runs import Searcher

__all__ = ["sandbox", "searcher"]


@pytest.fixture
async def searcher(sandbox: SandboxServer) -> AsyncIterator[Searcher]:
    """Return the tools, whose calls all go to the sandbox."""

    async def pause(seconds: float) -> None:
        pass

    async with Client(pause=pause) as client:
        yield Searcher(sandbox=sandbox, client=client)
