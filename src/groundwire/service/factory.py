"""A provider's name becomes something that can be asked."""

from __future__ import annotations

import os
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from groundwire import catalog, registry
from groundwire.config import opencode
from groundwire.errors import ConfigError, MissingKeyError, SettingsError
from groundwire.wire.contract import Access, BorrowsSession, Embeds, Endpoint

if TYPE_CHECKING:
    from groundwire.cache.redis_connection import RedisConnection
    from groundwire.client import Client, ModelApiAdapter
    from groundwire.config.keys import Keys
    from groundwire.config.settings import ProviderTable, Settings
    from groundwire.model import Secret
    from groundwire.search import SearchContext
    from groundwire.tools import Ledger, Ready, Surface, Tool
    from groundwire.wire.contract import Provider

OPENCODE_NAMES = {"codex": "openai", "gemini": "google", "openai-responses": "openai"}
"""What OpenCode calls a provider, where that is not our name for it."""


def endpoint(
    name: str,
    settings: Settings,
    keys: Keys,
    *,
    key: Secret | None = None,
    base_url: str | None = None,
) -> Endpoint:
    """Return a provider with its address, its key and its own settings; what is given wins.

    The key of a service is for its own address and the one in the settings, not for a given one.

    Raises:
        UnknownProviderError: No provider has this name.
        MissingKeyError: It needs a key and has none.
        ConfigError: It has no address.
    """
    provider = registry.get(name)
    chosen = settings.providers.get(name)
    address = address_of(name, settings, base_url or "")
    if not address and not provider.is_local:
        raise ConfigError(
            f"{name!r} has no address: set base_url under [providers.{name}] in the settings"
        )
    found = Access(base_url=address)
    if is_usual_address(name, settings, address):
        # A key belongs to the service's own address; a server of one's own may need none.
        is_needed = address == provider.base_url.rstrip("/") and not provider.key_is_optional
        found = _access(name, provider, keys, needs_key=is_needed and key is None)
    return Endpoint(
        name=name,
        provider=provider,
        access=Access(
            base_url=address,
            key=key or found.key,
            options={**found.options, **_options(provider, chosen)},
        ),
        idle_timeout_seconds=chosen.idle_timeout_seconds if chosen else None,
    )


def _options(provider: Provider, chosen: ProviderTable | None) -> dict[str, Any]:
    """Return a provider's own options; one that makes vectors always asks the same model."""
    if chosen is None:
        return {}
    has_model = isinstance(provider, Embeds) and chosen.model
    return {**chosen.options, **({"model": chosen.model} if has_model else {})}


def address_of(name: str, settings: Settings, base_url: str = "") -> str:
    """Return where a provider is asked: at the given address, else at its usual one."""
    chosen = settings.providers.get(name)
    usual = (chosen and chosen.base_url) or registry.get(name).base_url
    return (base_url or usual).rstrip("/")


def is_usual_address(name: str, settings: Settings, address: str) -> bool:
    """Tell whether a service's own key may go to an address: the service's, or the settings'."""
    return address == address_of(name, settings)


def _access(name: str, provider: Provider, keys: Keys, *, needs_key: bool) -> Access:
    """Return the key of a provider, or the session that it borrows; None where it needs none."""
    if isinstance(provider, BorrowsSession):
        from groundwire.client.failures import called  # noqa: PLC0415 - as below

        records = opencode.credentials(os.environ, Path.home())
        borrower = Endpoint(name=name, provider=provider, access=Access(base_url=""))
        borrow = partial(provider.session_access, records, datetime.now(UTC))
        return called(borrower, borrow, Access, has_secrets=True)
    found = keys.find(provider.key_variable) if provider.key_variable else None
    if found is None and provider.key_variable and needs_key:
        raise MissingKeyError(name, provider.key_variable)
    return Access(base_url=provider.base_url, key=found.key if found else None)


def adapter(name: str, settings: Settings, keys: Keys, client: Client) -> ModelApiAdapter:
    """Return a model provider, ready to be asked: the factory of adapters.

    Raises:
        UnsupportedError: The provider does not answer.
        ConfigError: Something it needs is missing.
    """
    from groundwire.client import ModelApiAdapter  # noqa: PLC0415 - the network only when used

    return ModelApiAdapter(endpoint(name, settings, keys), client)


def tools(
    keys: Keys,
    search_context: SearchContext,
    book: Ledger | None = None,
    *,
    surface: Surface | None = None,
) -> tuple[Tool, ...]:
    """Return every tool that models are offered: the one list of all surfaces.

    `book` is the ledger of a conversation; without one there is a new one for this list. Which of
    them can be used with what is configured, `groundwire.tools.offered_now` tells. Keys,
    sessions and OpenCode's files are looked for anew at every call, because a server lives longer
    than they do.
    """
    from groundwire.service.checked_websearch import with_checks  # noqa: PLC0415 - as above
    from groundwire.tools import (  # noqa: PLC0415 - the network only when used
        CONVERSATION,
        claim_tool,
        web_tools,
        websearch_tools,
    )

    find = partial(_ready, search_context.settings, keys, Path.cwd())
    shared = book or ledger(search_context.settings)
    where = surface or CONVERSATION
    of_the_web = web_tools(search_context, shared, surface=where)
    checks = claim_tool(search_context, shared, surface=where)
    answering = with_checks(websearch_tools(find, search_context.client), search_context)
    return (*of_the_web, checks, *answering)


def ledger(settings: Settings) -> Ledger:
    """Return the ledger of a new conversation."""
    from groundwire.tools import Ledger  # noqa: PLC0415 - the network only when used

    return Ledger(links_per_turn=settings.read.links_per_turn, is_open=settings.read.any_url)


def _ready(settings: Settings, keys: Keys, folder: Path, name: str) -> Ready:
    """Return a provider that searches, and the model that OpenCode, the settings or we choose."""
    from groundwire.tools import Ready  # noqa: PLC0415 - the network only when used

    configuration = opencode.configuration(os.environ, Path.home(), folder)
    problems = [str(problem) for problem in configuration.problems]
    try:
        found = _searcher(name, settings, keys, problems)
    except ConfigError as error:
        for problem in problems:
            error.add_note(problem)
        raise
    their_name = OPENCODE_NAMES.get(name, name)
    chosen = configuration.search_model(their_name).removeprefix(f"{their_name}/")
    ours = settings.providers.get(name)
    model = chosen or (ours and ours.model) or catalog.DEFAULT_MODELS[name]
    if notice := catalog.retirement_notice(model, datetime.now(UTC).date()):
        problems.append(notice)
    return Ready(endpoint=found, model=model, warnings=tuple(problems), domains=settings.domains)


def _searcher(name: str, settings: Settings, keys: Keys, problems: list[str]) -> Endpoint:
    """Return an endpoint that has a key: for Google's, OpenCode's own comes first."""
    key = None
    if name == "gemini":
        try:
            key = opencode.api_key(opencode.credentials(os.environ, Path.home()), "google")
        except SettingsError as error:
            problems.append(str(error))
    found = endpoint(name, settings, keys, key=key)
    if found.access.key is None and found.provider.key_variable:
        raise MissingKeyError(name, found.provider.key_variable)
    return found


def search_context(
    settings: Settings, keys: Keys, client: Client, redis: RedisConnection | None = None
) -> SearchContext:
    """Return what searching and reading need; made once per process, and closed by `async with`."""
    from groundwire.search import SearchContext  # noqa: PLC0415 - the network only when used

    find = partial(endpoint, settings=settings, keys=keys)
    return SearchContext(settings, client, find=find, redis=redis)
