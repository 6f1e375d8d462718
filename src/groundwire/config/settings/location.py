"""Where the file of settings is, and the variables that say so."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from groundwire.system.files import home

__all__ = ["NOT_SETTINGS", "home", "settings_path"]

NOT_SETTINGS = ("GROUNDWIRE_CONFIG", "GROUNDWIRE_HOME")
"""Variables with our prefix that say where files are and are not settings themselves."""


def settings_path(environment: Mapping[str, str] | None = None) -> Path:
    """Return where the file of settings is: what GROUNDWIRE_CONFIG names, else one at home."""
    named = (os.environ if environment is None else environment).get("GROUNDWIRE_CONFIG")
    return Path(named) if named else home(environment) / "config.toml"
