"""What OpenCode keeps on this machine: credentials and configuration. Read, never written."""

from groundwire.config.opencode.configuration import Configuration, configuration
from groundwire.config.opencode.records import AUTH_CONTENT, api_key, credentials, data_folder

__all__ = [
    "AUTH_CONTENT",
    "Configuration",
    "api_key",
    "configuration",
    "credentials",
    "data_folder",
]
