"""The process that typesets: what it imports, and what is said where nothing can be served."""

from __future__ import annotations

import subprocess
import sys


def ended(program: str) -> str:
    """Run a program, and return the last line of what it complained of."""
    told = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=False
    )
    return told.stderr.strip().rpartition("\n")[2]


def test_the_process_that_typesets_imports_no_server() -> None:
    look = "import groundwire.web.typeset.worker, sys; sys.exit(str('fastapi' in sys.modules))"

    assert ended(look) == "False"


def test_without_its_extra_the_web_app_names_it() -> None:
    without = "import sys; sys.modules['fastapi'] = None; from groundwire.web import Options"

    assert "the web app needs the extra 'web'" in ended(without)
