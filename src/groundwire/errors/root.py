"""The root of every error."""

from __future__ import annotations

from typing import ClassVar


class GroundwireError(Exception):
    """Anything that Groundwire raises on purpose.

    Its words are for a person. A model is told `ours` as it is and `quoted` inside a fence: what
    a class does not call ours counts as a stranger's.
    """

    code: ClassVar[str] = "error"

    @property
    def ours(self) -> str:
        """Return what of its words we wrote alone, "" if nothing."""
        return ""

    @property
    def quoted(self) -> str:
        """Return what of its words may repeat a stranger's, "" if nothing."""
        return str(self)
