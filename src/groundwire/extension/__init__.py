"""The extension of seed 003: `web_search` and `open_page` for an agent platform of one's own.

async with WebSearchExtension() as extension:
    await extension.initialize(context)
    tools = extension.get_tools()
"""

from groundwire.extension.context import StandaloneContext
from groundwire.extension.interfaces import (
    Ask,
    ExtensionContext,
    ExtensionTool,
    KeySetup,
    KnowsMessages,
    ProviderNeeds,
    SetupProvider,
    ToolProvider,
)
from groundwire.extension.main import ExtensionHealth, WebSearchExtension
from groundwire.extension.manifest import MANIFEST, Manifest, entry_class, load_manifest
from groundwire.extension.setup import ProviderSetup, key_variable_of, needs_of

__all__ = [
    "MANIFEST",
    "Ask",
    "ExtensionContext",
    "ExtensionHealth",
    "ExtensionTool",
    "KeySetup",
    "KnowsMessages",
    "Manifest",
    "ProviderNeeds",
    "ProviderSetup",
    "SetupProvider",
    "StandaloneContext",
    "ToolProvider",
    "WebSearchExtension",
    "entry_class",
    "key_variable_of",
    "load_manifest",
    "needs_of",
]
