"""Tools for models: one list, from which MCP, the command line and chat take everything."""

from groundwire.tools.searching import Ready
from groundwire.tools.tool import Progress, Tool, ToolOutput, say_nothing
from groundwire.tools.websearch import BACKENDS, Backend, websearch_tools

__all__ = [
    "BACKENDS",
    "Backend",
    "Progress",
    "Ready",
    "Tool",
    "ToolOutput",
    "say_nothing",
    "websearch_tools",
]
