"""Wiring for the surfaces: names become providers, and everything becomes one program."""

from groundwire.service.factory import adapter, endpoint, ledger, search_context, tools

__all__ = ["adapter", "endpoint", "ledger", "search_context", "tools"]
