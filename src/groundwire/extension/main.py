"""The extension `web_search`: two tools for every model, over providers that its config names."""

from __future__ import annotations

from contextlib import AsyncExitStack
from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import ValidationError

from groundwire import doctor, registry, service
from groundwire.config.keys import FoundKey, Keys, KeySource
from groundwire.config.settings import Settings
from groundwire.config.settings.chains import named
from groundwire.errors import ConfigError, MissingKeyError, SettingsError, UnsupportedError
from groundwire.extension.interfaces import ExtensionTool, KnowsMessages
from groundwire.model import Secret
from groundwire.tools.web_contract import (
    OpenPagesToolResult,
    OpenPageToolResult,
    WebSearchToolResult,
)
from groundwire.wire.contract import abilities

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping
    from typing import Self

    from pydantic import BaseModel

    from groundwire.doctor import Diagnosis
    from groundwire.extension.interfaces import ExtensionContext
    from groundwire.search import SearchContext
    from groundwire.tools import Ledger, Tool
    from groundwire.wire.contract import Endpoint, ReadProvider, SearchProvider

LOCAL = doctor.LOCAL
_DOMAIN_LISTS = ("allowed_domains", "blocked_domains")


@dataclass(frozen=True, slots=True, kw_only=True)
class ExtensionHealth:
    """Whether the extension can search and read, and what is known of each provider."""

    is_healthy: bool
    providers: tuple[Diagnosis, ...]


class WebSearchExtension:
    """Searches and reads for one conversation; `async with` destroys it at the end.

    A provider that is named for both roles is one instance. `system_prompt` is what the host
    adds to its agent's instructions so that answers name their sources.
    """

    def __init__(self) -> None:
        self._resources = AsyncExitStack()
        self._endpoints: dict[str, Endpoint | MissingKeyError] = {}
        self._settings: Settings | None = None
        self._search_context: SearchContext | None = None
        self._ledger: Ledger | None = None
        self._context: ExtensionContext | None = None
        self._heard = 0

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.destroy()

    @property
    def system_prompt(self) -> str:
        """Return the sentence that has a model cite by number."""
        from groundwire.tools import CITE  # noqa: PLC0415 - the network only when used

        return CITE

    async def initialize(self, context: ExtensionContext) -> None:
        """Make the providers that the config names; a key that is missing is told by the tools.

        Raises:
            ConfigError: The config names something that is not there or cannot do it.
        """
        from groundwire.client import Client  # noqa: PLC0415 - the network only when used
        from groundwire.search import SearchContext  # noqa: PLC0415 - as above

        await self.destroy()
        settings = _settings_in(context)
        endpoints = {name: await _endpoint(name, settings, context) for name in _services(settings)}
        self._settings, self._endpoints = settings, endpoints
        client = await self._resources.enter_async_context(Client(settings.network))
        search_context = SearchContext(settings, client, find=self.provider)
        self._search_context = await self._resources.enter_async_context(search_context)
        self._ledger = service.ledger(settings)
        self._context, self._heard = context, 0

    def get_tools(self) -> list[ExtensionTool]:
        """Return `web_search` and `open_page`.

        Raises:
            ConfigError: The extension is not initialized.
        """
        from groundwire.tools import EXTENSION, web_tools  # noqa: PLC0415 - the network only when used

        tools = web_tools(*self._ready(), surface=EXTENSION)
        return [extension_tool(tool, self._listen) for tool in tools]

    def begin_turn(self, message: str) -> None:
        """Take a message of the user, whose URLs may be opened from now on."""
        self._ready()[1].begin_turn(message)

    def _listen(self) -> None:
        """Take what the user wrote since the last call, from a host that tells."""
        if not isinstance(self._context, KnowsMessages):
            return
        messages = [*self._context.get_user_messages()]
        for message in messages[self._heard :]:
            self.begin_turn(message)
        self._heard = len(messages)

    def provider(self, name: str) -> Endpoint:
        """Return a provider of the config, always the same one.

        Raises:
            MissingKeyError: It needs a key and the host has none.
        """
        found = self._endpoints[name]
        if isinstance(found, MissingKeyError):
            raise MissingKeyError(found.provider, found.variable)
        return found

    @property
    def searcher(self) -> SearchProvider:
        """Return what searches, for code instead of a model."""
        from groundwire.search import SearchChain  # noqa: PLC0415 - the network only when used

        return SearchChain(self._ready()[0])

    @property
    def reader(self) -> ReadProvider:
        """Return what reads pages, for code instead of a model."""
        from groundwire.search import ReadChain  # noqa: PLC0415 - the network only when used

        return ReadChain(self._ready()[0])

    async def health(self, *, live: bool = False, page: str = doctor.PAGE) -> ExtensionHealth:
        """Tell whether there is someone who searches and someone who reads; live asks them."""
        search_context, _ = self._ready()
        found: list[Diagnosis] = []
        for role, names in _roles(search_context.settings).items():
            for name in names:
                if live:
                    trying = doctor.try_out(
                        name, role, self.provider, search_context.client, page=page
                    )
                    found.append(await trying)
                else:
                    found.append(doctor.look_at(name, role, self.provider))
        working = {each.role for each in found if each.works}
        return ExtensionHealth(is_healthy=working == {"search", "read"}, providers=tuple(found))

    async def destroy(self) -> None:
        """Close every connection and stop the reader; calling it twice does no harm."""
        self._search_context = self._ledger = None
        self._endpoints = {}
        await self._resources.aclose()

    close = destroy

    def _ready(self) -> tuple[SearchContext, Ledger]:
        if self._search_context is None or self._ledger is None:
            raise ConfigError("the extension web_search is not initialized: call initialize first")
        return self._search_context, self._ledger


class _Secrets(Keys):
    """The one key that a host gave, instead of those of this machine."""

    def __init__(self, secret: str | None) -> None:
        super().__init__(environment={})
        self._secret = secret

    def find(self, variable: str) -> FoundKey | None:
        """Return the host's key."""
        if not self._secret:
            return None
        source = KeySource.ENVIRONMENT
        return FoundKey(key=Secret(self._secret), source=source, detail=variable)


def _settings_in(context: ExtensionContext) -> Settings:
    """Return the config as settings; domains may stand beside the providers, as in the manifest.

    Raises:
        SettingsError: A value of the config cannot be used.
    """
    settings = _validated(_given(context, Settings.model_fields))
    flat = _given(context, _DOMAIN_LISTS)
    if not flat:
        return settings
    # The host's settings and its config for this extension: neither may widen the other.
    both = settings.domains.narrowed(_validated({"search": flat}).domains)
    lists = {
        "allowed_domains": [*both.allowed],
        "blocked_domains": [*both.blocked] if both.allowed else ["*"],
    }
    return settings.model_copy(update={"search": settings.search.model_copy(update=lists)})


def _given(context: ExtensionContext, names: Iterable[str]) -> dict[str, object]:
    given = {name: context.get_config(name, None) for name in names}
    return {name: value for name, value in given.items() if value is not None}


def _validated(given: Mapping[str, object]) -> Settings:
    try:
        return Settings.model_validate(given)
    except ValidationError as error:
        [first, *_] = error.errors(include_url=False, include_input=False, include_context=False)
    # Raised out here: the library's error holds the values, and one of them may be a password.
    place = ".".join(str(part) for part in first["loc"])
    reason = first["msg"].removeprefix("Value error, ")
    raise SettingsError("the config of the extension web_search", f"{place}: {reason}")


def _roles(settings: Settings) -> dict[str, tuple[str, ...]]:
    return {"search": named(settings.search_provider), "read": named(settings.read_provider)}


def _services(settings: Settings) -> list[str]:
    """Return the names of all services, each once, whatever its roles.

    Raises:
        ConfigError: There is none of a name, or it cannot do what it is chosen for.
    """
    names: dict[str, None] = {}
    for role, chosen in _roles(settings).items():
        for name in chosen:
            if role == "read" and name == LOCAL:
                continue
            if role not in abilities(registry.get(name)):
                raise UnsupportedError(name, role)
            names[name] = None
    return [*names]


async def _endpoint(
    name: str, settings: Settings, context: ExtensionContext
) -> Endpoint | MissingKeyError:
    variable = registry.get(name).key_variable
    secret = await context.get_secret(variable) if variable else None
    try:
        return service.endpoint(name, settings, _Secrets(secret))
    except MissingKeyError as error:
        return error


def extension_tool(tool: Tool, listen: Callable[[], None] = lambda: None) -> ExtensionTool:
    """Return one of the web tools as a host calls it; `listen` is called before it runs."""
    return ExtensionTool(
        name=tool.name,
        description=tool.description,
        parameters=tool.input_schema,
        tool=tool,
        listen=listen,
        read=_searched if tool.name == "web_search" else _opened,
    )


def _searched(data: Mapping[str, object]) -> BaseModel:
    return WebSearchToolResult.model_validate(data)


def _opened(data: Mapping[str, object]) -> BaseModel:
    kind = OpenPagesToolResult if "pages" in data else OpenPageToolResult
    return kind.model_validate(data)
