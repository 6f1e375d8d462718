"""How tests write a file of settings, and what is said of a wrong one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from groundwire.config import settings
from groundwire.errors import SettingsError

Write = Callable[[str], Path]


def complaint(file: Path | None, environment: dict[str, str] | None = None) -> tuple[str, str]:
    with pytest.raises(SettingsError) as caught:
        settings.load(file, environment or {})
    # The library's error holds the values, so ours must not carry it along.
    assert (caught.value.__cause__, caught.value.__context__) == (None, None)
    return caught.value.where, caught.value.reason
