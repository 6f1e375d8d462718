"""Diagnoses a service with one small request: what fails, why, and how to fix it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, TypeAlias

from groundwire import guard, registry
from groundwire.errors import (
    AuthError,
    BadReplyError,
    BlockedError,
    ConfigError,
    ConnectError,
    GroundwireError,
    InvalidRequestError,
    MissingKeyError,
    NoSessionError,
    NotInstalledError,
    OverloadedError,
    PluginError,
    ProviderBugError,
    QuotaError,
    RateLimitError,
    RefusedError,
    ServiceError,
    SessionExpiredError,
    TimedOutError,
    UnknownProviderError,
    UnsupportedError,
)
from groundwire.text.plural import plural
from groundwire.wire.contract import abilities

if TYPE_CHECKING:
    from groundwire.client import Client
    from groundwire.wire.contract import Endpoint, Provider

Find: TypeAlias = "Callable[[str], Endpoint]"
"""Returns a provider that is ready. Raises ConfigError if something it needs is missing."""

LOCAL = "local"
PAGE = "https://example.com/"
"""The page that readers are asked for; it exists for such purposes."""

_QUERY = "otters"
_UNREADABLE = "unreadable"
_SECOND = "name a second provider with `groundwire setup --{role} {name},OTHER`"

_SERVICE_FIXES: tuple[tuple[type[ServiceError], str], ...] = (
    (AuthError, "{key}, then `groundwire setup {name}`"),
    (QuotaError, "top up the account{at}, or {second}"),
    (RateLimitError, "wait {wait}, or {second}"),
    (RefusedError, "it does not do this for this account: see its terms{at}, or {second}"),
    (OverloadedError, "try again later, or {second}"),
    (InvalidRequestError, "see that base_url and options under [providers.{name}] are right"),
    (ProviderBugError, "report it to the maker of the provider, and {second}"),
    (BadReplyError, "see that base_url under [providers.{name}] is the service itself"),
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Diagnosis:
    """What is known of a provider in one role: answer, search, read or embed.

    `tried` is what was asked of it, "" if nothing was. `found` is what that showed, or the reason
    in the error's own words; `code` is the error's, "" if there is none.
    """

    provider: str
    role: str
    tried: str
    works: bool
    found: str
    code: str = ""
    fix: str = ""


def look_at(name: str, role: str, find: Find) -> Diagnosis:
    """Check a provider's configuration without a request."""
    try:
        found = _configured(name, role, find)
    except (ConfigError, ProviderBugError) as error:
        return _failed(name, role, "", error)
    return Diagnosis(provider=name, role=role, tried="", works=True, found=found)


async def try_out(
    name: str, role: str, find: Find, client: Client, *, page: str = PAGE, seconds: float = 30
) -> Diagnosis:
    """Make one small request of the kind that a provider's role is about."""
    tried = {
        "search": f"a search for {_QUERY!r}",
        "read": f"reading {page}",
        "answer": "the list of its models",
        "embed": f"the vector of {_QUERY!r}",
    }[role]
    try:
        _configured(name, role, find)
    except (ConfigError, ProviderBugError) as error:
        return _failed(name, role, "", error)
    try:
        if name == LOCAL:
            found = await _opened(client, page)
        else:
            found = await asked(find(name), client, role, page=page, seconds=seconds)
    except GroundwireError as error:
        return _failed(name, role, tried, error)
    return Diagnosis(provider=name, role=role, tried=tried, works=True, found=found)


def roles_of(name: str) -> Sequence[str]:
    """Return the roles that a provider can have."""
    return ("read",) if name == LOCAL else abilities(registry.get(name))


def check_role(name: str, role: str) -> None:
    """Refuse a provider for what it cannot do.

    Raises:
        UnknownProviderError: No provider has this name.
        UnsupportedError: It cannot do this.
    """
    if role not in roles_of(name):
        raise UnsupportedError(name, role)


def fix_of(error: GroundwireError, name: str, role: str) -> str:
    """Return what a person can do about an error of a provider."""
    if isinstance(error, NotInstalledError | PluginError):
        return error.fix
    if isinstance(error, ConfigError):
        return _config_fix(error, name)
    provider = None if name == LOCAL else registry.get(name)
    if isinstance(error, ServiceError):
        # What a provider's own file advises knows more than we do here.
        if error.fix and error.fix != error.usual_fix.format(service=error.service):
            return error.fix
        return _service_fix(error, name, role, provider)
    return _network_fix(error, name, role, provider)


def _network_fix(error: GroundwireError, name: str, role: str, provider: Provider | None) -> str:
    setting = f"{role}.timeout_seconds" if role != "answer" else "network.reply_timeout_seconds"
    match error:
        case TimedOutError():
            return f"see whether the service is up, or raise {setting} in the settings"
        case ConnectError():
            return _reach(name, provider)
        case BlockedError():
            return "see that this machine is online, or choose another page with --page"
        case _:
            return f"try again, or {_SECOND.format(role=role, name=name)}"


class _UnreadableError(GroundwireError):
    """A reader that works could not read the page."""

    code = _UNREADABLE


def _configured(name: str, role: str, find: Find) -> str:
    check_role(name, role)
    if name == LOCAL:
        return "our own reader opens pages itself"
    return configuration_of(find(name))


def configuration_of(endpoint: Endpoint) -> str:
    """Return a provider's configuration in words, without a request.

    Raises:
        NotInstalledError: It needs something that is not on this machine.
        ProviderBugError: Its own code fails.
    """
    from groundwire.client.failures import called  # noqa: PLC0415 - the network only when used

    access = endpoint.access
    if here := called(endpoint, partial(endpoint.provider.installed, access), str):
        return f"works on this machine, with {here}"
    if endpoint.provider.is_local:
        return "works on this machine, without a key"
    key = "with its key" if access.key else "without a key"
    return f"configured at {access.base_url}, {key}"


async def asked(
    endpoint: Endpoint, client: Client, role: str = "", *, page: str = PAGE, seconds: float = 30
) -> str:
    """Return what one small request to a provider showed; without a role, its first.

    Raises:
        GroundwireError: The service refuses, cannot be reached, or could not read the page.
    """
    from groundwire.client import (  # noqa: PLC0415 - the network only when used
        HttpReadProvider,
        HttpSearchProvider,
        ModelApiAdapter,
    )
    from groundwire.model import SearchQuery  # noqa: PLC0415 - as above

    role = role or abilities(endpoint.provider)[0]
    if role == "answer":
        models = await ModelApiAdapter(endpoint, client).list_models()
        return f"it offers {plural(len(models), 'model')}"
    if role == "embed":
        return await _embedded(endpoint, client, seconds)
    if role == "search":
        searcher = HttpSearchProvider(endpoint, client, patience_seconds=seconds)
        reply = await searcher.find(SearchQuery(text=_QUERY, limit=1))
        return "; ".join([f"it gave {plural(len(reply.results), 'result')}", *reply.notes])
    read = await HttpReadProvider(endpoint, client, patience_seconds=seconds).read_url(page)
    if not read.success and endpoint.provider.is_local:
        # A local library does not have the page that other readers are tried with.
        return f"it answers that {read.error}"
    if not read.success:
        raise _UnreadableError(read.error)
    return "; ".join([f"it gave {plural(read.content_length, 'character')}", *read.notes])


async def _embedded(endpoint: Endpoint, client: Client, seconds: float | None) -> str:
    from groundwire.client.embeddings import EmbeddingClient  # noqa: PLC0415 - as above

    asked = EmbeddingClient(endpoint, client)
    (vector,) = await asked.vectors([_QUERY], patience_seconds=seconds)
    return f"its vectors have {plural(len(vector), 'dimension')}"


async def _opened(client: Client, page: str) -> str:
    reply = await client.fetch_page(page, guard.ANYWHERE)
    if not 200 <= reply.status < 300:
        raise _UnreadableError(f"the page answered with HTTP status {reply.status}")
    return f"the page has {plural(len(reply.body), 'byte')}"


def _failed(name: str, role: str, tried: str, error: GroundwireError) -> Diagnosis:
    reason = _reason(error)
    status = getattr(error, "status", None)
    return Diagnosis(
        provider=name,
        role=role,
        tried=tried,
        works=False,
        found=f"HTTP {status}: {reason}" if status not in (None, 200) else reason,
        code=error.code,
        fix=fix_of(error, name, role),
    )


def _reason(error: GroundwireError) -> str:
    """Return the reason of an error without its fix, where the error has both."""
    match error:
        case ServiceError():
            return f"{error.reason} ({error.address})" if error.address else error.reason
        case NotInstalledError():
            return f"it needs {error.missing}"
        case PluginError():
            return error.reason
        case _:
            return error.with_address()


def _config_fix(error: ConfigError, name: str) -> str:
    match error:
        case NoSessionError():
            return "sign in with `opencode auth login`, provider OpenAI"
        case MissingKeyError():
            return f"{_get_key(registry.get(name))}, then `groundwire setup {name}`"
        case SessionExpiredError():
            return "run OpenCode once, so that it renews the session"
        case UnknownProviderError():
            return "choose one that `groundwire providers` lists"
        case UnsupportedError():
            return "choose one that `groundwire providers` lists with this ability"
        case _:
            return f"set what is missing under [providers.{name}] in the settings"


def _service_fix(error: ServiceError, name: str, role: str, provider: Provider | None) -> str:
    wait = error.retry_after_seconds
    second = _SECOND.format(role=role, name=name)
    template = next((text for kind, text in _SERVICE_FIXES if isinstance(error, kind)), "{second}")
    return template.format(
        name=name,
        at=_at(provider),
        key=_get_key(provider) or "see who may use it",
        wait=f"{wait:.0f} s" if wait else "a little",
        second=second,
    )


def _reach(name: str, provider: Provider | None) -> str:
    if provider is None:
        return "see that this machine is online"
    return (
        f"see that {provider.title} runs and can be reached from here, that base_url under "
        f"[providers.{name}] is right, and whether a proxy is needed"
    )


def _get_key(provider: Provider | None) -> str:
    if provider is None or provider.key_variable is None:
        return ""
    return f"get a key{_at(provider)}"


def _at(provider: Provider | None) -> str:
    return f" at {provider.key_url}" if provider and provider.key_url else ""
