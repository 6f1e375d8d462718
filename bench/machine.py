"""The machine that a run was made on, in a few words."""

from __future__ import annotations

import os
import platform
from pathlib import Path


def described() -> dict[str, str]:
    """Return what a reader of the figures wants to know of the machine."""
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / (1 << 30)
    return {
        "processor": f"{_processor()}, {os.cpu_count()} cores",
        "memory": f"{memory:.0f} GB",
        "system": f"{platform.system()} {'.'.join(platform.release().split('.')[:2])}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
    }


def _processor() -> str:
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return " ".join(line.partition(":")[2].split())
    return platform.machine()
