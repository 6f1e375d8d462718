"""`groundwire demo` in a folder of its own, for pictures of it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path


@contextmanager
def running_demo(folder: Path) -> Iterator[str]:
    """Start the demo as anybody would, without anybody's keys, and return its address."""
    with subprocess.Popen(
        [sys.executable, "-m", "groundwire", "demo", "--no-browser", "--port", "0"],
        env={"PATH": os.environ["PATH"], "HOME": str(folder), "TMPDIR": str(folder)},
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield next(line.strip() for line in process.stdout or () if "://" in line)
        process.terminate()
        process.wait(30)
