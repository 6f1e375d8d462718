"""The example of docs/store.md is what happens."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from groundwire.store.migration import REVISIONS
from tests.forked import python

PAGE = (Path(__file__).parents[2] / "docs" / "store.md").read_text()


def test_the_example_of_the_page_runs(tmp_path: Path) -> None:
    (code,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)

    done = subprocess.run(
        python("-c", code), cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert (done.stdout, done.stderr) == ("USER Do otters sleep?\n", "")
    assert (tmp_path / "chat.sqlite3").exists()


def test_the_page_has_every_revision() -> None:
    assert re.findall(r"^\| (\d{4}) \|", PAGE, re.MULTILINE) == list(REVISIONS)
