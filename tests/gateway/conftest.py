"""The gateway in the web app's server, over the sandbox, with nobody's settings but its own."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from groundwire.sandbox import SandboxServer
from groundwire.testing import sandbox
from tests.gateway.asking import Asked

__all__ = ["sandbox"]


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Asked]:
    """Return one server for the tests of a module: to start one takes longer than most of them."""
    folder = tmp_path_factory.mktemp("gateway")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("GROUNDWIRE_HOME", str(folder))
        patch.delenv("GROUNDWIRE_CONFIG", raising=False)
        with SandboxServer() as sandbox, Asked(sandbox, folder) as asked:
            yield asked


@pytest.fixture
def gateway(served: Asked) -> Asked:
    """Return a server without users, whose gateway anybody on this machine may ask."""
    served.forget()
    return served
