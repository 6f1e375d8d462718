"""What every search or read service of the sandbox is made of: calls, answers, refusals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

import orjson

from groundwire.sandbox.faults import REFUSED, SERVICE_FAULTS, Ending, Fault, FaultName, Script
from groundwire.sandbox.json import Json
from groundwire.sandbox.services.hits import Finder
from groundwire.sandbox.wire import Call, RefusalError

Refusals: TypeAlias = Mapping[FaultName, tuple[int, ...]]

HTML = "text/html; charset=utf-8"
JSON = "application/json"
# These lie in what the library gives, so that no service needs to know them.
FINDERS_FAULTS = frozenset({FaultName.NOTHING_FOUND, FaultName.FILTERS_IGNORED})
COMMON_REFUSALS: Refusals = {
    FaultName.UNAUTHORIZED: (401,),
    FaultName.FORBIDDEN: (403,),
    FaultName.BLOCKED: (403,),
    FaultName.RATE_LIMIT: (429,),
    FaultName.RATE_LIMIT_BARE: (429,),
    FaultName.SERVER_ERROR: (500, 502),
    FaultName.OVERLOADED: (503, 504),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceCall(Call):
    """A call of a service; `action` is the path behind its prefix, `query_text` as it came.

    `body` is JSON or the fields of a form, None if it is neither. `root` is the server as the
    caller named it, `port` where it really listens.
    """

    finder: Finder
    method: str = "POST"
    root: str = ""
    port: int = 0
    query_text: str = ""
    fault: Fault | None = None

    def has(self, name: FaultName) -> bool:
        """Tell whether this call is to get a fault."""
        return self.fault is not None and self.fault.name is name

    def code(self, default: str) -> str:
        """Return the service's own word for the fault, if the fault asks for one."""
        return (self.fault.code if self.fault else "") or default

    def query_number(self, name: str, default: float) -> float:
        """Return a number of the query.

        Raises:
            RefusalError: It is none.
        """
        try:
            return float(self.query.get(name, default))
        except ValueError as error:
            raise RefusalError(400, {"sandbox": f"{name} is no number"}) from error

    def uuid(self) -> str:
        """Return an id in the shape of a UUID that is the same for the same call."""
        digits = self.id("", "uuid", length=64).encode().hex()[:32]
        parts = (digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:])
        return "-".join(parts)


@dataclass(frozen=True, slots=True, kw_only=True)
class ServiceReply:
    """A reply. With `is_raw` the body is the whole reply, head included, sent as it is.

    An endless reply sends `repeated` for ever, one every `pace_seconds`.
    """

    body: bytes = b""
    content_type: str = JSON
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    ending: Ending = Ending.CLEAN
    repeated: bytes = b""
    delay_seconds: float = 0
    pace_seconds: float = 0
    is_raw: bool = False

    def script(self) -> Script:
        """Return what to send when no fault changes it."""
        return Script(
            chunks=[self.body],
            ending=self.ending,
            repeated=self.repeated,
            delay_seconds=self.delay_seconds,
            pace_seconds=self.pace_seconds,
        )


class Service(ABC):
    """One service: checks a call and answers it from the library.

    `refusals` are the statuses by which a fault can show, the usual one first; `faults` are those
    that show inside an answer.
    """

    name: str
    refusals: Refusals = COMMON_REFUSALS
    faults: frozenset[FaultName] = frozenset()

    @abstractmethod
    def refusal(self, status: int, call: ServiceCall, /) -> RefusalError:
        """Return the reply to a call whose fault shows with this status."""

    @abstractmethod
    def answer(self, call: ServiceCall, /) -> ServiceReply:
        """Check key and request as strictly as the service does, and answer."""


def json_answer(body: Json) -> ServiceReply:
    """Return an answer in JSON."""
    return ServiceReply(body=orjson.dumps(body))


def page_refusal(
    status: int, page: str, headers: Mapping[str, str] | None = None, content_type: str = HTML
) -> RefusalError:
    """Return a refusal that is a page or a text, not JSON."""
    return RefusalError(status, page, {"content-type": content_type, **(headers or {})})


def retry_headers(call: ServiceCall) -> dict[str, str]:
    """Return the header that says how long to wait, if the fault says it."""
    wait = call.fault.wait_seconds if call.fault else None
    return {} if wait is None else {"retry-after": f"{wait:g}"}


def check_fault(service: Service, call: ServiceCall) -> None:
    """Raise the refusal that a fault stands for.

    A service never gets a fault that the real one cannot have.
    """
    fault = call.fault
    if fault is None or fault.name in service.faults | FINDERS_FAULTS:
        return
    statuses = service.refusals.get(fault.name)
    if statuses is None:
        if fault.name in REFUSED.keys() | SERVICE_FAULTS:
            raise RefusalError(400, {"sandbox": f"{fault.name} is no fault of {service.name}"})
        return
    status = fault.status or statuses[0]
    if status not in statuses:
        known = ", ".join(map(str, statuses))
        message = f"{service.name} shows {fault.name} with {known}, not with {status}"
        raise RefusalError(400, {"sandbox": message})
    raise service.refusal(status, call)


def spoiled(answer: ServiceReply, service: Service, call: ServiceCall) -> bytes:
    """Return the answer's body with the call's fault in it."""
    fault, body = call.fault, answer.body
    if fault is None or answer.is_raw:
        return body
    if fault.name is FaultName.ERROR_IN_200:
        error = service.refusal(500, call).body
        return error.encode() if isinstance(error, str) else orjson.dumps(error)
    is_huge = fault.name is FaultName.HUGE_EVENT
    if answer.content_type != JSON:
        return body + b"<!--" + b"x" * fault.size + b"-->" if is_huge else body
    if fault.name is FaultName.GARBAGE_JSON:
        return body[:-2] + b"<"
    if is_huge or fault.name is FaultName.UNKNOWN_EVENT:
        noise = "x" * fault.size if is_huge else {"warmth": 1}
        body = orjson.dumps(orjson.loads(body) | {"glow": noise})
    return body
