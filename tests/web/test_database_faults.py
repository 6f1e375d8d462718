"""A database that fails is told to whoever asks, without where it is."""

from __future__ import annotations

from pathlib import Path

from groundwire.sandbox import SandboxServer
from tests.web.town import built


def test_a_refusal_of_the_database_does_not_name_its_file(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    with built(sandbox, tmp_path) as town:
        change = {"preferred_provider_id": "no-such"}

        reply = town.ask("admin", "PATCH", "/api/agents/assistant", change)

    assert reply.status_code == 404
    assert "refers to something that is not kept" in reply.json()["error"]["message"]
    assert str(tmp_path) not in reply.text
