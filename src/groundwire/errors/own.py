"""What is wrong on this side: the configuration, where we refuse to go, the store."""

from __future__ import annotations

from datetime import datetime

from groundwire.errors.root import GroundwireError, OwnWordsError
from groundwire.redaction import redact


class ConfigError(OwnWordsError):
    """Something is missing or wrong on this side."""

    code = "config"


class SettingsError(ConfigError):
    """A setting cannot be used as it stands."""

    code = "settings"

    def __init__(self, where: str, reason: str) -> None:
        super().__init__(f"{where}: {reason}")
        self.where = where
        self.reason = reason


class InvalidDomainsError(ConfigError):
    """Some entries may not stand in a list of domains: `problems` are (entry, reason) each."""

    code = "invalid_domains"

    def __init__(self, problems: tuple[tuple[str, str], ...]) -> None:
        super().__init__("; ".join(reason for _, reason in problems))
        self.problems = problems


class AlwaysSearchesError(ConfigError):
    """A model that searches unasked may not be used where the web is not open to it."""

    code = "model_always_searches"

    def __init__(self, model: str, reason: str, remedy: str) -> None:
        super().__init__(f"{model!r} always searches the web, and {reason}: {remedy}")
        self.model = model
        self.reason = reason


class MissingKeyError(ConfigError):
    """A provider that needs a key has none."""

    code = "missing_key"

    def __init__(self, provider: str, variable: str) -> None:
        super().__init__(
            f"{provider!r} needs a key: set {variable} or run `groundwire keys set {provider}`"
        )
        self.provider = provider
        self.variable = variable


class NoSessionError(MissingKeyError):
    """A provider that borrows another program's session finds none."""

    def __init__(self, provider: str, reason: str) -> None:
        ConfigError.__init__(
            self,
            f"{provider!r} needs a ChatGPT session, and {reason}: "
            "sign in with `opencode auth login`, provider OpenAI",
        )
        self.provider = provider
        self.variable = "OPENCODE_AUTH_CONTENT"


class SessionExpiredError(ConfigError):
    """The borrowed session was good once; renewing it is its owner's business."""

    code = "session_expired"

    def __init__(self, expired_at: datetime) -> None:
        super().__init__(
            f"the ChatGPT session of OpenCode expired at {expired_at:%Y-%m-%d %H:%M} UTC: "
            "run OpenCode once so that it refreshes it"
        )
        self.expired_at = expired_at


class KeyStoreError(ConfigError):
    """A key could not be kept, or did not read back as it was written."""

    code = "key_store"


class NotInstalledError(ConfigError):
    """A provider needs something on this machine, such as a package, that is not here."""

    code = "not_installed"

    def __init__(self, provider: str, missing: str, fix: str) -> None:
        super().__init__(f"{provider!r} needs {missing}: {fix}")
        self.provider = provider
        self.missing = missing
        self.fix = fix


class UnknownProviderError(ConfigError):
    """No provider has this name."""

    code = "unknown_provider"

    def __init__(self, name: str, known: tuple[str, ...] = ()) -> None:
        there_are = f"there are {', '.join(known)}" if known else "there are none"
        super().__init__(f"no provider is called {name!r}: {there_are}")
        self.name = name
        self.known = known


class PluginError(ConfigError):
    """Another package offers a provider that cannot be used; all others can."""

    code = "plugin"

    def __init__(self, provider: str, package: str, reason: str) -> None:
        super().__init__(f"the provider {provider!r} of {package} cannot be used: {reason}")
        self.provider = provider
        self.package = package
        self.reason = reason
        self.fix = f"update or remove {package}; all other providers can be used"


class UnsupportedError(ConfigError):
    """This provider cannot do what was asked."""

    code = "unsupported"

    def __init__(self, provider: str, ability: str) -> None:
        super().__init__(
            f"{provider!r} cannot {ability}: `groundwire providers` shows which ones can"
        )
        self.provider = provider
        self.ability = ability


class ForbiddenError(GroundwireError):
    """Whoever asks may not do this."""

    code = "forbidden"


class QuotaExceededError(OwnWordsError):
    """A user or a workspace has used all that it may in a day.

    `quota` names it, such as `user.answers`; `limit` and `used` are in its unit.
    """

    code = "quota_exceeded"

    def __init__(
        self, message: str, *, quota: str, limit: float, used: float, retry_after_seconds: float
    ) -> None:
        super().__init__(message)
        self.quota = quota
        self.limit = limit
        self.used = used
        self.retry_after_seconds = retry_after_seconds


class BlockedError(GroundwireError):
    """We refuse to go there; where "there" is may be a redirect's word."""

    code = "blocked"

    @property
    def ours(self) -> str:
        """Return what happened, without the address."""
        return "the page was not opened"


class UrlRefusedError(BlockedError):
    """The URL, or an address it leads to, is not a page on the public web."""

    code = "url_refused"

    def __init__(self, url: str, reason: str) -> None:
        self.url = redact(url)
        super().__init__(f"{self.url!r} was not opened: {reason}")
        self.reason = reason


class RobotsRefusedError(UrlRefusedError):
    """The site's robots.txt asks programs not to open the page."""


class DomainNotAllowedError(BlockedError):
    """The domain policy does not list this host."""

    code = "domain_not_allowed"

    def __init__(self, url: str, host: str, reason: str) -> None:
        self.url = redact(url)
        super().__init__(f"{self.url!r} was not opened: {reason}")
        self.host = host
        self.reason = reason


class StoreError(OwnWordsError):
    """What is kept cannot be read or written, or not like this."""

    code = "store"


class NotFoundError(StoreError):
    """Nothing is kept under this id."""

    code = "not_found"


class ConflictError(StoreError):
    """What is kept already does not allow it."""

    code = "conflict"


class BundleError(OwnWordsError):
    """A file of evidence cannot be used: damaged, changed, hostile, or of another format."""

    code = "bundle"


class DiskFullError(StoreError):
    """There is no room to write; what was written before is safe."""

    code = "disk_full"


class StoreUnavailableError(StoreError):
    """The database does not answer; it is asked again at the next call."""

    code = "store_unavailable"


class StoreBusyError(StoreUnavailableError):
    """Too many want to use the database at once; nothing was done."""

    code = "busy"

    def __init__(self, reason: str, retry_after_seconds: int = 1) -> None:
        super().__init__(f"the server is busy ({reason}): try again in {retry_after_seconds} s")
        self.retry_after_seconds = retry_after_seconds
