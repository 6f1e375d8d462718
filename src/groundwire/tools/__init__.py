"""Tools for models: one list, from which MCP, the command line and chat take everything."""

from groundwire.tools.claim_checker import claim_tool
from groundwire.tools.fence import Ours, StrangersText, for_model, one_line, web_address
from groundwire.tools.functions import check_names, own_tools
from groundwire.tools.ledger import Ledger
from groundwire.tools.page_opener import page_result
from groundwire.tools.surfaces import CONVERSATION, EXTENSION, OVER_MCP, Surface
from groundwire.tools.tool import Progress, Tool, ToolOutput, offered_now, say_nothing
from groundwire.tools.web import CITE, Services, search_failure, search_result, web_tools
from groundwire.tools.websearch import BACKENDS, Ready, websearch_tools

__all__ = [
    "BACKENDS",
    "CITE",
    "CONVERSATION",
    "EXTENSION",
    "OVER_MCP",
    "Ledger",
    "Ours",
    "Progress",
    "Ready",
    "Services",
    "StrangersText",
    "Surface",
    "Tool",
    "ToolOutput",
    "check_names",
    "claim_tool",
    "for_model",
    "offered_now",
    "one_line",
    "own_tools",
    "page_result",
    "say_nothing",
    "search_failure",
    "search_result",
    "web_address",
    "web_tools",
    "websearch_tools",
]
