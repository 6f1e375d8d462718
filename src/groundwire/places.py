"""Where our own files are on this machine."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path


def home(environment: Mapping[str, str] | None = None) -> Path:
    """Return the directory of our files: GROUNDWIRE_HOME, or what the platform uses."""
    chosen = (os.environ if environment is None else environment).get("GROUNDWIRE_HOME")
    if chosen:
        return Path(chosen)
    import platformdirs  # noqa: PLC0415 - only when nobody chose

    return platformdirs.user_config_path("groundwire", appauthor=False)
