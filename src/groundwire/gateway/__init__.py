"""The gateway: cited search behind any client that speaks OpenAI or Anthropic.

Gateway         the ASGI app, to be mounted under /v1
TokenAdmission  who is let in where there are no users
"""

from groundwire.gateway.app import PREFIX, ROUTES, Gateway
from groundwire.gateway.guest import Guest, NotAdmittedError, TokenAdmission

__all__ = [
    "PREFIX",
    "ROUTES",
    "Gateway",
    "Guest",
    "NotAdmittedError",
    "TokenAdmission",
]
