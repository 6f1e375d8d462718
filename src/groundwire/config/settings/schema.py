"""Every setting: its name, type, limits, default and description, as pydantic models."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any, Literal, TypeAlias, TypeGuard, get_args, get_origin
from urllib.parse import urlsplit

from pydantic import AfterValidator, Field, model_validator

from groundwire import guard
from groundwire.config.settings.check_table import CheckSettings
from groundwire.config.settings.gateway_table import GatewaySettings
from groundwire.config.settings.library_table import LibrarySettings
from groundwire.config.settings.metrics_table import MetricsSettings
from groundwire.config.settings.price_table import PriceSettings
from groundwire.config.settings.quota_tables import QuotaSettings
from groundwire.config.settings.shared_tables import RedisSettings, StoreSettings
from groundwire.config.settings.snapshot_table import SnapshotSettings
from groundwire.config.settings.sso_table import SsoSettings
from groundwire.config.settings.table import Duration, Seconds, Size, Table
from groundwire.config.settings.web_table import WebSettings
from groundwire.version import VERSION

PREFIX = "GROUNDWIRE_"
"""How the variable of every setting begins."""

Location: TypeAlias = tuple[str, ...]
"""The names that lead to a setting, outermost first."""


def is_name(name: str) -> bool:
    """Say whether a text can be a provider's name."""
    return name.isascii() and name.replace("_", "").replace("-", "").isalnum()


def _check_name(name: str) -> str:
    if not is_name(name):
        raise ValueError("a provider's name has only letters, digits, _ and -")
    return name


def _check_domain(entry: str) -> str:
    if problem := guard.domain_problem(entry):
        raise ValueError(problem)
    return entry


def _check_web_address(address: str, schemes: tuple[str, ...] = ("http", "https")) -> str:
    try:
        parts = urlsplit(address)
        has_place = bool(parts.hostname) and parts.port != 0
    except ValueError:
        # The library's own words would repeat a part of the URL, which may be a password.
        has_place = False
    written = address.isascii() and address.isprintable() and " " not in address
    beginnings = tuple(f"{scheme}://" for scheme in schemes)
    if not (written and has_place and address.startswith(beginnings)):
        raise ValueError(f"expected a URL like {beginnings[0]}127.0.0.1:8888")
    return address


def _check_own_proxy(address: str) -> str:
    return address and _check_web_address(address, ("http", "https", "socks5", "socks5h"))


def check_base_url(address: str) -> str:
    """Return the address of a provider without the slash at its end.

    Raises:
        ValueError: It is no address, or holds more than one may; the words repeat nothing of it.
    """
    parts = urlsplit(_check_web_address(address))
    if "@" in parts.netloc:
        raise ValueError("a URL here holds no user or password; keep keys with `groundwire keys`")
    if parts.query or parts.fragment:
        raise ValueError("a base URL has no ? or #: paths are added to its end")
    return address.rstrip("/")


_Name: TypeAlias = Annotated[str, AfterValidator(_check_name)]
_Names: TypeAlias = _Name | Annotated[list[_Name], Field(min_length=1)]
_Domain: TypeAlias = Annotated[str, AfterValidator(_check_domain)]
_BaseUrl: TypeAlias = Annotated[str, AfterValidator(check_base_url)]
_Proxy: TypeAlias = Annotated[str, AfterValidator(lambda url: url and _check_web_address(url))]
_OwnProxy: TypeAlias = Annotated[str, AfterValidator(_check_own_proxy)]
_Port: TypeAlias = Annotated[int, Field(ge=1, le=65_535)]


class NetworkSettings(Table):
    """Limits on every connection; the values hold for all providers."""

    connect_timeout_seconds: Seconds = Field(default=5, description="Seconds to connect.")
    reply_timeout_seconds: Seconds = Field(
        default=120, description="Seconds that a service may search and think before it replies."
    )
    idle_timeout_seconds: Seconds = Field(
        default=60, description="Seconds that a service may send nothing before we give up."
    )
    total_timeout_seconds: Seconds = Field(default=600, description="Seconds for a whole call.")
    page_timeout_seconds: Seconds = Field(
        default=20, description="Seconds that opening one web page may take, redirects included."
    )
    retries: int = Field(
        default=2, ge=0, le=10, description="How often a failed call is made again; 0 means never."
    )
    max_reply_bytes: Size = Field(default=50_000_000, description="Most bytes of a whole reply.")
    max_page_bytes: Size = Field(default=5_000_000, description="Most bytes of a page, as sent.")
    max_decoded_page_bytes: Size = Field(
        default=20_000_000, description="Most bytes of a web page after decompression."
    )
    max_event_bytes: Size = Field(default=1_048_576, description="Most bytes of a streamed event.")
    max_redirects: int = Field(
        default=5, ge=0, le=20, description="How many redirects of a web page are followed."
    )
    proxy: _Proxy = Field(
        default="",
        repr=False,  # It may hold a password.
        description="URL of an HTTP proxy for the services in these settings; web pages are "
        "opened without it. Empty means none.",
    )
    page_ports: list[_Port] = Field(
        default=[80, 443, 8080, 8443], min_length=1, description="Ports at which pages are opened."
    )
    user_agent: str = Field(
        default=f"groundwire/{VERSION}",
        pattern="^[!-~][ -~]*$",
        description="How we name ourselves in every request, in printable ASCII.",
    )


class SearchSettings(Table):
    """How services are searched."""

    timeout_seconds: Seconds = Field(
        default=10, description="Seconds for one service, retries included, before the next one."
    )
    next_on_nothing: bool = Field(
        default=False, description="Ask the next provider also when one finds nothing."
    )
    together: bool = Field(
        default=False,
        description="Ask all search providers at once and mix what they find, the best of each "
        "first.",
    )
    allowed_domains: list[_Domain] = Field(
        default=[],
        description="Domains that may be found, read and cited, with their subdomains; empty means "
        "the whole web. A workspace, a message and a call can only narrow them.",
    )
    blocked_domains: list[_Domain] = Field(
        default=[],
        description="Domains that may not, whatever is allowed: a blocked domain always wins.",
    )


class ReadSettings(Table):
    """How pages are read."""

    timeout_seconds: Seconds = Field(
        default=30, description="Seconds for a service that reads pages, before the next one."
    )
    respect_robots: bool = Field(
        default=True,
        description="Whether a site's robots.txt is obeyed for what an agent opens on its own.",
    )
    links_per_turn: int = Field(
        default=3,
        ge=0,
        description="How many links found inside pages an agent may open for one message of the "
        "user; 0 means none.",
    )
    any_url: bool = Field(
        default=False,
        description="Whether an agent may open URLs that neither the user nor a result named. "
        "Pages can then have it send away what it knows.",
    )


class CacheSettings(Table):
    """What is kept of searches and pages, so that the same is not asked twice."""

    kind: Literal["memory", "sqlite", "off"] = Field(
        default="memory", description="Where answers are kept; off keeps none."
    )
    path: str = Field(
        default="",
        description="The file of a sqlite cache; empty means cache.sqlite3 beside the settings.",
    )
    search_seconds: Duration = Field(
        default=900, description="Seconds for which a search is not repeated; 0 repeats every one."
    )
    page_seconds: Duration = Field(
        default=3600,
        description="Seconds for which a page is not fetched again; 0 asks its server every time.",
    )
    max_entries: Size = Field(default=2_000, description="Most answers that are kept.")
    max_bytes: Size = Field(default=50_000_000, description="Most bytes of all kept answers.")


class RateLimitSettings(Table):
    """How hard others may be asked."""

    service_concurrency: Size = Field(
        default=4, description="How many requests one search or read service gets at once."
    )
    host_concurrency: Size = Field(
        default=2, description="How many pages of one host are opened at once."
    )
    host_delay_seconds: Duration = Field(
        default=0, description="Least seconds between two pages of one host."
    )
    failures: Size = Field(
        default=3, description="After how many failures in a row a service is left alone."
    )
    cooldown_seconds: Seconds = Field(
        default=5, description="Seconds for which it is left alone, until one request tries again."
    )


class ChatSettings(Table):
    """What one answer may use. Where a limit is 0, there is none."""

    searches: int = Field(default=5, ge=0, description="Most searches for one answer.")
    pages: int = Field(default=10, ge=0, description="Most pages opened for one answer.")
    rounds: int = Field(
        default=12, ge=1, description="Most replies of the model in one answer, tools in between."
    )
    seconds: Duration = Field(default=600, description="Seconds for one answer; 0 means no end.")
    tokens: int = Field(default=0, ge=0, description="Most tokens of one answer, read and written.")
    cost_usd: float = Field(
        default=0, ge=0, description="Most dollars for one answer, as far as they are known."
    )
    history_tokens: int = Field(
        default=60_000,
        ge=1_000,
        description="About how many tokens of a conversation are sent again; older turns are "
        "shortened, their sources kept.",
    )
    prices: dict[str, PriceSettings] = Field(
        default={},
        description="What tokens cost, by the beginning of a model's id, for the figures of cost; "
        "before the list prices that come with the program.",
    )


class ProviderTable(Table):
    """What one provider should do otherwise than its own file says."""

    base_url: _BaseUrl | None = Field(
        default=None, description="Where the service is: an http(s) URL without user or password."
    )
    idle_timeout_seconds: Seconds | None = Field(
        default=None, description="Replaces network.idle_timeout_seconds here, in seconds."
    )
    proxy: _OwnProxy | None = Field(
        default=None,
        repr=False,  # It may hold a password.
        description="URL of an HTTP or SOCKS5 proxy for duckduckgo, whose library connects by "
        "itself and does not use network.proxy; for all others that one holds.",
    )
    model: str | None = Field(
        default=None, description="The model to ask when a question names none.", min_length=1
    )
    options: dict[str, Any] = Field(
        default={},
        repr=False,  # Only the provider knows what is in there.
        description="The provider's own settings; its documentation lists them.",
    )

    @model_validator(mode="before")
    @classmethod
    def _hand_on_proxy(cls, given: Any) -> Any:  # noqa: ANN401 - whatever stands in the file
        """Put the proxy among the options too, which are all that a provider gets to see."""
        options = given.get("options", {}) if isinstance(given, dict) else None
        if not isinstance(options, dict) or not given.get("proxy"):
            return given
        return {**given, "options": {"proxy": given["proxy"], **options}}


class Settings(Table):
    """Every setting. `load` reads them; the class alone has the defaults and what it is given."""

    search_provider: _Names = Field(
        default="duckduckgo",
        description="The provider that searches; of a list, the first that can.",
    )
    read_provider: _Names = Field(
        default="local", description="The provider that reads pages; of a list, the first that can."
    )
    max_page_length: int = Field(
        default=15_000, ge=1, description="Most characters of one page that are handed on."
    )
    network: NetworkSettings = NetworkSettings()
    search: SearchSettings = SearchSettings()
    read: ReadSettings = ReadSettings()
    cache: CacheSettings = CacheSettings()
    rate_limits: RateLimitSettings = RateLimitSettings()
    chat: ChatSettings = ChatSettings()
    checks: CheckSettings = CheckSettings()
    snapshots: SnapshotSettings = SnapshotSettings()
    library: LibrarySettings = LibrarySettings()
    store: StoreSettings = StoreSettings()
    redis: RedisSettings = RedisSettings()
    web: WebSettings = WebSettings()
    quotas: QuotaSettings = QuotaSettings()
    sso: SsoSettings = SsoSettings()
    gateway: GatewaySettings = GatewaySettings()
    metrics: MetricsSettings = MetricsSettings()
    providers: dict[_Name, ProviderTable] = Field(
        default={}, description="One table per provider, under the provider's name."
    )

    @property
    def domains(self) -> guard.DomainPolicy:
        """Return the domains that these settings let anybody find, read and cite."""
        listed = guard.DomainPolicy(
            allowed=tuple(self.search.allowed_domains) or ("*",),
            blocked=tuple(self.search.blocked_domains),
        )
        return guard.ANYWHERE.narrowed(listed)


def variable_of(location: Iterable[str]) -> str:
    """Return the variable of the setting at a place; no shell sets one with a hyphen."""
    return PREFIX + "__".join(location).upper().replace("-", "_")


def is_table(kind: object) -> TypeGuard[type[Table]]:
    """Say whether a type is a table of settings."""
    return isinstance(kind, type) and issubclass(kind, Table)


def follow(location: Location) -> tuple[Location, object]:
    """Return as much of a place as is settings, without positions in lists, and its type."""
    kind: object = Settings
    for count, name in enumerate(location):
        if is_table(kind) and name in kind.model_fields:
            kind = kind.model_fields[name].annotation
        elif get_origin(kind) is dict:
            kind = get_args(kind)[1]
        elif kind is not Any:
            return location[:count], kind
    return location, kind
