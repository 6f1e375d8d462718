"""A machine for the tests of keys: one variable, one key, and the file that keys may be in."""

from __future__ import annotations

import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from groundwire.config.keys import Keys

VARIABLE = "TAVILY_API_KEY"
CANARY = "tvly-canary-8d1f"

MakeKeys = Callable[..., Keys]

posix_only = pytest.mark.skipif(os.name != "posix", reason="needs the file modes of POSIX")


def write_keys(file: Path, text: str) -> None:
    file.parent.mkdir(exist_ok=True)
    file.write_text(text)
    file.chmod(0o600)


def saved(file: Path) -> dict[str, str]:
    keys: dict[str, str] = json.loads(file.read_text())
    return keys
