"""Every test that the pages on promises and on requirements name is there."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "promises.md").read_text()
REQUIREMENTS = (ROOT / "docs" / "requirements.md").read_text()
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


@pytest.mark.parametrize("page", [PAGE, REQUIREMENTS], ids=["promises", "requirements"])
def test_every_test_on_the_page_is_there(page: str) -> None:
    named = set(_NAMED.findall(page))

    missing = [f"{path}::{name}" for path, name in named if name not in _tests_of(ROOT / path)]

    assert named
    assert missing == []


def test_every_promise_names_a_test_that_keeps_it() -> None:
    promises = _promises()

    unkept = [row for row in promises if len(row) != 2 or not _NAMED.search(row[1])]

    assert promises
    assert unkept == []


def test_every_requirement_names_a_test_and_none_is_partly_met() -> None:
    rows = [line.strip("| ").split(" | ") for line in REQUIREMENTS.splitlines() if "::" in line]
    sections = re.findall(r"^## Document (\d{3})", REQUIREMENTS, re.MULTILINE)

    lines = [line for line in REQUIREMENTS.splitlines() if line.startswith("| ")]

    assert sections == ["000", "001", "002", "003", "004"]
    # All but the heads of the five tables.
    assert len(rows) == len(lines) - len(sections)
    assert not re.search(r"(?i)\b(partly|missing|to do|not yet)\b", REQUIREMENTS)


def test_no_promise_stands_twice() -> None:
    said = [row[0] for row in _promises()]

    assert sorted(set(said)) == sorted(said)
