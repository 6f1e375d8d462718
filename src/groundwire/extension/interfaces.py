"""What an extension and its host are to one another: seed 003's protocols."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol, TypeAlias, runtime_checkable

from pydantic import BaseModel

if TYPE_CHECKING:
    from groundwire.config.keys import KeySource
    from groundwire.doctor import Diagnosis
    from groundwire.tools import Progress, Tool, ToolOutput

Ask: TypeAlias = Callable[[str], "str | Awaitable[str]"]
"""Asks a person a question and returns the answer, now or later; "" means that there is none."""


@runtime_checkable
class ExtensionContext(Protocol):
    """What a host gives its extensions."""

    def get_config(self, key: str, default: Any = None) -> Any:  # noqa: ANN401 - what a file holds
        """Return a value of the extension's config, the default if there is none."""

    async def get_secret(self, name: str) -> str | None:
        """Return a secret such as TAVILY_API_KEY, None if there is none."""


@runtime_checkable
class KnowsMessages(Protocol):
    """A context that also tells what the user wrote, so that the user's URLs can be opened."""

    def get_user_messages(self) -> Sequence[str]:
        """Return the user's messages of this conversation so far, oldest first."""


@runtime_checkable
class ToolProvider(Protocol):
    """An extension that offers tools."""

    async def initialize(self, context: ExtensionContext) -> None:
        """Make ready with what the host configures."""

    def get_tools(self) -> Sequence[ExtensionTool]:
        """Return the tools."""

    async def destroy(self) -> None:
        """Let go of everything."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderNeeds:
    """A provider as a person chooses among them.

    `key` is required, optional, none or session; `key_source` is where a key was found, "" if
    there is none.
    """

    name: str
    title: str
    about: str
    roles: tuple[str, ...]
    key: str
    key_variable: str
    key_url: str
    key_source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class KeySetup:
    """What became of a key that a person gave.

    `diagnosis` is the live test, None if there was none. `saved` is where the key is kept now,
    None if it is not kept: it failed its test, or there was none.
    """

    provider: str
    variable: str
    diagnosis: Diagnosis | None = None
    saved: KeySource | None = None


@runtime_checkable
class SetupProvider(Protocol):
    """Takes a person from a service's name to a service that works."""

    def providers(self) -> Sequence[ProviderNeeds]:
        """Return who there is and who needs a key."""

    async def set_up(
        self, name: str, ask: Ask, *, test: bool = True, keep_anyway: bool = False
    ) -> KeySetup:
        """Ask for a key, try it with a live call, and keep it if it works."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtensionTool:
    """A tool that a host calls: `await tool(query="otters")` gives a Pydantic model.

    `parameters` is the JSON Schema of the arguments. Nothing that a model or a service does
    wrong raises: the result says it. `run` gives the same with text for a model. What strangers
    wrote stands inside a fence in all of them. `listen` is called before the tool runs.
    """

    name: str
    description: str
    parameters: Mapping[str, object]
    tool: Tool
    read: Callable[[Mapping[str, object]], BaseModel]
    listen: Callable[[], None] = lambda: None

    async def __call__(self, **arguments: Any) -> BaseModel:  # noqa: ANN401 - checked by the tool
        """Call the tool."""
        return self.read((await self.run(arguments)).data)

    async def call_json(self, arguments: str) -> str:
        """Call the tool with the JSON that a model wrote, and return the result as JSON."""
        try:
            given: object = json.loads(arguments or "{}")
        except (ValueError, RecursionError):
            given = arguments  # The tool says what is wrong with it.
        return self.read((await self.run(given)).data).model_dump_json()

    async def run(self, arguments: object, progress: Progress | None = None) -> ToolOutput:
        """Call the tool with progress, for its text and its data."""
        from groundwire.tools import say_nothing  # noqa: PLC0415 - the network only when used

        self.listen()
        return await self.tool.run(arguments, progress or say_nothing)
