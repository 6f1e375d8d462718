"""`groundwire gateway` and `groundwire serve` as processes: both answer under /v1."""

from __future__ import annotations

import re
import signal
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from groundwire.sandbox import SandboxServer
from tests.forked import groundwire
from tests.gateway.asking import CLAUDE, QUESTION, SEARCH, sent_events
from tests.patience import PATIENCE
from tests.web.test_serve import environment

BODY = {
    "model": CLAUDE,
    "max_tokens": 500,
    "messages": [{"role": "user", "content": QUESTION}],
    "tools": [SEARCH],
}


@contextmanager
def _running(
    command: str, variables: dict[str, str], folder: Path, *options: str
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    process = subprocess.Popen(
        groundwire(command, "--port", "0", *options),
        env=variables,
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    assert process.stdout is not None
    try:
        url = ""
        for line in process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:\d+", line):
                url = found[0]
                break
        assert url, "it did not start"
        yield process, url
    finally:
        process.terminate()
        process.wait(30)
        process.stdout.close()


@pytest.mark.parametrize("command", ["gateway", "serve"])
def test_both_commands_answer_with_citations(
    sandbox: SandboxServer, tmp_path: Path, command: str
) -> None:
    variables = environment(sandbox, tmp_path)
    with (
        _running(command, variables, tmp_path) as (_, url),
        httpx2.Client(base_url=url, timeout=PATIENCE, trust_env=False) as client,
    ):
        reply = client.post("/v1/messages", json=BODY, headers={"x-api-key": "any"})

    assert reply.status_code == 200
    assert "[1](https://wiki.example.net/sea-otter)" in reply.text
    kept = [path.name for path in tmp_path.iterdir()]
    assert ("groundwire.sqlite3" in kept) is (command == "serve")


def test_numbers_are_known_again_after_a_restart(sandbox: SandboxServer, tmp_path: Path) -> None:
    variables = environment(sandbox, tmp_path)
    asked = [*BODY["messages"]]  # type: ignore[misc] # a list
    states = []
    for _ in range(2):
        with (
            _running("gateway", variables, tmp_path) as (_, url),
            httpx2.Client(base_url=url, timeout=PATIENCE, trust_env=False) as client,
        ):
            body = client.post("/v1/messages", json={**BODY, "messages": asked}).json()
        states.append(
            {
                one["url"]: one["encrypted_index"]
                for block in body["content"]
                for one in block.get("citations") or ()
            }
        )
        asked += [
            {"role": "assistant", "content": body["content"]},
            {"role": "user", "content": "How do river otters return to the valley?"},
        ]

    shared = states[0].keys() & states[1].keys()
    assert shared
    # The same number, signed with the same key.
    assert all(states[0][url] == states[1][url] for url in shared)


def test_others_are_not_served_without_tokens(sandbox: SandboxServer, tmp_path: Path) -> None:
    done = subprocess.run(
        groundwire("gateway", "--port", "0", "--allow-host", "a.example"),
        env=environment(sandbox, tmp_path),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )

    assert done.returncode == 1
    assert "gateway.tokens" in done.stderr


def test_a_server_that_is_stopped_does_not_pass_half_an_answer_for_a_whole_one(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    variables = environment(sandbox, tmp_path, fault="silence;after=8")
    with (
        _running("gateway", variables, tmp_path) as (process, url),
        httpx2.Client(base_url=url, timeout=PATIENCE, trust_env=False) as client,
    ):
        body = {**BODY, "tools": [], "stream": True}
        names: list[str] = []
        with client.stream("POST", "/v1/messages", json=body) as reply:
            events = sent_events(reply)
            names.append(next(events).name)
            process.send_signal(signal.SIGTERM)
            try:
                names += [event.name for event in events]
            except httpx2.RemoteProtocolError:
                names.append("cut")

    assert "message_stop" not in names
    assert names[-1] in ("error", "cut")


@pytest.mark.parametrize("command", ["gateway", "serve"])
def test_a_server_that_is_told_to_stop_writes_no_traceback(
    sandbox: SandboxServer, tmp_path: Path, command: str
) -> None:
    with _running(command, environment(sandbox, tmp_path), tmp_path) as (process, url):
        # Before it serves, a signal ends it without a word.
        with httpx2.Client(base_url=url, timeout=PATIENCE, trust_env=False) as client:
            assert client.get("/v1/models").status_code == 200
        process.send_signal(signal.SIGTERM)
        assert process.stdout is not None
        said = process.stdout.read()

    assert "Traceback" not in said
