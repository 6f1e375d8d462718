"""Cited web search for any model.

    import groundwire

    for result in groundwire.search("sea otter fur"):
        print(result.title, result.url)

    print(groundwire.read("https://example.com/").content)
    print(groundwire.ask("How do sea otters sleep?"))
    print(groundwire.check_claim("Sea otters weigh 45 kg", "https://example.com/").missing_numbers)

In a coroutine these are `asearch`, `aread`, `aask` and `acheck_claim`; `check_text` compares all
that a text cites with its pages. A program that asks more than once keeps a Groundwire open, which
shares connections, cached pages and rate limits, and can stream:

    with groundwire.open() as gw:
        answer = gw.ask("How do sea otters sleep?", domains=["example.com"])
        print(answer.text, answer.sources, answer.cost_usd)
        for event in gw.stream("And what do they eat?", session=answer.session_id):
            print(event)

`async with groundwire.open() as gw` has the same methods for asyncio. What fails is raised as a
`GroundwireError`; see `help(groundwire.errors)`. Settings and keys are those of the command line:
`groundwire doctor` shows what works and what is missing.
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

from groundwire.version import VERSION

if TYPE_CHECKING:
    from groundwire import errors as errors
    from groundwire import events as events
    from groundwire.chat.answer import Answer as Answer
    from groundwire.chat.events import ApprovalRequested as ApprovalRequested
    from groundwire.chat.events import BudgetReached as BudgetReached
    from groundwire.chat.events import ChatEvent as ChatEvent
    from groundwire.chat.events import CitationChecked as CitationChecked
    from groundwire.chat.events import MarkerShown as MarkerShown
    from groundwire.chat.events import Noticed as Noticed
    from groundwire.chat.events import PassageFolded as PassageFolded
    from groundwire.chat.events import SourceNumbered as SourceNumbered
    from groundwire.chat.events import SourcesRemoved as SourcesRemoved
    from groundwire.chat.events import SuggestionsShown as SuggestionsShown
    from groundwire.chat.events import TextShown as TextShown
    from groundwire.chat.events import ThinkingShown as ThinkingShown
    from groundwire.chat.events import ToolUpdate as ToolUpdate
    from groundwire.chat.events import TurnEnded as TurnEnded
    from groundwire.chat.events import TurnFailed as TurnFailed
    from groundwire.chat.events import TurnStarted as TurnStarted
    from groundwire.chat.events import UsageReported as UsageReported
    from groundwire.chat.events import WebSearchStarted as WebSearchStarted
    from groundwire.checks import Check as Check
    from groundwire.checks import CitationCheck as CitationCheck
    from groundwire.citations.sources import Source as Source
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
    from groundwire.model import PageMetadata as PageMetadata
    from groundwire.model import SearchQuery as SearchQuery
    from groundwire.model import SearchReply as SearchReply
    from groundwire.model import SearchResult as SearchResult
    from groundwire.model import ToolCall as ToolCall
    from groundwire.model import ToolDefinition as ToolDefinition
    from groundwire.model import ToolResultMessage as ToolResultMessage
    from groundwire.model import Usage as Usage
    from groundwire.model import UserMessage as UserMessage
    from groundwire.service import adapter as adapter
    from groundwire.service.claim_check import acheck_claim as acheck_claim
    from groundwire.service.claim_check import acheck_text as acheck_text
    from groundwire.service.claim_check import check_claim as check_claim
    from groundwire.service.claim_check import check_text as check_text
    from groundwire.service.one_liners import aask as aask
    from groundwire.service.one_liners import aread as aread
    from groundwire.service.one_liners import asearch as asearch
    from groundwire.service.one_liners import ask as ask
    from groundwire.service.one_liners import read as read
    from groundwire.service.one_liners import search as search
    from groundwire.service.open import BlockingGroundwire as BlockingGroundwire
    from groundwire.service.open import open as open  # noqa: A004 - it is `groundwire.open`
    from groundwire.service.program import Groundwire as Groundwire
    from groundwire.service.text_check import TextCheck as TextCheck
    from groundwire.tools import Tool as Tool
    from groundwire.tools import ToolOutput as ToolOutput
    from groundwire.wire.contract import Question as Question

__version__ = VERSION

# Names are imported from their modules when they are first used: `import groundwire` costs little.
_NAMES = {
    "": "errors events",
    "chat.answer": "Answer",
    "chat.events": (
        "ApprovalRequested BudgetReached ChatEvent CitationChecked MarkerShown Noticed "
        "PassageFolded SourceNumbered SourcesRemoved SuggestionsShown TextShown ThinkingShown "
        "ToolUpdate TurnEnded TurnFailed TurnStarted UsageReported WebSearchStarted"
    ),
    "checks": "Check CitationCheck",
    "citations.sources": "Source",
    "client": "Client ModelApiAdapter",
    "config.keys": "Keys",
    "config.settings": "Settings load",
    "errors": "GroundwireError",
    "model": (
        "AssistantMessage Attachment Citation Evidence Page PageMetadata SearchQuery "
        "SearchReply SearchResult ToolCall ToolDefinition ToolResultMessage Usage UserMessage"
    ),
    "service": "adapter",
    "service.claim_check": "acheck_claim acheck_text check_claim check_text",
    "service.one_liners": "aask aread asearch ask read search",
    "service.open": "BlockingGroundwire open",
    "service.program": "Groundwire",
    "service.text_check": "TextCheck",
    "tools": "Tool ToolOutput",
    "wire.contract": "Question",
}
_HOMES = {name: home for home, names in _NAMES.items() for name in names.split()}

__all__ = ["__version__", *sorted(_HOMES)]  # noqa: PLE0604 - the keys are texts


def __getattr__(name: str) -> object:
    home = _HOMES.get(name)
    if home is None:
        raise AttributeError(f"module 'groundwire' has no attribute {name!r}")
    if home == "":
        return import_module(f"groundwire.{name}")
    return getattr(import_module(f"groundwire.{home}"), name)


def __dir__() -> list[str]:
    return [*globals(), *_HOMES]


class _Package(ModuleType):
    """A package in which `groundwire.search` stays the function.

    Importing the subpackage of that name would replace it; `from groundwire.search import …` finds
    the subpackage all the same.
    """

    def __setattr__(self, name: str, value: object) -> None:
        if not (isinstance(value, ModuleType) and _HOMES.get(name)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package
