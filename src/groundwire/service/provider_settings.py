"""Configured providers: added, changed, given keys, tested, and asked for their models.

Settings pages, agents and the command line all come here: who asks is checked here, and what
they changed is noted in the audit. Keys go to the key store and nowhere else.
"""

from __future__ import annotations

import asyncio
from dataclasses import asdict, replace
from typing import TYPE_CHECKING

from groundwire import registry
from groundwire.client import ModelApiAdapter
from groundwire.config.settings.schema import check_base_url
from groundwire.conversation import AuditEntry, ModelRecord, ProviderRecord, new_id
from groundwire.errors import (
    ConflictError,
    NotFoundError,
    PluginError,
    SettingsError,
    UnknownProviderError,
    UnsupportedError,
)
from groundwire.service.actor import check_owner
from groundwire.service.provider_choice import can_answer, key_variable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.client import Client, ConnectionTestResult
    from groundwire.config.keys import Keys, KeySource
    from groundwire.model import Secret
    from groundwire.service.actor import Actor
    from groundwire.service.provider_choice import ProviderChooser
    from groundwire.store import Store


class ProviderSettings:
    """Keeps the list of providers in order, for one actor.

    Everything but reading the list is for the owner and raises ForbiddenError for others.
    """

    def __init__(
        self, store: Store, keys: Keys, chooser: ProviderChooser, client: Client, *, actor: Actor
    ) -> None:
        self.actor = actor
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
        check_owner(self.actor)
        is_first = not await self.list()
        kept = replace(_checked(record), is_default=is_first)
        added = await self._store.providers.create(kept)
        await self._note("added", added, after=_words(added))
        return added

    async def update(self, record: ProviderRecord) -> ProviderRecord:
        """Replace what is kept of a provider.

        A key that was kept for another address goes: whoever can change the address must not be
        able to have the key sent there. Where its models are known, its default model is one.

        Raises:
            ConfigError: As for `add`.
            ConflictError: Another one has this name, or it does not offer the default model.
            NotFoundError: There is no such provider.
        """
        check_owner(self.actor)
        before = await self._store.providers.get(record.id)
        after = replace(_checked(record), key_name=before.key_name)
        await self._check_model(before, after)
        if self._chooser.address(before) != self._chooser.address(after):
            await self._forget_key(before)
            # Also a key that cannot be removed, such as one of the environment, is out of use.
            after = replace(after, key_name=new_id())
        after = await self._store.providers.update(after)
        if _words(before) != _words(after):
            await self._note("changed", after, before=_words(before), after=_words(after))
        return after

    async def set_default(self, record: ProviderRecord) -> ProviderRecord:
        """Let a provider answer wherever neither the agent nor the question names another.

        Raises:
            NotFoundError: There is no such provider.
        """
        check_owner(self.actor)
        after = await self._store.providers.set_default(record.id)
        await self._note("changed", after, before=_words(record), after=_words(after))
        return after

    async def remove(self, record: ProviderRecord) -> None:
        """Forget a provider, its models and its key."""
        check_owner(self.actor)
        await self._forget_key(record)
        await self._store.providers.delete(record.id)
        await self._note("removed", record, before=_words(record))

    async def set_key(self, record: ProviderRecord, key: Secret) -> KeySource:
        """Keep a provider's key, and return where.

        Raises:
            KeyStoreError: It is no key, or no place kept it.
        """
        check_owner(self.actor)
        place = await asyncio.to_thread(self._keys.save, key_variable(record), key)
        await self._note("set the key of", record)
        return place

    async def remove_key(self, record: ProviderRecord) -> None:
        """Forget a provider's own key."""
        check_owner(self.actor)
        await self._forget_key(record)
        await self._note("removed the key of", record)

    async def key_place(self, record: ProviderRecord) -> str:
        """Return where the key that a provider would use is, "" if it has none."""
        return await asyncio.to_thread(self._key_place, record)

    async def test(self, record: ProviderRecord) -> ConnectionTestResult:
        """Return whether a provider answers with its key.

        Raises:
            ConfigError: It has no key.
        """
        check_owner(self.actor)
        return await (await self._adapter(record)).test_connection()

    async def fetch_models(self, record: ProviderRecord) -> tuple[ModelRecord, ...]:
        """Ask a provider for its models, and keep the list.

        Raises:
            ServiceError: The service refuses.
            NetworkError: It cannot be reached.
        """
        check_owner(self.actor)
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
        await self._note("fetched the models of", record)
        return models

    async def set_default_model(self, record: ProviderRecord, model: str) -> ProviderRecord:
        """Set the model that a provider uses; where its models are known, it must be one.

        Raises:
            ConflictError: The provider does not offer it.
        """
        return await self.update(replace(record, default_model=model))

    async def _check_model(self, before: ProviderRecord, after: ProviderRecord) -> None:
        model = after.default_model
        if model in ("", before.default_model):
            return
        known = {each.model for each in await self._store.models.list(after.id)}
        if known and model not in known:
            raise ConflictError(f"{after.name!r} does not offer {model!r}: fetch its models")

    async def _forget_key(self, record: ProviderRecord) -> None:
        await asyncio.to_thread(self._keys.remove, key_variable(record))

    async def _note(
        self, action: str, record: ProviderRecord, *, before: object = None, after: object = None
    ) -> None:
        entry = AuditEntry(
            actor=self.actor.name,
            action=action,
            subject=f"provider {record.name}",
            before=before,
            after=after,
        )
        await self._store.audit.add(entry)

    def _key_place(self, record: ProviderRecord) -> str:
        own = self._keys.find(key_variable(record))
        try:
            provider = registry.get(record.type)
        except (PluginError, UnknownProviderError):
            # Its package is broken or gone; the list of the others is wanted all the same.
            return own.source.value if own else ""
        usual = provider.key_variable if self._chooser.has_usual_address(record) else None
        found = own or (self._keys.find(usual) if usual else None)
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


def _words(record: ProviderRecord) -> dict[str, str | bool]:
    """Return what of a provider is in the audit."""
    noted = ("name", "type", "base_url", "default_model", "is_default")
    return {name: value for name, value in asdict(record).items() if name in noted}
