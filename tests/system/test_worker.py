"""Programs that we start see nothing of our environment that they do not need."""

from __future__ import annotations

import ast
import os
import sys
from pathlib import Path

import pytest

import groundwire
from groundwire.reader import Limits, Reader
from groundwire.system.environment import bare_environment, python_environment
from groundwire.system.worker import Worker

SOURCE = Path(groundwire.__file__).parent
KEY = "canary_Xq7v-2Lw9.Zr4"
STARTERS = {
    "browser/process.py": "bare_environment",
    "providers/crawl4ai.py": "python_environment",
    "system/worker.py": "python_environment",
}
"""Who starts a program, and what makes its environment."""


@pytest.mark.skipif(sys.platform != "linux", reason="needs /proc")
async def test_the_readers_process_has_no_key_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAVILY_API_KEY", KEY)
    monkeypatch.setenv("GROUNDWIRE_HOME", "/nonexistent")

    async with Reader(Limits(processes=1)) as reader:
        page = await reader.read(b"Otters.", "text/plain", "https://a.example/")
        seen = [_environment(process) for process in _children("groundwire.reader.worker")]

    assert page.content == "Otters."
    assert len(seen) == 1
    allowed = {"PATH", "LANG", "LD_LIBRARY_PATH", "TZ", "PYTHONPATH", "PYTHONUSERBASE"}
    # What Python itself sets in a C locale, for its own children.
    assert {*seen[0]} - {"LC_CTYPE"} <= allowed
    assert KEY not in seen[0].values()


@pytest.mark.skipif(sys.platform == "win32", reason="Windows limits no CPU time")
async def test_a_process_that_uses_up_its_cpu_time_is_ended_by_the_system() -> None:
    worker = await Worker.start("groundwire.reader.worker", 1_500_000_000)
    table = b"<table>" + b"<tr><td>a</td><td>b</td></tr>" * 100_000
    request = {"content_type": "text/html", "url": "https://a.example/", "cpu_seconds": 0.02}

    with pytest.raises(TimeoutError):
        await worker.ask(request, table)

    await worker.stop()


def _children(module: str) -> list[Path]:
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        try:
            parent = (process / "stat").read_text().rpartition(")")[2].split()[1]
            command = (process / "cmdline").read_bytes().split(b"\0")
        except OSError:
            continue
        if int(parent) == os.getpid() and module.encode() in command:
            found.append(process)
    return found


def _environment(process: Path) -> dict[str, str]:
    pairs = (process / "environ").read_bytes().decode().split("\0")
    return dict(pair.partition("=")[::2] for pair in pairs if pair)


def test_only_what_is_named_is_handed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "HOME", "GROUNDWIRE_HOME", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, KEY)

    made = {**bare_environment(HOME="/x"), **python_environment()}

    assert KEY not in made.values()
    assert made["HOME"] == "/x"


def test_every_program_is_started_with_an_environment_of_its_own() -> None:
    found: dict[str, str] = {}
    for path in SOURCE.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            name = ast.unparse(node.func) if isinstance(node, ast.Call) else ""
            if name.endswith(("create_subprocess_exec", "create_subprocess_shell", "Popen")) or (
                name.startswith("subprocess.")
            ):
                assert isinstance(node, ast.Call)
                given = {each.arg: each.value for each in node.keywords}
                environment = given.get("env")
                made_by = ast.unparse(environment).partition("(")[0] if environment else "nothing"
                found[path.relative_to(SOURCE).as_posix()] = made_by

    assert found == STARTERS
