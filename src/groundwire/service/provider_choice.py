"""Which provider and model answer, when nobody says so outright."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundwire import catalog, registry
from groundwire.errors import (
    MissingKeyError,
    NetworkError,
    PluginError,
    ServiceError,
    SessionExpiredError,
)
from groundwire.service.factory import address_of, endpoint, is_usual_address
from groundwire.wire.contract import abilities

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.client import Client
    from groundwire.config.keys import Keys
    from groundwire.config.settings import Settings
    from groundwire.conversation import ProviderRecord, Workspace
    from groundwire.tools import Services
    from groundwire.wire.contract import Endpoint

PREFERRED = ("anthropic", "openai-responses", "gemini", "openrouter", "codex", "openai")
"""Providers that are tried in this order when none is configured: the first that has a key."""

LAST_RESORT = "extractive"
"""Who answers when nobody has a key: it quotes what a search finds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProviderChoice:
    """Somebody who answers. `record` is None for a provider as the settings have it."""

    endpoint: Endpoint
    record: ProviderRecord | None = None


def default_record(records: Sequence[ProviderRecord]) -> ProviderRecord | None:
    """Return the provider that answers by default: the chosen one, else the oldest."""
    return next((each for each in records if each.is_default), records[0] if records else None)


def key_variable(record: ProviderRecord) -> str:
    """Return the name under which the key of a configured provider is kept, for its address."""
    return f"PROVIDER_KEY_{(record.key_name or record.id).upper()}"


class ProviderChooser:
    """Finds providers by name or id, and models by what is configured."""

    def __init__(self, settings: Settings, keys: Keys, client: Client) -> None:
        self._settings = settings
        self._keys = keys
        self._client = client

    def of_record(self, record: ProviderRecord) -> ProviderChoice:
        """Return a configured provider with its own address and key.

        Raises:
            ConfigError: It has no key, or its type is unknown.
        """
        found = self._keys.find(key_variable(record))
        ready = endpoint(
            record.type,
            self._settings,
            self._keys,
            key=found.key if found else None,
            base_url=record.base_url or None,
        )
        return ProviderChoice(endpoint=ready, record=record)

    def address(self, record: ProviderRecord) -> str:
        """Return where a configured provider is asked."""
        return address_of(record.type, self._settings, record.base_url)

    def has_usual_address(self, record: ProviderRecord) -> bool:
        """Tell whether the service's own key may go where a configured provider is asked."""
        return is_usual_address(record.type, self._settings, self.address(record))

    def named(self, name: str, records: Sequence[ProviderRecord]) -> ProviderChoice:
        """Return a configured provider by its name or id, else one of the registry.

        Raises:
            ConfigError: There is none of this name, or it lacks something.
        """
        for record in records:
            if name in (record.id, record.name):
                return self.of_record(record)
        return ProviderChoice(endpoint=endpoint(name, self._settings, self._keys))

    def first(self, records: Sequence[ProviderRecord]) -> ProviderChoice:
        """Return the provider that is used by default, else the first of ours that has a key.

        Without any key it is the extractive model, which needs none.

        Raises:
            ConfigError: A configured provider lacks something.
        """
        if record := default_record(records):
            return self.of_record(record)
        named = [name for name, each in self._settings.providers.items() if each.base_url]
        answering = [name for name in named if _is_answering(name)]
        for name in dict.fromkeys([*answering, *PREFERRED]):
            try:
                return ProviderChoice(endpoint=endpoint(name, self._settings, self._keys))
            except (MissingKeyError, SessionExpiredError):
                continue
        return ProviderChoice(endpoint=endpoint(LAST_RESORT, self._settings, self._keys))

    def known_model(self, record: ProviderRecord) -> str:
        """Return the model that is asked where nobody names one, "" if only the service knows."""
        return self._known_model(record.type, self.address(record), record.default_model)

    def _known_model(self, name: str, address: str, own: str) -> str:
        chosen = self._settings.providers.get(name)
        if known := own or (chosen and chosen.model):
            return known
        if name == "openai" and address != registry.get(name).base_url.rstrip("/"):
            return ""  # Whoever speaks OpenAI's protocol at another address has models of its own.
        return catalog.DEFAULT_MODELS.get(name, "") or registry.get(name).only_model

    async def model(self, choice: ProviderChoice, wish: str = "") -> str:
        """Return the model to ask: the wish, the configured one, or the provider's default.

        A local server speaks OpenAI's protocol and offers its own models: it is asked for them.
        Should it not answer, the question will fail there, with its reason, and be kept.
        """
        name = choice.endpoint.name
        own = choice.record.default_model if choice.record else ""
        if known := wish or self._known_model(name, choice.endpoint.access.base_url, own):
            return known
        usual = catalog.DEFAULT_MODELS.get(name, "")
        offered = await self._offered(choice.endpoint)
        if usual in offered or not offered:
            return usual
        return self._first_ordinary(choice, offered) or offered[0]

    async def ordinary_model(self, choice: ProviderChoice, model: str) -> str:
        """Return who could answer for a model that always searches, "" for every other model.

        It is the provider's default, or of a server of one's own the first that it offers; "" too
        if there is none that does not search unasked.
        """
        from groundwire.chat.plan import searches_always  # noqa: PLC0415 - as below

        endpoint = choice.endpoint
        if not searches_always(endpoint, model):
            return ""
        usual = catalog.DEFAULT_MODELS.get(endpoint.name, "")
        own_address = endpoint.provider.base_url.rstrip("/")
        if usual and endpoint.access.base_url == own_address:
            return usual
        offered = await self._offered(endpoint)
        return usual if usual in offered else self._first_ordinary(choice, offered)

    def _first_ordinary(self, choice: ProviderChoice, offered: Sequence[str]) -> str:
        from groundwire.chat.plan import searches_always  # noqa: PLC0415 - as below

        return next((each for each in offered if not searches_always(choice.endpoint, each)), "")

    async def _offered(self, endpoint: Endpoint) -> list[str]:
        from groundwire.client import ModelApiAdapter  # noqa: PLC0415 - the network only when used

        try:
            listed = await ModelApiAdapter(endpoint, self._client).list_models()
        except (ServiceError, NetworkError):
            return []
        return [model.id for model in listed]

    async def in_thread(self, name: str, records: Sequence[ProviderRecord]) -> ProviderChoice:
        """Return `named` or, for "", `first`: a locked keyring asks, and must stop nobody else."""
        if name:
            return await asyncio.to_thread(self.named, name, records)
        return await asyncio.to_thread(self.first, records)


def _is_answering(name: str) -> bool:
    try:
        return can_answer(name)
    except PluginError:
        return False  # Nobody asked for it by name; `groundwire doctor` says what is wrong.


def can_answer(name: str) -> bool:
    """Tell whether a provider of the registry speaks for models."""
    return "answer" in abilities(registry.get(name))


async def services_for(endpoint: Endpoint, settings: Settings, workspace: Workspace) -> Services:
    """Return who searches and reads for a model: for one that only quotes, the library first."""
    from groundwire.tools import Services  # noqa: PLC0415 - the network only when used

    if endpoint.name != LAST_RESORT:
        return Services()
    from groundwire.service.documentation import services_of  # noqa: PLC0415 - the library is rare

    return await services_of(settings, workspace.library)
