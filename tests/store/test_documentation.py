"""The example of docs/store.md is what happens."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from groundwire.store.engines import _BUSY_SECONDS, Pool
from groundwire.store.health import _CHECKED_AT_START
from groundwire.store.migration import REVISIONS
from groundwire.store.store import LEASE_SECONDS, RENEW_SECONDS
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


def test_the_figures_of_the_page_are_those_that_hold() -> None:
    for words in (
        f"a lease of {LEASE_SECONDS:g} seconds and renews it every {RENEW_SECONDS:g}.",
        f"locked for more than {_BUSY_SECONDS:g} seconds",
        f"`store.pool_size` connections ({Pool().size})",
        f"`store.pool_wait_seconds` ({Pool().wait_seconds:g})",
        f"Above {_CHECKED_AT_START / 1e6:g} MB",
    ):
        assert words in PAGE
