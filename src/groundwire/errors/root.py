"""The root of every error."""

from __future__ import annotations

from typing import ClassVar


class GroundwireError(Exception):
    """Anything that Groundwire raises on purpose."""

    code: ClassVar[str] = "error"
