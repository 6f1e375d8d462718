"""Settings: one TOML file, and the environment over it.

The file is the one that GROUNDWIRE_CONFIG names, else `config.toml` in `home()`. Each setting
also has a variable: `network.retries` is GROUNDWIRE_NETWORK__RETRIES. Keys are not settings.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from groundwire.config.settings.location import NOT_SETTINGS, home, settings_path

if TYPE_CHECKING:
    from groundwire.config.settings.descriptions import SettingDescription, describe
    from groundwire.config.settings.loader import load
    from groundwire.config.settings.metrics_table import MetricsSettings
    from groundwire.config.settings.schema import (
        CacheSettings,
        NetworkSettings,
        ProviderTable,
        RateLimitSettings,
        Settings,
    )
    from groundwire.config.settings.sso_table import SsoSettings
else:
    # Pydantic is slow to load, and whoever only asks for a place, as `keys` does, needs none.
    _MODULES = {
        "CacheSettings": "schema",
        "MetricsSettings": "metrics_table",
        "NetworkSettings": "schema",
        "ProviderTable": "schema",
        "RateLimitSettings": "schema",
        "SettingDescription": "descriptions",
        "Settings": "schema",
        "SsoSettings": "sso_table",
        "describe": "descriptions",
        "load": "loader",
    }

    def __getattr__(name: str) -> object:
        if name not in _MODULES:
            raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
        return getattr(import_module(f"{__name__}.{_MODULES[name]}"), name)


__all__ = [
    "NOT_SETTINGS",
    "CacheSettings",
    "MetricsSettings",
    "NetworkSettings",
    "ProviderTable",
    "RateLimitSettings",
    "SettingDescription",
    "Settings",
    "SsoSettings",
    "describe",
    "home",
    "load",
    "settings_path",
]
