"""How many inputs the tests try that make up their own: few in the plain suite, more by night.

`FUZZ=100000` has every such test try so many, and other ones each time; a failure tells what makes
its input again. `make fuzz` runs those tests alone.
"""

from __future__ import annotations

import os
import secrets

_LONG_RUN = os.environ.get("FUZZ", "")

IS_RAISED = bool(_LONG_RUN)


def budget(plain: int) -> int:
    """Return how many inputs a test tries that has so many in the plain suite."""
    return max(plain, int(_LONG_RUN or 0))


def seed(plain: int) -> int:
    """Return the seed of a test that makes its inputs by chance: another one by night.

    `FUZZ_SEED` names the one of a failure.
    """
    return int(os.environ.get("FUZZ_SEED") or (secrets.randbits(32) if IS_RAISED else plain))
