"""What is taken away of an answer, over the command line, has no key in it."""

from __future__ import annotations

import json
import os
import pty
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

import pytest

from groundwire.sandbox.played_citations import PLAYED
from groundwire.testing import SandboxServer, sandbox
from tests.chat.program import CANARY
from tests.forked import groundwire

__all__ = ["sandbox"]

QUESTION = f"Windmills: {PLAYED[0].words}"


def _settings(sandbox: SandboxServer) -> str:
    return f"""
search_provider = "searxng"
read_provider = "jina"
[store]
[network]
proxy = ""
[providers.anthropic]
base_url = "{sandbox.base_url("anthropic")}"
[providers.jina]
base_url = "{sandbox.base_url("jina")}"
[providers.searxng]
base_url = "{sandbox.base_url("searxng")}"
proxy = "http://user:{CANARY}@127.0.0.1:9"
options = {{ secret_token = "{CANARY}" }}
"""


class Shell:
    """Commands with a home of their own."""

    def __init__(self, sandbox: SandboxServer, folder: Path) -> None:
        self.folder = folder
        (folder / "config.toml").write_text(_settings(sandbox), "utf-8")

    def run(self, *words: str, home: str = "home") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            groundwire(*words),
            cwd=self.folder,
            env=self._environment(home),
            capture_output=True,
            text=True,
            check=False,
        )

    def run_in_terminal(self, *words: str, display: str) -> str:
        """Return what somebody sees on a terminal, of a desktop if there is a display."""
        ours, theirs = pty.openpty()
        environment = {**self._environment("home"), "DISPLAY": display, "WAYLAND_DISPLAY": ""}
        command = [sys.executable, "-m", "groundwire", *words]
        with subprocess.Popen(
            command, cwd=self.folder, env=environment, stdout=theirs, stderr=theirs
        ):
            os.close(theirs)
            seen = b""
            # A terminal without a program ends with an error.
            with suppress(OSError):
                while piece := os.read(ours, 65_536):
                    seen += piece
        os.close(ours)
        return seen.decode()

    def _environment(self, home: str) -> dict[str, str]:
        return {
            **os.environ,
            "GROUNDWIRE_HOME": str(self.folder / home),
            "GROUNDWIRE_CONFIG": str(self.folder / "config.toml"),
            "ANTHROPIC_API_KEY": CANARY,
            "JINA_API_KEY": CANARY,
            "BROWSER": f"{sys.executable} {self.folder / 'browser.py'} %s",
            "TMPDIR": str(self.folder),
        }


@pytest.fixture
def shell(sandbox: SandboxServer, tmp_path: Path) -> Shell:
    return Shell(sandbox, tmp_path)


def test_no_key_is_in_what_is_taken_away(shell: Shell) -> None:
    asked = shell.run(
        "ask", "--json", "--record", "turn.jsonl", "-p", "anthropic", "-s", "hosted", QUESTION
    )
    assert asked.returncode == 0, asked.stderr
    events = [json.loads(line) for line in asked.stdout.splitlines()]
    message = next(each["message"] for each in events if each["type"] == "done")

    made = shell.run("bundle", message["session_id"], "-o", "answer.wacz")
    verified = shell.run("bundle", "verify", "answer.wacz")
    shown = shell.run("bundle", "show", "answer.wacz")
    (shell.folder / "browser.py").write_text("import sys; print('shown:', sys.argv[1])")
    opened = shell.run("bundle", "show", "--browser", "answer.wacz")
    terminals = [
        shell.run_in_terminal("bundle", "show", "answer.wacz", display=display)
        for display in (":0", "")
    ]
    brought = shell.run("import", "answer.wacz", home="other")
    again = shell.run("bundle", message["session_id"], "-o", "again.wacz", home="other")
    replayed = shell.run("replay", "turn.jsonl", home="third")

    for done in (made, verified, shown, opened, brought, again, replayed):
        assert done.returncode == 0, done.stderr
    assert "is sound: 1 answer, 1 page" in verified.stdout
    assert PLAYED[0].text in shown.stdout
    address, path = opened.stdout.removeprefix("shown: ").split()
    assert address == Path(path).as_uri()
    assert PLAYED[0].text in Path(path).read_text("utf-8")
    assert terminals[0].startswith("shown: file://")
    assert PLAYED[0].text in terminals[1]
    assert "As a page: " in terminals[1]
    assert "shown: " not in terminals[1]
    assert "the same" in replayed.stdout
    taken = [path.read_bytes() for path in shell.folder.glob("*.wacz")]
    taken.append((shell.folder / "turn.jsonl").read_bytes())
    for form in ("markdown", "html", "json", "bibtex", "ris", "csl-json"):
        exported = shell.run("export", message["id"], "--format", form)
        assert exported.returncode == 0, exported.stderr
        assert exported.stdout
        taken.append(exported.stdout.encode())
    assert [CANARY.encode() in each for each in taken] == [False] * len(taken)


def test_the_newest_session_is_called_last(shell: Shell) -> None:
    none = shell.run("export", "last")
    shell.run("ask", "-p", "extractive", "What is a marker?")
    shell.run("ask", "--session", "last", "-p", "extractive", "What is a source?")
    shell.run("ask", "-p", "extractive", "What is a workspace?")

    listed = json.loads(shell.run("sessions", "--json").stdout)
    found = shell.run("sessions", "source").stdout
    exported = shell.run("export", "last").stdout

    assert (none.returncode, "there is no session yet" in none.stderr) == (1, True)
    assert [each["title"] for each in listed] == ["What is a workspace?", "What is a marker?"]
    assert listed[1]["id"] in found
    assert exported.startswith("# What is a workspace?")


def test_an_exported_answer_of_a_plain_install_is_compared_with_its_library(shell: Shell) -> None:
    settings = (shell.folder / "config.toml").read_text("utf-8")
    assert "library" not in settings
    shell.run("ask", "-p", "extractive", "Who places the citations, the model or the software?")
    (shell.folder / "answer.md").write_text(shell.run("export", "last").stdout, "utf-8")

    checked = json.loads(shell.run("check", "answer.md", "--json").stdout)
    [cited] = {each["url"] for each in checked["citations"]}
    read = shell.run("read", cited)
    claim = shell.run("check", "--claim", "Groundwire places every marker", cited)

    assert {each["state"] for each in checked["citations"]} == {"found"}
    assert (read.returncode, claim.returncode) == (0, 0), read.stderr + claim.stderr


def test_what_is_not_there_is_said(shell: Shell) -> None:
    (shell.folder / "bad.wacz").write_bytes(b"otters")

    nothing = shell.run("export", "nobody")
    bad = shell.run("bundle", "verify", "bad.wacz")

    assert (nothing.returncode, bad.returncode) == (1, 1)
    assert "there is no session and no answer 'nobody'" in nothing.stderr
    assert "is no bundle, or it is damaged" in bad.stderr
