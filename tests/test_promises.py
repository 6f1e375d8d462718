"""Every test that the page on promises names is there."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "promises.md").read_text()
_NAMED = re.compile(r"`(tests/[\w/]+\.py)::(test_\w+)`")


@cache
def _tests_of(path: Path) -> frozenset[str]:
    if not path.is_file():
        return frozenset()
    nodes = ast.parse(path.read_text()).body
    return frozenset(
        node.name for node in nodes if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
    )


def _promises() -> list[list[str]]:
    """Return the rows of promises: what is promised, and by what it is kept."""
    tables = PAGE.split("## Measured, not tested")[0]
    rows = [line.strip("| ").split(" | ") for line in tables.splitlines() if line.startswith("|")]
    return [row for row in rows if row[0] != "promise" and not row[0].startswith("---")]


def test_every_test_on_the_page_is_there() -> None:
    named = set(_NAMED.findall(PAGE))

    missing = [f"{path}::{name}" for path, name in named if name not in _tests_of(ROOT / path)]

    assert named
    assert missing == []


def test_every_promise_names_a_test_that_keeps_it() -> None:
    promises = _promises()

    unkept = [row for row in promises if len(row) != 2 or not _NAMED.search(row[1])]

    assert promises
    assert unkept == []


def test_no_promise_stands_twice() -> None:
    said = [row[0] for row in _promises()]

    assert sorted(set(said)) == sorted(said)
