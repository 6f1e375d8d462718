"""Configured providers: added, changed, given keys, tested, and asked for their models.

Settings pages, agents and the command line all come here. Keys go to the key store and nowhere
else.
"""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from groundwire import registry
from groundwire.client import ModelApiAdapter
from groundwire.conversation import ModelRecord, ProviderRecord
from groundwire.errors import ConflictError, NotFoundError, SettingsError, UnsupportedError
from groundwire.service.choosing import can_answer, key_variable
from groundwire.settings.schema import check_base_url

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.client import Client, ConnectionTestResult
    from groundwire.keys import Keys, KeySource
    from groundwire.model import Secret
    from groundwire.service.choosing import Chooser
    from groundwire.store import Store


class ProviderDesk:
    """Keeps the list of providers in order."""

    def __init__(self, store: Store, keys: Keys, chooser: Chooser, client: Client) -> None:
        self._store = store
        self._keys = keys
        self._chooser = chooser
        self._client = client

    async def list(self) -> Sequence[ProviderRecord]:
        """Return all of them, oldest first."""
        return await self._store.providers.list()

    async def get(self, name: str) -> ProviderRecord:
        """Return a provider by its id or name.

        Raises:
            NotFoundError: There is none.
        """
        records = await self.list()
        for record in records:
            if name in (record.id, record.name):
                return record
        known = ", ".join(record.name for record in records) or "there are none yet"
        raise NotFoundError(f"no provider is called {name!r}: {known}")

    async def add(self, record: ProviderRecord) -> ProviderRecord:
        """Keep a new provider; the first of all is used by default.

        Raises:
            ConfigError: Its type is unknown or does not answer, or its address is none.
            ConflictError: Another one has this name.
        """
        is_first = not await self.list()
        return await self._store.providers.create(replace(_checked(record), is_default=is_first))

    async def update(self, record: ProviderRecord) -> ProviderRecord:
        """Replace what is kept of a provider.

        A key that was kept for another address goes: whoever can change the address must not be
        able to have the key sent there.

        Raises:
            ConfigError: As for `add`.
            NotFoundError: There is no such provider.
        """
        before = await self._store.providers.get(record.id)
        if before.base_url != record.base_url and before.base_url:
            await self.remove_key(before)
        return await self._store.providers.update(_checked(record))

    async def set_default(self, record: ProviderRecord) -> ProviderRecord:
        """Let a provider answer wherever neither the agent nor the question names another.

        Raises:
            NotFoundError: There is no such provider.
        """
        return await self._store.providers.set_default(record.id)

    async def remove(self, record: ProviderRecord) -> None:
        """Forget a provider, its models and its key."""
        await self.remove_key(record)
        await self._store.providers.delete(record.id)

    async def set_key(self, record: ProviderRecord, key: Secret) -> KeySource:
        """Keep a provider's key, and return where.

        Raises:
            KeyStoreError: It is no key, or no place kept it.
        """
        return await asyncio.to_thread(self._keys.save, key_variable(record), key)

    async def remove_key(self, record: ProviderRecord) -> None:
        """Forget a provider's own key."""
        await asyncio.to_thread(self._keys.remove, key_variable(record))

    async def key_place(self, record: ProviderRecord) -> str:
        """Return where the key that a provider would use is, "" if it has none."""
        return await asyncio.to_thread(self._key_place, record)

    async def test(self, record: ProviderRecord) -> ConnectionTestResult:
        """Return whether a provider answers with its key.

        Raises:
            ConfigError: It has no key.
        """
        return await (await self._adapter(record)).test_connection()

    async def fetch_models(self, record: ProviderRecord) -> tuple[ModelRecord, ...]:
        """Ask a provider for its models, and keep the list.

        Raises:
            ServiceError: The service refuses.
            NetworkError: It cannot be reached.
        """
        listed = await (await self._adapter(record)).list_models()
        models = tuple(
            ModelRecord(
                provider_id=record.id,
                model=each.id,
                title=each.title,
                shutdown_date=each.shutdown_date,
            )
            for each in listed
        )
        await self._store.models.replace(record.id, models)
        return models

    async def set_default_model(self, record: ProviderRecord, model: str) -> ProviderRecord:
        """Set the model that a provider uses; where its models are known, it must be one.

        Raises:
            ConflictError: The provider does not offer it.
        """
        known = {each.model for each in await self._store.models.list(record.id)}
        if known and model not in known:
            raise ConflictError(f"{record.name!r} does not offer {model!r}: fetch its models")
        return await self._store.providers.update(replace(record, default_model=model))

    def _key_place(self, record: ProviderRecord) -> str:
        provider = registry.get(record.type)
        own = self._keys.find(key_variable(record))
        usual = record.base_url in ("", provider.base_url) and provider.key_variable
        found = own or (self._keys.find(provider.key_variable or "") if usual else None)
        return found.source.value if found else ""

    async def _adapter(self, record: ProviderRecord) -> ModelApiAdapter:
        choice = await asyncio.to_thread(self._chooser.of_record, record)
        return ModelApiAdapter(choice.endpoint, self._client)


def _checked(record: ProviderRecord) -> ProviderRecord:
    if not can_answer(record.type):
        raise UnsupportedError(record.type, "answer")
    if not record.base_url:
        return record
    try:
        return replace(record, base_url=check_base_url(record.base_url))
    except ValueError as error:
        raise SettingsError("base_url", str(error)) from error
