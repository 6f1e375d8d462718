"""Where our own files are on this machine, and how they are written."""

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


def private_folder(folder: Path) -> None:
    """Make a folder for files of ours, and those above it, where nobody else can look.

    One that is there stays as it is, but for our own at its usual place: earlier versions let
    everybody look into it.

    Raises:
        OSError: It cannot be made.
    """
    missing = [each for each in (folder, *folder.parents) if not each.exists()]
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)
    if not missing and folder == home({}) and folder.stat().st_mode & 0o077:
        folder.chmod(0o700)


def replace_file(path: Path, content: str | bytes, *, mode: int = 0o600) -> None:
    """Write a file so that a crash leaves the old one or the new one, and nobody else reads it.

    Raises:
        OSError: It cannot be written; the old one is untouched.
    """
    import tempfile  # noqa: PLC0415 - only for who writes

    # The temporary file is created with mode 600, and opened up only when it is complete.
    descriptor, name = tempfile.mkstemp(dir=path.parent, prefix=f"{path.name}.")
    temporary = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content.encode() if isinstance(content, str) else content)
            file.flush()
            os.fsync(file.fileno())
        temporary.chmod(mode)
        temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
