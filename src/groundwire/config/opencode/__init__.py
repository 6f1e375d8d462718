"""What OpenCode keeps on this machine: credentials and configuration. Read, never written."""

from groundwire.config.opencode.configuration import configuration
from groundwire.config.opencode.records import AUTH_CONTENT, api_key, credentials

__all__ = [
    "AUTH_CONTENT",
    "api_key",
    "configuration",
    "credentials",
]
