"""Cited web search for any model.

Names are imported from their modules when they are first used, so that `import groundwire` costs
next to nothing.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from groundwire.version import VERSION

if TYPE_CHECKING:
    from groundwire import errors as errors
    from groundwire import events as events
    from groundwire.client import Client as Client
    from groundwire.client import ModelApiAdapter as ModelApiAdapter
    from groundwire.config.keys import Keys as Keys
    from groundwire.config.settings import Settings as Settings
    from groundwire.config.settings import load as load
    from groundwire.errors import GroundwireError as GroundwireError
    from groundwire.model import AssistantMessage as AssistantMessage
    from groundwire.model import Attachment as Attachment
    from groundwire.model import Citation as Citation
    from groundwire.model import Evidence as Evidence
    from groundwire.model import Page as Page
    from groundwire.model import SearchQuery as SearchQuery
    from groundwire.model import SearchResult as SearchResult
    from groundwire.model import ToolCall as ToolCall
    from groundwire.model import ToolDefinition as ToolDefinition
    from groundwire.model import ToolResultMessage as ToolResultMessage
    from groundwire.model import Usage as Usage
    from groundwire.model import UserMessage as UserMessage
    from groundwire.service import adapter as adapter
    from groundwire.service.open import open as open  # noqa: A004 - it is `groundwire.open`
    from groundwire.tools import Tool as Tool
    from groundwire.tools import ToolOutput as ToolOutput
    from groundwire.wire.contract import Question as Question

__version__ = VERSION

_HOMES = {
    "AssistantMessage": "model",
    "Attachment": "model",
    "Citation": "model",
    "Client": "client",
    "Evidence": "model",
    "GroundwireError": "errors",
    "Keys": "config.keys",
    "ModelApiAdapter": "client",
    "Page": "model",
    "Question": "wire.contract",
    "SearchQuery": "model",
    "SearchResult": "model",
    "Settings": "config.settings",
    "Tool": "tools",
    "ToolCall": "model",
    "ToolDefinition": "model",
    "ToolOutput": "tools",
    "ToolResultMessage": "model",
    "Usage": "model",
    "UserMessage": "model",
    "adapter": "service",
    "errors": "",
    "events": "",
    "load": "config.settings",
    "open": "service.open",
}

__all__ = ["__version__", *_HOMES]  # noqa: PLE0604 - the keys are texts


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'groundwire' has no attribute {name!r}")
    if home == "":
        return import_module(f"groundwire.{name}")
    return getattr(import_module(f"groundwire.{home}"), name)
