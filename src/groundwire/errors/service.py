"""What is wrong on the other side: a service that refuses, a network that breaks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import ClassVar

from groundwire.errors.root import GroundwireError
from groundwire.text.plural import plural

_HOST = re.compile(r"[^a-z0-9_-]")  # No provider's name has a dot, or anything else of this.


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

    @property
    def ours(self) -> str:
        """Return which service of ours failed and what to do; a host's name is its owner's."""
        name = "the server" if _HOST.search(self.service) else self.service
        status = "" if self.status in (None, 200) else f" (HTTP {self.status})"
        advice = self.fix.replace(self.service, name)
        return f"{name}{status} failed{f', {advice}' if advice else ''}"

    @property
    def quoted(self) -> str:
        """Return the service's own reason, under its host's name if it has no other."""
        whose = f"{self.service}: " if _HOST.search(self.service) else ""
        request = f" [request {self.request_id}]" if self.request_id else ""
        return f"{whose}{self.reason}{request}"


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


class ContextTooLongError(InvalidRequestError):
    """Question, history and pages together are more than the model can read."""

    code = "context_length"
    usual_fix = "begin a new chat, or choose a model that reads more"


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


class ProviderBugError(ServiceError):
    """A provider's own code raised what it should not; the service may be well."""

    code = "provider_bug"
    usual_fix = "report it to whoever made the provider {service!r}, and use another until then"


class NetworkError(GroundwireError):
    """No whole answer arrived."""

    code = "network"

    @property
    def ours(self) -> str:
        """Return what happened, without the name of the host."""
        return "no whole answer arrived"


class ConnectError(NetworkError):
    """No connection could be made, or it broke before the reply began.

    Here as below, `host` is the host of a page, or the name of a service.
    """

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
        super().__init__(f"{what} is over the limit of {plural(max_bytes, 'byte')}")
        self.what = what
        self.max_bytes = max_bytes


class EventTooLargeError(TooLargeError):
    """One event of a stream is over the limit."""

    code = "event_too_large"
