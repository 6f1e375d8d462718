"""The page about searching says what is true, and its example runs."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path

import pytest

from groundwire import registry
from groundwire.sandbox import SandboxServer
from groundwire.wire.contract import abilities
from tests.forked import python

PAGE = (Path(__file__).parents[2] / "docs" / "search.md").read_text()


def test_the_examples_run_against_the_sandbox() -> None:
    code = "\n".join(re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL))

    with SandboxServer() as server:
        done = subprocess.run(
            python("-c", code),
            env={
                "PATH": os.environ["PATH"],
                "GROUNDWIRE_HOME": "/nonexistent",
                "GROUNDWIRE_PROVIDERS__DUCKDUCKGO__BASE_URL": server.base_url("duckduckgo"),
                "GROUNDWIRE_PROVIDERS__JINA__BASE_URL": server.base_url("jina"),
                "GROUNDWIRE_READ_PROVIDER": "jina",
            },
            capture_output=True,
            text=True,
            check=False,
        )

    assert done.stderr == ""
    assert "Sea otter https://wiki.example.net/sea-otter\n" in done.stdout
    assert "by duckduckgo filters: domains limit\n" in done.stdout
    assert "https://wiki.example.net/sea-otter " in done.stdout


@pytest.mark.parametrize("name", registry.names())
def test_every_provider_that_searches_or_reads_has_its_row(name: str) -> None:
    provider = registry.get(name)
    can = {ability for ability in abilities(provider) if ability in ("search", "read")}

    row = re.search(rf"^\| `{name}`.*$", PAGE, re.MULTILINE)

    assert (row is not None) == bool(can)
    if row is not None:
        _, _, searches, reads, *_ = (cell.strip() for cell in row[0].split("|"))
        assert (searches == "yes", reads == "yes") == ("search" in can, "read" in can)


def test_every_filter_that_a_service_applies_is_in_its_row() -> None:
    words = {"limit": "limit", "domains": "domains", "time_range": "time"}
    for name in registry.names():
        filters = registry.get(name).filters
        for row in re.findall(rf"^\| `{name}`.*\|(.*)\|$", PAGE, re.MULTILINE):
            assert {key for key, word in words.items() if word in row} == filters
