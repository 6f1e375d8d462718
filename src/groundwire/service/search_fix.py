"""The next step of somebody whose search failed."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

from groundwire.errors import ConnectError, TimedOutError
from groundwire.library import library_path

if TYPE_CHECKING:
    from groundwire.config.settings import Settings
    from groundwire.errors import SearchFailedError


def search_fix(error: SearchFailedError, settings: Settings) -> str:
    """Return what would work instead: a library on this machine needs no network."""
    asked = [attempt.service for attempt in error.attempts]
    chosen = settings.providers.get("library")
    has_library = library_path(chosen.options if chosen else {}).exists()
    if has_library and "library" not in asked:
        command = f"groundwire search {shlex.quote(error.query)} --provider library"
        chain = ", ".join(f'"{name}"' for name in ["library", *asked])
        return (
            f"your library needs no network: `{command}`, or search_provider = [{chain}] in the "
            "settings"
        )
    if all(each.code in (ConnectError.code, TimedOutError.code) for each in error.attempts):
        return "check the network, or add documents of your own with `groundwire library add`"
    return "name another provider; `groundwire providers` lists them"
