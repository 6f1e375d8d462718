"""The fixture that `groundwire.testing` offers to everyone, and the official SDKs' clients."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from groundwire.testing import SandboxServer, sandbox
from tests.sandbox.calls import ClientFor, sdk

__all__ = ["client_for", "sandbox"]


@pytest.fixture
def client_for(sandbox: SandboxServer) -> Iterator[ClientFor]:
    """Return an SDK's client by provider; all are closed in the end."""
    clients: list[Any] = []

    def make(provider: str, *, key: str = "k-1", version: str = "v1beta") -> Any:
        match provider:
            case "anthropic":
                base_url = f"{sandbox.root}/anthropic"
                client = sdk("anthropic").Anthropic(api_key=key, base_url=base_url, max_retries=0)
            case "gemini":
                options = {"base_url": f"{sandbox.root}/gemini", "api_version": version}
                client = sdk("google.genai").Client(api_key=key, http_options=options)
            case _:
                base_url = sandbox.base_url(provider)
                client = sdk("openai").OpenAI(api_key=key, base_url=base_url, max_retries=0)
        clients.append(client)
        return client

    yield make
    for client in clients:
        client.close()
