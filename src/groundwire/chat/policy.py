"""A workspace's domains, held against everything that an answer names: the rule of all tools."""

from groundwire.tools.source_policy import WebPolicy

__all__ = ["WebPolicy"]
