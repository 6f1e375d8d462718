"""The page about the extension says what is true: its example runs, and every name is there."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

from groundwire.extension import WebSearchExtension
from groundwire.sandbox import SandboxServer
from tests.fences import open_fences
from tests.forked import python

PAGE = (Path(__file__).parents[2] / "docs" / "extension.md").read_text()


def test_the_example_runs_against_the_sandbox(tmp_path: Path) -> None:
    [code] = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)

    with SandboxServer() as server:
        done = subprocess.run(
            python("-c", code),
            env={
                "PATH": os.environ["PATH"],
                "GROUNDWIRE_HOME": str(tmp_path),
                "GROUNDWIRE_PROVIDERS__DUCKDUCKGO__BASE_URL": server.base_url("duckduckgo"),
            },
            capture_output=True,
            text=True,
            check=False,
        )

    assert done.stderr == ""
    assert done.stdout.startswith("duckduckgo found 2 pages.")
    assert "[1] Sea otter https://wiki.example.net/sea-otter\n" in open_fences(done.stdout)


def test_every_method_of_the_extension_is_on_its_page() -> None:
    public = {name for name in vars(WebSearchExtension) if not name.startswith("_")}

    assert [name for name in sorted(public) if not re.search(rf"`{name}\b", PAGE)] == []
