"""How an extra is added to this installation: by pip, pipx, uv or uvx."""

from __future__ import annotations

import sys
from pathlib import Path


def install_command(extra: str, *, prefix: str = "") -> str:
    """Return the command that adds an extra in the way Groundwire was installed."""
    wanted = f"'groundwire[{extra}]'"
    place = Path(prefix or sys.prefix)
    if "pipx" in place.parts:
        return f"pipx install --force {wanted}"
    if not _is_made_by_uv(place):
        return f"pip install {wanted}"
    if place.parent.name == "tools":
        return f"uv tool install --force {wanted}"
    # What uvx makes lies in uv's cache, and is made anew for other wishes.
    if any(part.startswith(("archive-v", "builds-v", "environments-v")) for part in place.parts):
        return f"uvx --from {wanted} groundwire"
    return f"uv pip install {wanted}"


def _is_made_by_uv(place: Path) -> bool:
    try:
        lines = (place / "pyvenv.cfg").read_text(encoding="utf-8").splitlines()
    except OSError:
        return False
    return any(line.partition("=")[0].strip() == "uv" for line in lines)
