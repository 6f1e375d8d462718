"""Wiring for the surfaces: names become providers, and everything becomes one program."""

from groundwire.service.factory import (
    OPENCODE_NAMES,
    adapter,
    endpoint,
    ledger,
    search_context,
    tools,
)

__all__ = ["OPENCODE_NAMES", "adapter", "endpoint", "ledger", "search_context", "tools"]
