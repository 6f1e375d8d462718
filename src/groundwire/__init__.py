"""Cited web search for any model."""

__version__ = "0.1.0"
