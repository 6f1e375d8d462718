"""A sandbox for every test."""

from groundwire.testing import sandbox

__all__ = ["sandbox"]
