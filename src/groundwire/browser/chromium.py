"""Programs that open pages on this machine: which Chromium there is."""

from __future__ import annotations

import shutil
from typing import TYPE_CHECKING

from groundwire.errors import NotInstalledError

if TYPE_CHECKING:
    from groundwire.wire.contract import Access

EXECUTABLES = (
    "chromium",
    "chromium-browser",
    "google-chrome",
    "google-chrome-stable",
    "chrome",
)


def find_chromium(name: str, access: Access) -> str:
    """Return the program that a provider of this name starts.

    Raises:
        NotInstalledError: It is not there.
    """
    chosen = access.options.get("executable")
    names = (str(chosen),) if chosen else EXECUTABLES
    found = next((path for each in names if (path := shutil.which(each))), None)
    if found is None:
        missing = f"there is no program {chosen!r}" if chosen else "there is no Chromium"
        raise NotInstalledError(
            name,
            f"a browser, and {missing}",
            fix=f"install Chromium or set providers.{name}.options.executable",
        )
    return found
