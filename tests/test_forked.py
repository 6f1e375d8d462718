"""Processes of tests do what a Python of their own does, and every command runs in one as well."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Literal

import httpx2
import pytest

from groundwire.cli import COMMANDS
from groundwire.sandbox import SandboxServer
from groundwire.testing import sandbox
from mcp import Client, StdioServerParameters
from tests.forked import groundwire, of_its_own, python
from tests.patience import PATIENCE

__all__ = ["sandbox"]

# How each ends by itself; those that serve are told to do what they refuse.
RUN: dict[str, tuple[str, ...]] = {
    "ask": ("How do sea otters sleep?",),
    "bundle": ("0" * 32,),
    "check": ("answer.md",),
    "check-url": ("http://10.0.0.1/",),
    "demo": ("--nonsense",),
    "doctor": ("--json",),
    "events": ("anthropic", "saved.sse"),
    "export": ("0" * 32,),
    "gateway": ("--host", "0.0.0.0"),
    "import": ("nothing.wacz",),
    "keys": ("list",),
    "library": ("list",),
    "mcp": ("--http", "--host", "0.0.0.0"),
    "models": ("anthropic",),
    "providers": ("--json",),
    "quotas": (),
    "read": ("page.html",),
    "recheck": ("0" * 32,),
    "replay": ("nothing.jsonl",),
    "sandbox": ("--nonsense",),
    "search": ("otters", "--provider", "searxng"),
    "serve": ("--host", "0.0.0.0", "--port", "0"),
    "sessions": (),
    "setup": (),
    "test": ("searxng",),
    "tool": ("nonsense", "{}"),
    "users": ("list",),
}


@pytest.fixture
def environment(sandbox: SandboxServer, tmp_path: Path) -> dict[str, str]:
    (tmp_path / "answer.md").write_text("Otters hold hands [1].\n\n[1]: https://otters.example/\n")
    (tmp_path / "page.html").write_text("<title>Otters</title><p>Otters hold hands.</p>")
    (tmp_path / "saved.sse").write_text("event: ping\ndata: {}\n\n")
    return {
        **os.environ,
        **{
            f"GROUNDWIRE_PROVIDERS__{name.upper()}__BASE_URL": sandbox.base_url(name)
            for name in ("anthropic", "searxng", "jina")
        },
        "ANTHROPIC_API_KEY": "any-key",
        "GROUNDWIRE_CHECKS__PAGES": "off",
        "GROUNDWIRE_READ_PROVIDER": "jina",
        "GROUNDWIRE_HOME": str(tmp_path),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
    }


def _ran(command: list[str], variables: dict[str, str]) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        command,
        env=variables,
        cwd=variables["GROUNDWIRE_HOME"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
        timeout=PATIENCE,
    )


@pytest.mark.parametrize("command", COMMANDS)
def test_a_python_of_its_own_runs_every_command(environment: dict[str, str], command: str) -> None:
    own = _ran(of_its_own(command, *RUN[command]), environment)
    forked = _ran(groundwire(command, *RUN[command]), environment)

    assert own.stderr == forked.stderr
    assert own.returncode == forked.returncode
    assert len(own.stdout.splitlines()) == len(forked.stdout.splitlines())
    assert "Traceback" not in own.stderr


@pytest.mark.parametrize(
    ("command", "path", "status"),
    [("serve", "/api/health", 200), ("gateway", "/v1/models", 200), ("mcp --http", "/mcp", 400)],
)
def test_a_python_of_its_own_serves(
    environment: dict[str, str], command: str, path: str, status: int
) -> None:
    words = of_its_own(*command.split(), "--port", "0")
    with subprocess.Popen(
        words, env=environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        assert process.stdout is not None
        line = next(line for line in process.stdout if "http://" in line)
        url = httpx2.URL(next(word for word in line.split() if word.startswith("http://")))
        reply = httpx2.get(url.copy_with(path=path), timeout=PATIENCE)

        process.send_signal(signal.SIGTERM)

        assert reply.status_code == status
        assert "Traceback" not in process.stdout.read()
        assert process.wait(PATIENCE) in (0, -signal.SIGTERM)


async def test_a_python_of_its_own_serves_over_standard_input(environment: dict[str, str]) -> None:
    program, *words = of_its_own("mcp")
    command = StdioServerParameters(command=program, args=words, env=environment)

    async with Client(command) as client:
        tools = (await client.list_tools()).tools

    assert {"web_search", "open_page"} <= {each.name for each in tools}


@pytest.mark.parametrize(
    ("kind", "named"),
    [
        ("-c", "import sys; print(sys.argv, __name__, sys.path[0]); sys.exit(3)"),
        ("-c", "import sys; sys.exit('no otters')"),
        ("-c", "import sys, os; print(sys.stdin.read(), os.getcwd(), os.environ['OTTERS'])"),
        ("-c", "import os, signal; os.kill(os.getpid(), signal.SIGTERM)"),
        ("-c", "import atexit; atexit.register(print, 'in the end'); print('otters')"),
        ("-c", "raise SystemExit"),
        ("-m", "tests.nonsense"),
    ],
)
def test_a_forked_process_ends_as_one_of_its_own_does(
    kind: Literal["-c", "-m"], named: str, tmp_path: Path
) -> None:
    def ran(command: list[str]) -> tuple[int, str]:
        done = subprocess.run(
            command,
            env={"OTTERS": "in the kelp"},
            cwd=tmp_path,
            input="how?",
            capture_output=True,
            text=True,
            check=False,
        )
        return done.returncode, done.stdout

    own = ran([sys.executable, kind, named, "more"])
    forked = ran(python(kind, named, "more"))

    assert forked[0] == own[0]
    assert forked[1].replace(str(tmp_path), "") == own[1].replace(str(tmp_path), "")


@pytest.mark.parametrize("sent", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_what_ends_the_launcher_ends_the_forked_process(sent: signal.Signals) -> None:
    program = "import signal; print('there', flush=True); signal.pause()"
    with subprocess.Popen(
        python("-c", program), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"there\n"

        process.send_signal(sent)

        assert process.stdout.read() == b""
        assert process.wait(PATIENCE) == (1 if sent == signal.SIGINT else -sent)
