"""`Tool` and `ToolOutput`: what MCP, the command line and chat offer to a model."""

from __future__ import annotations

import json
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias

from groundwire.tools.fence import ModelText, fenced_data, for_model, plain_data

if TYPE_CHECKING:
    from groundwire.model import Json, Usage
    from groundwire.wire.contract import Provider

Progress: TypeAlias = Callable[[str], Awaitable[None]]
"""Called with a few words whenever a tool has come further."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Spent:
    """What a model that a tool asked has used, as its provider counts it."""

    usage: Usage
    model: str
    provider: Provider


@dataclass(frozen=True, slots=True, kw_only=True)
class ToolOutput:
    """What a tool gives back, complete in both: `text` in words, `data` as a structure.

    Both may reach a model, so both go through `fencing` here: what is not marked as ours is put
    inside a fence. `plain` is the data without fences, for our own programs alone. `data` fits the
    tool's output schema, also when `is_error`. `service` is who did the work, "" where nobody or
    several did. `spent` is for those who count, None where no model was asked.
    """

    text: str
    data: Mapping[str, Json]
    is_error: bool = False
    service: str = ""
    spent: Spent | None = None
    plain: Mapping[str, Json] = field(default_factory=dict)

    def __post_init__(self) -> None:
        told = self.text if isinstance(self.text, ModelText) else for_model(self.text)
        object.__setattr__(self, "text", told)
        if not self.plain:
            object.__setattr__(self, "plain", plain_data(self.data))
        object.__setattr__(self, "data", fenced_data(self.data))

    @property
    def words(self) -> str:
        """Return the text without fences, for a person."""
        return self.text.plain if isinstance(self.text, ModelText) else self.text


async def say_nothing(message: str) -> None:
    """Ignore progress."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """What a tool does only if the user agrees, where somebody can ask.

    `needed` returns the URLs in arguments that nobody has named yet; `decide` takes the user's
    word on one.
    """

    needed: Callable[[object], Sequence[str]]
    decide: Callable[[str, bool], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """Something that a model may do. The schemas are JSON Schema.

    A tool that `writes` changes something: whoever offers it asks the user first. `consent` is
    for a surface that cannot know what the user wrote. `as_offered` returns the tool as it can be
    used with what is configured now, None if it cannot; it may look for keys, so call it in a
    thread.

    `run` raises for nothing that a model or a service does wrong: that is an output with
    `is_error`. Cancelling it closes what it has opened.
    """

    name: str
    title: str
    description: str
    input_schema: Mapping[str, object]
    output_schema: Mapping[str, object]
    run: Callable[[object, Progress], Awaitable[ToolOutput]]
    writes: bool = False
    consent: Consent | None = None
    as_offered: Callable[[Tool], Tool | None] | None = None

    async def execute(self, arguments: object, progress: Progress = say_nothing) -> str:
        """Run the tool and return its data as JSON text, whatever happens."""
        output = await self.run(arguments, progress)
        return json.dumps(output.data, ensure_ascii=False, separators=(",", ":"))


def offered_now(tools: Iterable[Tool]) -> list[Tool]:
    """Return the tools that can be used with what is configured now."""
    now = (tool.as_offered(tool) if tool.as_offered else tool for tool in tools)
    return [tool for tool in now if tool is not None]
