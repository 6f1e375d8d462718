"""Where the shared test data is, and how to do without it."""

from pathlib import Path

import pytest

SHARED = Path(__file__).parents[2] / "shared"


def shared(path: str) -> Path:
    """Return a shared file or folder; skip the test where there is none."""
    found = SHARED / path
    if not found.exists():
        pytest.skip(f"needs the shared test data: no ../shared/{path}")
    return found
