"""Turns over the sandbox: a program of ours with a store of its own, and how to read it."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import aclosing, asynccontextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TypeVar

import groundwire
from groundwire import Keys, Settings
from groundwire.chat import ChatEvent
from groundwire.chat.events import TextShown, TurnEnded, TurnFailed, TurnStarted
from groundwire.conversation import ChatMessage
from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from groundwire.service.program import Groundwire
from tests.prepared import prepare

T = TypeVar("T")

CANARY = "canary_Xq7v-2Lw9.Zr4"  # No shape of a key that anyone knows, so nothing hides it by luck.
OTTERS = "How do sea otters sleep?"
HOSTED = ("anthropic", "openai-responses", "gemini", "openrouter", "openai")
_SERVICES = (*HOSTED, "searxng", "jina", "tavily")
_VARIABLES = ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "GEMINI_API_KEY", "OPENROUTER_API_KEY")


def keys(folder: Path, *more: str) -> Keys:
    """Return keys that every service of the sandbox takes; new ones go to this folder.

    `more` are variables of further services.
    """
    environment = dict.fromkeys((*_VARIABLES, *more), CANARY)
    return Keys(environment=environment, dotenv=folder / ".env", file=folder / "keys.json")


def settings(
    sandbox: SandboxServer,
    faults: Mapping[str, str] | None = None,
    more: Mapping[str, Json] | None = None,
    **tables: Json,
) -> Settings:
    """Return settings under which every service is the sandbox's, some with a fault.

    `more` are further providers.
    """
    given = faults or {}
    providers = {
        name: {"base_url": sandbox.base_url(name, fault=given.get(name, ""))} for name in _SERVICES
    }
    # Chat Completions search only with models made for it, and those are nobody's default.
    providers["openai"]["model"] = "gpt-5-search-api"
    chosen = {
        "search_provider": "searxng",
        "read_provider": "jina",
        "cache": {"kind": "off"},
        "network": {"retries": 0},
        # Tests of something else shall see no further visits to the cited pages.
        "checks": {"pages": "off"},
        **tables,
    }
    return Settings.model_validate({**chosen, "providers": {**providers, **(more or {})}})


@asynccontextmanager
async def opened(
    sandbox: SandboxServer,
    database: str,
    faults: Mapping[str, str] | None = None,
    **tables: Json,
) -> AsyncIterator[Talk]:
    """Open the program over the sandbox."""
    chosen = settings(sandbox, faults, **tables)
    path = Path(database.removeprefix("sqlite:///"))
    if "://" not in database:
        prepare(path)
    async with groundwire.open(
        settings=chosen, keys=keys(path.parent), database=database
    ) as program:
        yield Talk(program=program, sandbox=sandbox)


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """A program and the sandbox it speaks to."""

    program: Groundwire
    sandbox: SandboxServer

    async def turn(
        self,
        text: str = OTTERS,
        *,
        provider: str = "anthropic",
        search: str = "auto",
        domains: Sequence[str] = (),
        **options: Json,
    ) -> Told:
        """Run one turn to its end."""
        given: Json = {"search": search, **options}
        events = self.program.stream(text, provider=provider, domains=domains, **given)
        async with aclosing(events):
            return Told(events=[event async for event in events])

    async def allow(self, *domains: str, **changes: Json) -> None:
        """Change the personal workspace."""
        workspace = await self.program.store.workspaces.get("personal")
        changed = replace(workspace, web_allowed_domains=domains, **changes)
        await self.program.store.workspaces.update(changed)

    async def change_agent(self, **changes: Json) -> None:
        """Change the assistant."""
        agent = await self.program.agent()
        await self.program.store.agents.update(replace(agent, **changes))

    def asked(self) -> Json:
        """Return the body of the last request to a model."""
        return self.sandbox.requests[-1].body


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What happened in a turn."""

    events: list[ChatEvent]

    def of(self, kind: type[T]) -> list[T]:
        """Return the events of one kind."""
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def started(self) -> TurnStarted:
        """Return the first event."""
        first = self.events[0]
        assert isinstance(first, TurnStarted)
        return first

    @property
    def ended(self) -> TurnEnded:
        """Return the last event."""
        last = self.events[-1]
        assert isinstance(last, TurnEnded)
        return last

    @property
    def message(self) -> ChatMessage:
        """Return the answer as it is kept."""
        return self.ended.message

    @property
    def text(self) -> str:
        """Return the text as it was shown, without markers."""
        return "".join(event.text for event in self.of(TextShown))

    @property
    def failure(self) -> TurnFailed:
        """Return why the turn failed."""
        return self.of(TurnFailed)[0]

    @property
    def cited(self) -> list[str]:
        """Return the URLs that the answer rests on."""
        return [each.url for each in self.message.citations or ()]
