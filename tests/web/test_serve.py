"""`groundwire serve` as a process: where it listens, how it refuses, how it ends."""

from __future__ import annotations

import errno
import os
import re
import select
import signal
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import httpx2
import pytest

from groundwire.sandbox import SandboxServer
from groundwire.service.listener import listening
from groundwire.web.server import cut_stalled
from tests.forked import groundwire, of_its_own
from tests.patience import PATIENCE, wait_until
from tests.web.server import PASSWORD, events_of, until


def environment(sandbox: SandboxServer, folder: Path, fault: str = "") -> dict[str, str]:
    return {
        **{k: v for k, v in os.environ.items() if not k.startswith("GROUNDWIRE_")},
        "GROUNDWIRE_HOME": str(folder),
        "GROUNDWIRE_PROVIDERS__ANTHROPIC__BASE_URL": sandbox.base_url("anthropic", fault=fault),
        "GROUNDWIRE_WEB__STOP_SECONDS": "0",
        "ANTHROPIC_API_KEY": "any-key",
    }


@contextmanager
def serving(
    variables: dict[str, str],
    folder: Path,
    *options: str,
    started: Callable[..., list[str]] = groundwire,
) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """Start the command, and give it and the URL that it prints."""
    command = started("serve", "--port", "0", *options)
    with (folder / "errors.txt").open("w") as errors:
        process = subprocess.Popen(
            command, env=variables, cwd=folder, stdout=subprocess.PIPE, stderr=errors, text=True
        )
    assert process.stdout is not None
    try:
        lines = [process.stdout.readline(), process.stdout.readline()]
        assert lines[0] == "Groundwire is served; Ctrl-C stops it.\n", (
            lines,
            (folder / "errors.txt").read_text(),
        )
        # A terminal makes a link of a whole line that is nothing else.
        assert re.fullmatch(r"http://[^\s;]+\n", lines[1]), lines
        yield process, lines[1].strip()
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(PATIENCE)
        process.stdout.close()


def test_a_terminated_server_ends_its_streams_as_interrupted(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    variables = environment(sandbox, tmp_path, "silence;after=3")
    with (
        serving(variables, tmp_path) as (process, url),
        httpx2.Client(base_url=url, timeout=PATIENCE) as client,
        client.stream("POST", "/agents/assistant/message", json={"text": "Otters?"}) as reply,
    ):
        events = events_of(reply)
        until(events, "text")

        process.send_signal(signal.SIGTERM)
        last = list(events)[-1]

        process.wait(PATIENCE)
        assert (last.type, last.data["message"]["status"]) == ("done", "interrupted")
        assert (tmp_path / "errors.txt").read_text() == ""


@pytest.mark.parametrize("workers", ["1", "2"])
def test_an_ended_server_leaves_no_file_behind(
    sandbox: SandboxServer, tmp_path: Path, workers: str
) -> None:
    with tempfile.TemporaryDirectory() as temporary:
        variables = {**environment(sandbox, tmp_path), "TMPDIR": temporary}

        with serving(variables, tmp_path, "--workers", workers) as (_, url):
            httpx2.get(f"{url}/api/health", timeout=PATIENCE)

        assert [*Path(temporary).iterdir()] == []


def test_a_temporary_folder_with_a_long_name_is_no_place_for_sockets(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    folder = tmp_path / ("long" * 30)
    folder.mkdir()
    variables = {**environment(sandbox, tmp_path), "TMPDIR": str(folder)}

    with serving(variables, tmp_path, "--workers", "2") as (_, url):
        health = httpx2.get(f"{url}/api/health", timeout=PATIENCE)

    assert health.status_code == 200
    assert [*folder.iterdir()] == []


def test_ctrl_c_ends_it_too(sandbox: SandboxServer, tmp_path: Path) -> None:
    with serving(environment(sandbox, tmp_path), tmp_path) as (process, url):
        httpx2.get(f"{url}/api/health", timeout=PATIENCE)

        process.send_signal(signal.SIGINT)

        assert process.wait(PATIENCE) != 0
        with pytest.raises(httpx2.ConnectError):
            httpx2.get(f"{url}/api/health")


@pytest.mark.skipif(sys.platform != "linux", reason="other systems cannot do it")
def test_the_system_cuts_off_a_reader_who_takes_nothing() -> None:
    with closing(listening("127.0.0.1", 0)) as listener:
        cut_stalled(listener, 0.2)
        with socket.create_connection(listener.getsockname()) as reader:
            sender, _ = listener.accept()
            with sender:
                sender.setblocking(False)
                with suppress(BlockingIOError):
                    while sender.send(b"x" * 65_536):
                        pass

                waiting = select.poll()
                waiting.register(sender, select.POLLERR)
                found = waiting.poll(30_000)

                assert found
                assert sender.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) == errno.ETIMEDOUT
                assert reader.fileno() >= 0


def test_an_address_that_others_can_reach_is_refused_without_users(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    done = subprocess.run(
        groundwire("serve", "--host", "0.0.0.0", "--port", "0"),
        env=environment(sandbox, tmp_path),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("groundwire: '0.0.0.0' can be reached by others")
    assert "--setup" in done.stderr


def test_a_name_for_others_is_refused_without_users(sandbox: SandboxServer, tmp_path: Path) -> None:
    done = subprocess.run(
        groundwire("serve", "--allow-host", "chat.example.com", "--port", "0"),
        env=environment(sandbox, tmp_path),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("groundwire: --allow-host chat.example.com is for others")
    assert "--setup" in done.stderr


def test_what_proxies_say_is_believed_only_of_those_that_were_named(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    def cookie(url: str, client: httpx2.Client) -> str:
        body = {"name": "olga", "password": PASSWORD}
        headers = {"X-Forwarded-Proto": "https"}
        reply = client.post(f"{url}/api/login", json=body, headers=headers)
        return str(reply.headers["set-cookie"])

    variables = environment(sandbox, tmp_path)
    with httpx2.Client(timeout=PATIENCE) as client:
        with serving(variables, tmp_path, "--setup") as (_, link):
            url, _, token = link.partition("/setup?token=")
            body = {"token": token, "name": "olga", "password": PASSWORD}
            client.post(f"{url}/api/setup", json=body)
            unnamed = cookie(url, client)
        with serving(variables, tmp_path, "--trust-proxy", "127.0.0.0/8") as (_, url):
            by_option = cookie(url, client)
        variables["GROUNDWIRE_WEB__TRUSTED_PROXIES"] = '["127.0.0.1"]'
        with serving(variables, tmp_path) as (_, url):
            by_setting = cookie(url, client)

    assert ["Secure" in each for each in (unnamed, by_option, by_setting)] == [False, True, True]


def test_a_proxy_that_is_no_address_is_refused(sandbox: SandboxServer, tmp_path: Path) -> None:
    done = subprocess.run(
        groundwire("serve", "--trust-proxy", "proxy.example.com"),
        env=environment(sandbox, tmp_path),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )

    assert done.returncode != 0
    assert "expected an address or a network like 10.0.0.0/8" in done.stderr


def test_setup_prints_a_link_with_which_the_first_user_is_made(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    variables = environment(sandbox, tmp_path)
    with serving(variables, tmp_path, "--host", "0.0.0.0", "--setup") as (_, link):
        url, _, token = link.partition("/setup?token=")
        with httpx2.Client(base_url=url, timeout=PATIENCE) as client:
            before = client.get("/api/sessions").status_code
            body = {"token": token, "name": "olga", "password": PASSWORD}
            made = client.post("/api/setup", json=body).status_code

            assert (before, made, client.get("/api/sessions").status_code) == (401, 204, 200)
    # With a user it needs no link any more.
    with serving(variables, tmp_path, "--host", "0.0.0.0") as (_, url):
        assert httpx2.get(f"{url}/api/me", timeout=PATIENCE).json()["needs_login"] is True


def test_a_port_that_is_taken_is_named(sandbox: SandboxServer, tmp_path: Path) -> None:
    port = sandbox.root.rpartition(":")[2]

    done = subprocess.run(
        groundwire("serve", "--port", port),
        env=environment(sandbox, tmp_path),
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )

    assert done.returncode == 1
    assert f"127.0.0.1:{port}: address already in use; choose another with --port" in done.stderr


def test_processes_of_a_server_that_was_killed_end_too(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    def is_gone() -> bool:
        try:
            httpx2.get(f"{url}/api/health", timeout=PATIENCE)
        except httpx2.TransportError:
            return True
        return False

    variables = environment(sandbox, tmp_path)
    with serving(variables, tmp_path, "--workers", "2", started=of_its_own) as (process, url):
        httpx2.get(f"{url}/api/health", timeout=PATIENCE)
        process.kill()

        assert wait_until(is_gone)


def test_several_processes_serve_one_address_and_find_each_others_turns(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    variables = environment(sandbox, tmp_path, "silence;after=3")
    with (
        serving(variables, tmp_path, "--workers", "2") as (_, url),
        httpx2.Client(base_url=url, timeout=PATIENCE) as client,
        client.stream("POST", "/agents/assistant/message", json={"text": "Otters?"}) as reply,
    ):
        events = events_of(reply)
        begun = until(events, "text")
        path = f"/api/messages/{begun[0].data['message_id']}"

        # A new connection each time, so that both processes are likely to be asked.
        firsts = []
        for _ in range(6):
            with (
                httpx2.Client(base_url=url, timeout=PATIENCE) as other,
                other.stream("GET", f"{path}/events", params={"after": 1}) as resumed,
            ):
                firsts.append(next(events_of(resumed)))
        with httpx2.Client(base_url=url, timeout=PATIENCE) as other:
            stopped = other.post(f"{path}/stop", json={}).status_code

        assert firsts == [begun[1]] * 6
        assert stopped == 204
        assert list(events)[-1].data["message"]["status"] == "cancelled"
