"""What a program that we start gets to see of our environment: what it needs to run, no keys."""

from __future__ import annotations

import os
import site

_KEPT_VARIABLES = ("PATH", "LANG", "LD_LIBRARY_PATH", "SYSTEMROOT", "TZ")


def bare_environment(*also: str, **more: str) -> dict[str, str]:
    """Return the variables for a program that is not to see ours, but for those named."""
    names = (*_KEPT_VARIABLES, *also)
    return {**{name: os.environ[name] for name in names if name in os.environ}, **more}


def python_environment(**more: str) -> dict[str, str]:
    """Return the variables for a Python that is to find the same packages, and nothing else."""
    if site.ENABLE_USER_SITE:
        # Its place follows from HOME, which the program does not see.
        more = {"PYTHONUSERBASE": site.getuserbase(), **more}
    return bare_environment("PYTHONPATH", **more)
