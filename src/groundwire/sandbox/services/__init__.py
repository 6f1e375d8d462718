"""The services that search and read, each under its own prefix."""

from groundwire.sandbox.services.brave import Brave
from groundwire.sandbox.services.duckduckgo import DuckDuckGo
from groundwire.sandbox.services.exa import Exa
from groundwire.sandbox.services.hits import Finder
from groundwire.sandbox.services.jina import Jina
from groundwire.sandbox.services.perplexity import Perplexity
from groundwire.sandbox.services.searxng import SearXNG
from groundwire.sandbox.services.service import Service, ServiceCall, check_fault, spoiled
from groundwire.sandbox.services.tavily import Tavily

SERVICES: tuple[Service, ...] = (
    Tavily(),
    SearXNG(),
    Perplexity(),
    Brave(),
    Exa(),
    Jina(),
    DuckDuckGo(),
)

__all__ = [
    "SERVICES",
    "Finder",
    "Service",
    "ServiceCall",
    "check_fault",
    "spoiled",
]
