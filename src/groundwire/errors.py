"""Every error that Groundwire raises, as one tree with stable codes.

    GroundwireError
    ├── ConfigError                    something is missing or wrong on this side
    │   ├── SettingsError              the settings file or an environment variable
    │   ├── InvalidDomainsError        a list of domains with entries that are none
    │   ├── MissingKeyError            a provider needs a key and has none
    │   │   └── NoSessionError         it borrows a session, and there is none
    │   ├── SessionExpiredError        the borrowed session's time is over
    │   ├── KeyStoreError              a key could not be kept or read back
    │   ├── NotInstalledError          what a provider needs on this machine is not here
    │   ├── UnknownProviderError       no provider has this name
    │   └── UnsupportedError           this provider cannot do what was asked
    ├── BlockedError                   we refuse to go there
    │   ├── UrlRefusedError            the URL or its address is not a public web page
    │   └── DomainNotAllowedError      the domain policy does not list it
    ├── ServiceError                   a service answered, and the answer is a failure
    │   ├── AuthError                  the key is wrong or may not do this
    │   ├── RateLimitError             asked too often; `retry_after_seconds` may say when to return
    │   ├── QuotaError                 nothing left to spend; asking again does not help
    │   ├── OverloadedError            the service cannot answer now
    │   ├── InvalidRequestError        the service does not accept the request
    │   ├── RefusedError               the service's policy is against it
    │   ├── WebSearchUnsupportedError  this model has no web search of its own
    │   ├── ToolFailedError            a tool that the provider runs reported an error
    │   └── BadReplyError              the reply is not what the service documents
    ├── NetworkError                   no whole answer arrived
    │   ├── ConnectError               no connection
    │   ├── TimedOutError              too slow; `phase` says at what
    │   ├── TruncatedError             the reply ended before its own end marker
    │   └── TooLargeError              the reply is over a stated limit
    │       └── EventTooLargeError     one event of a stream is
    ├── StoreError                     what is kept cannot be used, or not like this
    │   ├── NotFoundError              nothing is kept under this id
    │   ├── ConflictError              what is kept already does not allow it
    │   ├── DiskFullError              there is no room to write
    │   └── StoreUnavailableError      the database does not answer
    └── SearchError
        ├── NothingFoundError          the search worked and there is nothing
        └── SearchFailedError          the search did not work; `attempts` say why

Callers match classes or `code`, never the wording.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar

from groundwire.redaction import redact


class GroundwireError(Exception):
    """Anything that Groundwire raises on purpose."""

    code: ClassVar[str] = "error"


class ConfigError(GroundwireError):
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


class UnsupportedError(ConfigError):
    """This provider cannot do what was asked."""

    code = "unsupported"

    def __init__(self, provider: str, ability: str) -> None:
        super().__init__(
            f"{provider!r} cannot {ability}: `groundwire providers` shows which ones can"
        )
        self.provider = provider
        self.ability = ability


class BlockedError(GroundwireError):
    """We refuse to go there."""

    code = "blocked"


class UrlRefusedError(BlockedError):
    """The URL, or an address it leads to, is not a page on the public web."""

    code = "url_refused"

    def __init__(self, url: str, reason: str) -> None:
        self.url = redact(url)
        super().__init__(f"{self.url!r} was not opened: {reason}")
        self.reason = reason


class DomainNotAllowedError(BlockedError):
    """The domain policy does not list this host."""

    code = "domain_not_allowed"

    def __init__(self, url: str, host: str, reason: str) -> None:
        self.url = redact(url)
        super().__init__(f"{self.url!r} was not opened: {reason}")
        self.host = host
        self.reason = reason


class ServiceError(GroundwireError):
    """A service answered, and the answer is a failure.

    `status` is the HTTP status, 200 for an error inside a reply that began well. `request_id`
    is the service's own name for the call, "" if it gave none; `rate_limits` are its headers.
    `fix` is what to do: the one given, else the usual one of its class, "" if there is none.
    """

    code = "service"
    usual_fix: ClassVar[str] = ""

    def __init__(
        self,
        service: str,
        reason: str,
        *,
        status: int | None = None,
        request_id: str = "",
        retry_after_seconds: float | None = None,
        rate_limits: Mapping[str, str] | None = None,
        fix: str = "",
    ) -> None:
        self.fix = fix or self.usual_fix.format(service=service)
        place = service if status in (None, 200) else f"{service} (HTTP {status})"
        advice = f"; {self.fix}" if self.fix else ""
        request = f" [request {request_id}]" if request_id else ""
        super().__init__(f"{place}: {reason.rstrip('.')}{advice}{request}")
        self.service = service
        self.reason = reason
        self.status = status
        self.request_id = request_id
        self.retry_after_seconds = retry_after_seconds
        self.rate_limits = dict(rate_limits or {})


class AuthError(ServiceError):
    """The key is wrong, expired, or may not do this."""

    code = "auth"
    usual_fix = "check the key with `groundwire keys test {service}`"


class RateLimitError(ServiceError):
    """Asked too often; `retry_after_seconds` is None when the service does not say."""

    code = "rate_limit"
    usual_fix = "wait, or name a second provider in the settings"


class QuotaError(ServiceError):
    """Nothing left to spend; asking again does not help."""

    code = "quota"
    usual_fix = "top up the account or name another provider in the settings"


class OverloadedError(ServiceError):
    """The service cannot answer now."""

    code = "overloaded"
    usual_fix = "try again later"


class InvalidRequestError(ServiceError):
    """The service does not accept the request."""

    code = "invalid_request"


class RefusedError(ServiceError):
    """The service's policy is against it: asking again, or with another key, may not help."""

    code = "refused"
    usual_fix = "name another provider for this in the settings"


class WebSearchUnsupportedError(ServiceError):
    """This model has no web search of its own."""

    code = "web_search_unsupported"
    usual_fix = "choose a model that searches, or client search"


class ToolFailedError(ServiceError):
    """A tool that the provider runs reported an error."""

    code = "tool_failed"


class BadReplyError(ServiceError):
    """The reply is not what the service documents."""

    code = "bad_reply"


class NetworkError(GroundwireError):
    """No whole answer arrived."""

    code = "network"


class ConnectError(NetworkError):
    """No connection could be made, or it broke before the reply began."""

    code = "connect"

    def __init__(self, host: str, reason: str) -> None:
        super().__init__(f"no connection to {host}: {reason}")
        self.host = host
        self.reason = reason


class TimedOutError(NetworkError):
    """Too slow; `phase` is connect, reply, idle or total."""

    code = "timeout"

    def __init__(self, host: str, phase: str, seconds: float) -> None:
        waited = {
            "connect": "accepted no connection",
            "reply": "did not begin to answer",
            "idle": "sent nothing",
            "total": "was not done",
        }[phase]
        super().__init__(f"{host} {waited} within {seconds:g} s")
        self.host = host
        self.phase = phase
        self.seconds = seconds


class TruncatedError(NetworkError):
    """The reply ended before its own end marker; what came before is kept by the caller."""

    code = "truncated"

    def __init__(self, host: str, reason: str = "the connection ended in the middle") -> None:
        super().__init__(f"the reply of {host} is incomplete: {reason}")
        self.host = host
        self.reason = reason


class TooLargeError(NetworkError):
    """A reply is over a stated limit."""

    code = "too_large"

    def __init__(self, what: str, max_bytes: int) -> None:
        super().__init__(f"{what} is over the limit of {max_bytes:,} bytes")
        self.what = what
        self.max_bytes = max_bytes


class EventTooLargeError(TooLargeError):
    """One event of a stream is over the limit."""

    code = "event_too_large"


class StoreError(GroundwireError):
    """What is kept cannot be read or written, or not like this."""

    code = "store"


class NotFoundError(StoreError):
    """Nothing is kept under this id."""

    code = "not_found"


class ConflictError(StoreError):
    """What is kept already does not allow it."""

    code = "conflict"


class DiskFullError(StoreError):
    """There is no room to write; what was written before is safe."""

    code = "disk_full"


class StoreUnavailableError(StoreError):
    """The database does not answer; it is asked again at the next call."""

    code = "store_unavailable"


class SearchError(GroundwireError):
    """A search that gives no results, for one of two very different reasons."""

    code = "search"


class NothingFoundError(SearchError):
    """The search worked, and there is nothing."""

    code = "nothing_found"

    def __init__(self, query: str) -> None:
        super().__init__(f"nothing was found for {query!r}: try other or fewer words")
        self.query = query


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """One service that was asked in vain, and why it could not answer."""

    service: str
    code: str
    reason: str


class SearchFailedError(SearchError):
    """No service could be searched; each one's reason is in `attempts`."""

    code = "search_failed"

    def __init__(self, query: str, attempts: tuple[Attempt, ...]) -> None:
        reasons = "; ".join(attempt.reason for attempt in attempts)
        super().__init__(f"the search for {query!r} failed: {reasons}")
        self.query = query
        self.attempts = attempts
