"""What a query is about when it is not about one user or workspace: all, in so many words."""

from __future__ import annotations

from enum import Enum


class Scope(Enum):
    """A scope that somebody has to name: an absent value never means everyone."""

    ALL = "all"


ALL = Scope.ALL
"""Everyone's sessions, every workspace's entries."""
