"""Where nothing is kept, no database is imported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from groundwire.sandbox import SandboxServer

SCRIPT = """
import sys
import groundwire

with groundwire.open(keep={keep}) as gw:
    answer = gw.ask("How do sea otters sleep?", search={search!r})
    assert answer.sources, answer.markdown
databases = {{"sqlalchemy", "alembic", "aiosqlite", "asyncpg", "groundwire.store"}}
print(*sorted(databases & set(sys.modules)))
"""


def _imported(sandbox: SandboxServer, home: Path, *, keep: bool, search: str = "auto") -> str:
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT.format(keep=keep, search=search)],
        env={
            "PATH": os.environ["PATH"],
            "HOME": str(home),
            "GROUNDWIRE_HOME": str(home),
            "GROUNDWIRE_PROVIDERS__ANTHROPIC__BASE_URL": sandbox.base_url("anthropic"),
            "GROUNDWIRE_PROVIDERS__SEARXNG__BASE_URL": sandbox.base_url("searxng"),
            "GROUNDWIRE_SEARCH_PROVIDER": "searxng",
            "ANTHROPIC_API_KEY": "any",
        },
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stderr == ""
    return done.stdout.strip()


def test_asking_without_keeping_imports_no_database(sandbox: SandboxServer, tmp_path: Path) -> None:
    assert _imported(sandbox, tmp_path, keep=False) == ""
    assert _imported(sandbox, tmp_path, keep=False, search="client") == ""
    assert [*tmp_path.glob("*.sqlite3")] == []


def test_asking_and_keeping_does(sandbox: SandboxServer, tmp_path: Path) -> None:
    assert "sqlalchemy" in _imported(sandbox, tmp_path, keep=True)
