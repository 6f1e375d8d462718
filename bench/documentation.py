"""Documentation that Debian installs, as folders to fill a library with."""

from __future__ import annotations

from pathlib import Path

PATTERNS = {
    "python": "usr/share/doc/python3.*/html",
    "git": "usr/share/doc/git-doc",
    "postgresql": "usr/share/doc/postgresql-doc-*/html",
}
MISSING = "none of Debian's python3-doc, git-doc and postgresql-doc is installed"


def folders(root: Path = Path("/")) -> dict[str, Path]:
    """Return the folders that are there, by name; `root` is where the packages are unpacked."""
    found = {name: sorted(root.glob(pattern)) for name, pattern in PATTERNS.items()}
    return {name: paths[0] for name, paths in found.items() if paths}
