"""A web server that is killed between an answer and its checks: the next one goes on there."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import httpx2
import pytest

from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from groundwire.sandbox.played_citations import PLAYED
from tests.forked import of_its_own
from tests.patience import PATIENCE, wait_until
from tests.web.server import events_of
from tests.web.test_serve import environment, serving

QUESTION = f"Windmills: {', '.join(each.words for each in PLAYED)}"


def _variables(sandbox: SandboxServer, folder: Path, reader: str = "") -> dict[str, str]:
    return {
        **environment(sandbox, folder),
        "GROUNDWIRE_READ_PROVIDER": "jina",
        "GROUNDWIRE_PROVIDERS__JINA__BASE_URL": sandbox.base_url("jina", fault=reader),
        "GROUNDWIRE_NETWORK__RETRIES": "0",
    }


def _settled(client: httpx2.Client, message_id: str) -> Json:
    def done() -> Json:
        told = client.get(f"/api/messages/{message_id}/checks").json()
        return told if told["state"] == "done" else None

    return wait_until(done)


@pytest.mark.skipif(os.name != "posix", reason="needs signals")
@pytest.mark.parametrize("workers", ["1", "2"])
def test_after_a_kill_between_answer_and_checks_another_start_goes_on(
    sandbox: SandboxServer, tmp_path: Path, workers: str
) -> None:
    silent = _variables(sandbox, tmp_path, "silence;late")
    with (
        serving(silent, tmp_path, "--workers", workers, started=of_its_own) as (process, url),
        httpx2.Client(base_url=url, timeout=PATIENCE) as client,
    ):
        client.patch("/api/workspaces/personal", json={"web_allowed_domains": ["*"]})
        body = {"text": QUESTION, "search": "hosted", "provider_id": "anthropic"}
        with client.stream("POST", "/api/agents/assistant/message", json=body) as reply:
            done = next(each for each in events_of(reply) if each.type == "done")
        message = done.data["message"]
        _kill(process.pid)
        process.wait(PATIENCE)

    assert done.data["checks"]["pending"] == len(PLAYED)
    with (
        serving(_variables(sandbox, tmp_path), tmp_path, "--workers", workers) as (_, url),
        httpx2.Client(base_url=url, timeout=PATIENCE) as client,
    ):
        told = _settled(client, message["id"])

    assert [each["claim"] for each in told["checks"]] == [each.text for each in PLAYED]
    assert [each["not_compared"] for each in told["checks"][:3]] == [None] * 3
    assert told["checks"][1]["missing_numbers"] == ["97"]


def _kill(pid: int) -> None:
    """Kill a server at once, and the processes that it has started."""
    children = Path(f"/proc/{pid}/task/{pid}/children")
    below = children.read_text().split() if children.exists() else []
    for each in (pid, *map(int, below)):
        os.kill(each, signal.SIGKILL)
