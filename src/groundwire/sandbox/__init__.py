"""A local server that speaks the providers' protocols, for demos, tests and faults.

The lowest layer: it knows nothing of the rest of the package, so that neither can cover up a
mistake of the other.
"""

from groundwire.sandbox.answers import Answerer, PlannedCall, Segment, ToolResult
from groundwire.sandbox.faults import FaultName
from groundwire.sandbox.journal import Entry
from groundwire.sandbox.pages import PAGES
from groundwire.sandbox.process import SandboxServer, serve
from groundwire.sandbox.server import Options, create_app
from groundwire.sandbox.web import BuiltInWeb, Domains, Hit, Library, WebPage

__all__ = [
    "PAGES",
    "Answerer",
    "BuiltInWeb",
    "Domains",
    "Entry",
    "FaultName",
    "Hit",
    "Library",
    "Options",
    "PlannedCall",
    "SandboxServer",
    "Segment",
    "ToolResult",
    "WebPage",
    "create_app",
    "serve",
]
