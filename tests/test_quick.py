"""`make quick` runs what `tests/quick.txt` names: a part of every folder, all of it there."""

from __future__ import annotations

import re
from pathlib import Path

TESTS = Path(__file__).parent
ROOT = TESTS.parent
LINES = (TESTS / "quick.txt").read_text().splitlines()
NAMED = [line for line in LINES if not line.startswith("--ignore=")]
PATHS = [line.removeprefix("--ignore=").partition("::")[0] for line in LINES]


def test_everything_that_is_named_is_there() -> None:
    missing = [path for path in PATHS if not (ROOT / path).exists()]
    tests = [line.split("::") for line in NAMED if "::" in line]

    assert missing == []
    for path, name in tests:
        assert re.search(rf"^(async )?def {name}\(", (ROOT / path).read_text(), re.MULTILINE), name


def test_every_folder_of_tests_has_a_part_in_it() -> None:
    folders = {path.parent.relative_to(TESTS).parts[:1] for path in TESTS.rglob("test_*.py")}
    taken = {Path(line.partition("::")[0]).parts[1:2] for line in NAMED}

    assert {parts for parts in folders if parts} - taken == set()


def test_nothing_is_named_twice() -> None:
    assert len(LINES) == len(set(LINES))
    assert sorted(NAMED) == NAMED
