"""Where our own files are on this machine, and the variables that say so."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

NOT_SETTINGS = ("GROUNDWIRE_CONFIG", "GROUNDWIRE_HOME")
"""Variables with our prefix that say where files are and are not settings themselves."""


def home(environment: Mapping[str, str] | None = None) -> Path:
    """Return the directory of our files: GROUNDWIRE_HOME, or what the platform uses."""
    chosen = (os.environ if environment is None else environment).get("GROUNDWIRE_HOME")
    if chosen:
        return Path(chosen)
    import platformdirs  # noqa: PLC0415 - only when nobody chose

    return platformdirs.user_config_path("groundwire", appauthor=False)


def settings_path(environment: Mapping[str, str] | None = None) -> Path:
    """Return where the file of settings is: what GROUNDWIRE_CONFIG names, else one at home."""
    named = (os.environ if environment is None else environment).get("GROUNDWIRE_CONFIG")
    return Path(named) if named else home(environment) / "config.toml"
