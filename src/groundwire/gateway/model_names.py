"""What a model's name means here: a provider's model, an agent, an alias, with search or without.

anthropic/claude-sonnet-5-5            a configured provider's model
agent/Assistant                        an agent of the workspace, with its own model
claude-via-openai/gpt-5.5              the same as openai/gpt-5.5: Claude Code lists no other
openai/gpt-5.5:search                  the same, and the model may search although nobody asked
"""

from __future__ import annotations

import asyncio
import re
import time
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from groundwire import catalog
from groundwire.client import ModelApiAdapter
from groundwire.errors import ConfigError, GroundwireError, UnknownProviderError
from groundwire.service.provider_choice import LAST_RESORT, PREFERRED, can_answer
from groundwire.wire.inbound import InboundError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from groundwire.conversation import Agent, ProviderRecord
    from groundwire.gateway.guest import Guest
    from groundwire.service.program import Groundwire
    from groundwire.service.provider_choice import ProviderChoice
    from groundwire.store import Store

ALWAYS_ON = ":search"
AGENT = "agent/"
VIA = "claude-via-"
LIST_SECONDS = 300.0
WAIT_SECONDS = 2.5
"""Claude Code waits three seconds for the list."""
# The families whose own provider is asked where a client names no other.
_FAMILIES = (
    (re.compile(r"claude-"), ("anthropic",)),
    (re.compile(r"gpt-|o\d|chatgpt-|codex"), ("openai-responses", "openai", "codex")),
    (re.compile(r"gemini-"), ("gemini",)),
    (re.compile(r"[\w.-]+/[\w.:-]+"), ("openrouter",)),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Who answers to a name; `is_always_on` says that the model may search unasked."""

    name: str
    choice: ProviderChoice
    model: str
    agent: Agent | None = None
    is_always_on: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ListedModel:
    """A name that can be asked for."""

    id: str
    title: str
    owner: str


def slug(name: str) -> str:
    """Return a provider's or agent's name as one word."""
    return re.sub(r"[^a-z0-9._]+", "-", name.lower()).strip("-")


def store_of(program: Groundwire) -> Store | None:
    """Return what a program keeps, None if nothing."""
    try:
        return program.store
    except ConfigError:
        return None


class ModelNames:
    """Reads and lists the names of models for one program."""

    def __init__(self, program: Groundwire, clock: Callable[[], float] = time.monotonic) -> None:
        self._program = program
        self._clock = clock
        self._offered: dict[str, tuple[float, tuple[str, ...]]] = {}

    async def find(self, name: str, guest: Guest) -> Target:
        """Return who answers to a name; for an unknown one, who the settings name for that.

        Raises:
            InboundError: Nobody does.
            ConfigError: Whoever does lacks something.
        """
        settings = self._program.settings.gateway
        plain = settings.aliases.get(name, name).removeprefix(VIA)
        is_on = plain.endswith(ALWAYS_ON)
        plain = plain.removesuffix(ALWAYS_ON)
        plain = settings.aliases.get(plain, plain)
        found = await self._named(plain, guest)
        if found is None and settings.default_model:
            found = await self._named(settings.default_model.removesuffix(ALWAYS_ON), guest)
            is_on = is_on or settings.default_model.endswith(ALWAYS_ON)
        if found is None:
            raise InboundError(
                f"no model is called {name!r} here: GET /v1/models lists them, and "
                "gateway.default_model in the settings is asked for unknown names",
                param="model",
            )
        return replace(found, name=name, is_always_on=is_on or found.is_always_on)

    async def listed(self, guest: Guest) -> list[ListedModel]:
        """Return all names, those of models each with its variants."""
        records = await self._records()
        names = await asyncio.to_thread(self._provider_names, records)
        lists = await asyncio.gather(*(self._models_of(name, records) for name in names))
        plain = [
            ListedModel(id=f"{name}/{model}", title=model, owner=name)
            for name, models in zip(names, lists, strict=True)
            for model in models
        ]
        agents = [
            ListedModel(id=f"{AGENT}{slug(agent.name)}", title=agent.name, owner="groundwire")
            for agent in await self._agents(guest)
        ]
        aliases = [
            ListedModel(id=alias, title=name, owner="groundwire")
            for alias, name in self._program.settings.gateway.aliases.items()
        ]
        return [*aliases, *(each for one in [*plain, *agents] for each in _variants(one))]

    async def _named(self, name: str, guest: Guest) -> Target | None:
        if name.startswith(AGENT):
            return await self._agent(name, guest)
        records = await self._records()
        head, slash, rest = name.partition("/")
        if slash and rest and (choice := await self._choice(head, records)):
            return Target(name=name, choice=choice, model=rest)
        if choice := await self._choice(name, records):
            model = await self._program.chooser.model(choice)
            return Target(name=name, choice=choice, model=model)
        for family, providers in _FAMILIES:
            if family.match(name):
                for each in providers:
                    if choice := await self._first_of_type(each, records):
                        return Target(name=name, choice=choice, model=name)
        return None

    async def _agent(self, name: str, guest: Guest) -> Target | None:
        wanted = name.removeprefix(AGENT)
        for agent in await self._agents(guest):
            if wanted in (agent.id, agent.name) or slug(wanted) == slug(agent.name):
                records = await self._records()
                named = agent.preferred_provider_id or ""
                choice = await self._program.chooser.in_thread(named, records)
                model = await self._program.chooser.model(choice, agent.preferred_model_id or "")
                return Target(
                    name=name,
                    choice=choice,
                    model=model,
                    agent=agent,
                    is_always_on=agent.web_search_enabled,
                )
        return None

    async def _choice(self, name: str, records: Sequence[ProviderRecord]) -> ProviderChoice | None:
        """Return a provider by its name; None if none is called so."""
        record = next((each for each in records if _is_called(each, name)), None)
        try:
            if record is None and not await asyncio.to_thread(can_answer, name):
                return None
            return await self._program.chooser.in_thread(record.id if record else name, records)
        except UnknownProviderError:
            return None

    async def _first_of_type(
        self, kind: str, records: Sequence[ProviderRecord]
    ) -> ProviderChoice | None:
        record = next((each for each in records if each.type == kind), None)
        try:
            return await self._program.chooser.in_thread(record.id if record else kind, records)
        except ConfigError:
            return None

    async def _records(self) -> Sequence[ProviderRecord]:
        store = store_of(self._program)
        return await store.providers.list() if store else ()

    async def _agents(self, guest: Guest) -> Sequence[Agent]:
        store = store_of(self._program)
        return await store.agents.list(guest.workspace.id) if store else ()

    def _provider_names(self, records: Sequence[ProviderRecord]) -> list[str]:
        """Return the providers that can be asked, as a name here begins; looks for keys."""
        names = [slug(record.name) for record in records]
        settings = self._program.settings
        for name in dict.fromkeys([*settings.providers, *PREFERRED, LAST_RESORT]):
            try:
                if can_answer(name):
                    self._program.chooser.named(name, ())
                    names.append(name)
            except GroundwireError:
                continue
        return [*dict.fromkeys(names)]

    async def _models_of(self, name: str, records: Sequence[ProviderRecord]) -> Sequence[str]:
        """Return a provider's models, as last fetched; its default where it does not answer."""
        at, known = self._offered.get(name, (-LIST_SECONDS, ()))
        if self._clock() - at < LIST_SECONDS:
            return known
        choice = await self._choice(name, records)
        if choice is None:
            return ()
        usual = await self._usual(choice)
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                adapter = ModelApiAdapter(choice.endpoint, self._program.client)
                known = tuple(model.id for model in await adapter.list_models())
        except (GroundwireError, TimeoutError):
            return usual
        known = tuple(dict.fromkeys([*usual, *known]))
        self._offered[name] = (self._clock(), known)
        return known

    async def _usual(self, choice: ProviderChoice) -> tuple[str, ...]:
        chosen = self._program.settings.providers.get(choice.endpoint.name)
        record = choice.record.default_model if choice.record else ""
        model = record or (chosen and chosen.model)
        model = model or catalog.DEFAULT_MODELS.get(choice.endpoint.name, "")
        return (model,) if model else ()


def _variants(model: ListedModel) -> list[ListedModel]:
    """Return a model, the same with search, and both as Claude Code would list them."""
    found = [model]
    if not model.id.startswith(AGENT):
        on = replace(model, id=f"{model.id}{ALWAYS_ON}", title=f"{model.title} with search")
        found.append(on)
    if not re.search("claude|anthropic", model.id):
        found += [replace(each, id=f"{VIA}{each.id}") for each in [*found]]
    return found


def _is_called(record: ProviderRecord, name: str) -> bool:
    return name in (record.id, record.name) or slug(name) == slug(record.name)
