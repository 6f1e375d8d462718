"""Takes a person from a service's name to a service that works: which key, does it, where is it."""

from __future__ import annotations

import asyncio
import inspect
from typing import TYPE_CHECKING

from groundwire import doctor, registry, service
from groundwire.errors import ConfigError
from groundwire.extension.interfaces import KeySetup, ProviderNeeds
from groundwire.model import Secret
from groundwire.wire.contract import BorrowsSession, abilities

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.client import Client
    from groundwire.config.keys import Keys, KeySource
    from groundwire.config.settings import Settings
    from groundwire.doctor import Diagnosis
    from groundwire.extension.interfaces import Ask
    from groundwire.wire.contract import Endpoint, Provider


class ProviderSetup:
    """Sets providers up with our settings and our keys; `page` is what readers are tried with."""

    def __init__(
        self, settings: Settings, keys: Keys, client: Client, *, page: str = doctor.PAGE
    ) -> None:
        self._settings = settings
        self._keys = keys
        self._client = client
        self._page = page

    def providers(self) -> Sequence[ProviderNeeds]:
        """Return who there is and who needs a key, in alphabetical order."""
        return [needs_of(name, self._keys) for name in registry.usable()]

    async def set_up(
        self, name: str, ask: Ask, *, test: bool = True, keep_anyway: bool = False
    ) -> KeySetup:
        """Ask for a key, try it with a live call, and keep it if it works.

        With `keep_anyway` it is kept also if it does not, without `test` it is not tried.

        Raises:
            ConfigError: The provider takes no key.
            KeyStoreError: This is no key, or it could not be kept.
        """
        variable = key_variable_of(name)
        answer = ask(f"Key for {registry.get(name).title} ({variable})")
        text = await answer if inspect.isawaitable(answer) else answer
        if not text.strip():
            return KeySetup(provider=name, variable=variable)
        key = Secret(text.strip())
        diagnosis = await self.test(name, key) if test else None
        is_kept = keep_anyway or diagnosis is None or diagnosis.works
        saved = await asyncio.to_thread(self.save, name, key) if is_kept else None
        return KeySetup(provider=name, variable=variable, diagnosis=diagnosis, saved=saved)

    async def test(self, name: str, key: Secret) -> Diagnosis:
        """Return what a live call with a key shows; the key is not kept."""

        def find(named: str) -> Endpoint:
            return service.endpoint(named, self._settings, self._keys, key=key)

        role = doctor.roles_of(name)[0]
        return await doctor.try_out(name, role, find, self._client, page=self._page)

    def save(self, name: str, key: Secret) -> KeySource:
        """Keep a key and return where."""
        return self._keys.save(key_variable_of(name), key)


def key_variable_of(name: str) -> str:
    """Return the variable of a provider's key.

    Raises:
        ConfigError: It takes no key, or there is none of this name.
    """
    provider = registry.get(name)
    if isinstance(provider, BorrowsSession):
        raise ConfigError(f"{name!r} uses OpenCode's session: run `opencode auth login`")
    if provider.key_variable is None:
        raise ConfigError(f"{name!r} needs no key")
    return provider.key_variable


def needs_of(name: str, keys: Keys) -> ProviderNeeds:
    """Return what a person should know of a provider before choosing it."""
    provider = registry.get(name)
    found = keys.find(provider.key_variable) if provider.key_variable else None
    return ProviderNeeds(
        name=name,
        title=provider.title,
        about=(provider.__doc__ or "").strip().partition("\n")[0],
        roles=tuple(abilities(provider)),
        key=_key_of(provider),
        key_variable=provider.key_variable or "",
        key_url=provider.key_url,
        key_source=str(found.source) if found else "",
    )


def _key_of(provider: Provider) -> str:
    if isinstance(provider, BorrowsSession):
        return "session"
    if provider.key_variable is None:
        return "none"
    return "optional" if provider.key_is_optional else "required"
