"""A sandbox, and settings under which every service is its."""

from __future__ import annotations

from groundwire.testing import sandbox

__all__ = ["sandbox"]
