"""A local server that speaks the providers' protocols, for demos, tests and faults.

The lowest layer: it knows nothing of the rest of the package, so that neither can cover up a
mistake of the other.
"""

from groundwire.sandbox.answers import PlannedCall, Segment, ToolResult
from groundwire.sandbox.faults import FaultName
from groundwire.sandbox.pages import PAGES
from groundwire.sandbox.process import SandboxServer, serve
from groundwire.sandbox.web import BuiltInWeb, Domains, Hit, WebPage

__all__ = [
    "PAGES",
    "BuiltInWeb",
    "Domains",
    "FaultName",
    "Hit",
    "PlannedCall",
    "SandboxServer",
    "Segment",
    "ToolResult",
    "WebPage",
    "serve",
]
