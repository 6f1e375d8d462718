"""A client that notes what it hears, and one that says the same again without a network.

Both stand where connections are opened, so that everything above them, retries and decoders
included where they look at replies, runs as ever. What is noted has no key in it: neither header
nor address nor body.
"""

from __future__ import annotations

import asyncio
import json
from base64 import b64decode, b64encode
from collections import defaultdict, deque
from contextlib import asynccontextmanager, suppress
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from groundwire import errors, guard
from groundwire.client.client import Client
from groundwire.client.pages import freely
from groundwire.errors import BundleError, GroundwireError
from groundwire.redaction import redact, redact_bytes
from groundwire.wire.contract import HttpReply, HttpRequest

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
    from contextlib import AbstractAsyncContextManager

    from groundwire.client.forms import Form
    from groundwire.client.pages import Enter
    from groundwire.client.streams import EventStream
    from groundwire.guard import DomainPolicy, WebUrl
    from groundwire.model import Json
    from groundwire.redaction import Secret
    from groundwire.wire.contract import Endpoint

PATIENCE_SECONDS = 20.0
"""How long a reply waits for those that came before it, should one of them not be asked for."""

_FREELY = guard.ANYWHERE


@dataclass(slots=True, kw_only=True)
class Exchange:
    """What was asked, and what came: a reply, the events of a stream, or a failure.

    `kind` is send, stream, page, check or direct; `key` is what tells one question from others.
    `hops` are the addresses that a page led over: before each, its robots.txt may have been asked.
    With `was_given_up` whoever asked stopped waiting, at a limit of the turn's own.
    """

    kind: str
    service: str
    key: str
    asked: Json
    reply: Json = None
    events: list[list[str]] = field(default_factory=list)
    error: Json = None
    hops: list[str] = field(default_factory=list)
    was_given_up: bool = False


class RecordingClient(Client):
    """Notes every exchange in `exchanges`, in the order in which replies came."""

    def __init__(self, *given: Any, **named: Any) -> None:  # noqa: ANN401 - as the client's
        super().__init__(*given, **named)
        self.exchanges: list[Exchange] = []

    async def send(
        self, endpoint: Endpoint, request: HttpRequest, *, patience_seconds: float | None = None
    ) -> HttpReply:
        """Note a whole reply."""
        exchange = asked(endpoint, request, "send")
        with _Noted(self.exchanges, exchange, endpoint.access.key):
            reply = await super().send(endpoint, request, patience_seconds=patience_seconds)
            exchange.reply = _reply_json(reply)
            return reply

    @asynccontextmanager
    async def stream(self, endpoint: Endpoint, request: HttpRequest) -> AsyncIterator[EventStream]:
        """Note the events of a stream, in the batches in which they came."""
        exchange = asked(endpoint, request, "stream")
        opening = Client.stream(self, endpoint, request)
        with _Noted(self.exchanges, exchange, endpoint.access.key):
            stream = await opening.__aenter__()
        heard = _Heard(stream, exchange, endpoint.access.key)
        try:
            yield heard  # type: ignore[misc]  # as much of a stream as anybody uses
        finally:
            await opening.__aexit__(None, None, None)

    async def fetch_page(
        self,
        url: str,
        policy: DomainPolicy = _FREELY,
        *,
        headers: Mapping[str, str] | None = None,
        enter: Enter | None = None,
        max_bytes: int | None = None,
    ) -> HttpReply:
        """Note a page."""
        exchange = asked_url("page", url)

        def note(hop: WebUrl) -> AbstractAsyncContextManager[None]:
            exchange.hops.append(str(hop))
            return (enter or freely)(hop)

        with _Noted(self.exchanges, exchange):
            reply = await super().fetch_page(
                url, policy, headers=headers, enter=note, max_bytes=max_bytes
            )
            exchange.reply = _reply_json(reply)
            return reply

    async def check_page(self, url: str, policy: DomainPolicy = _FREELY) -> WebUrl:
        """Note whether a URL may be opened."""
        exchange = asked_url("check", url)
        with _Noted(self.exchanges, exchange):
            return await super().check_page(url, policy)

    async def direct(
        self, endpoint: Endpoint, about: Json, work: Callable[[], Awaitable[Any]], form: Form
    ) -> Any:  # noqa: ANN401 - whatever the provider gives
        """Note what a provider found without a request of ours."""
        exchange = _direct(endpoint, about)
        with _Noted(self.exchanges, exchange, endpoint.access.key):
            found = await super().direct(endpoint, about, work, form)
            exchange.reply = form.dump(found)
            return found


class ReplayingClient(Client):
    """Says what was noted, to the same questions, in the order in which it came; opens nothing.

    A question that is asked otherwise than it was gets the next reply of the same address, and is
    among the `differences`.
    """

    def __init__(self, exchanges: Sequence[Exchange], *given: Any, **named: Any) -> None:  # noqa: ANN401 - as the client's
        super().__init__(*given, **named)
        self.differences: list[str] = []
        self._exact: defaultdict[str, deque[int]] = defaultdict(deque)
        self._exchanges = exchanges
        self._open = set(range(len(exchanges)))
        self._moved = asyncio.Condition()
        for number, each in enumerate(exchanges):
            self._exact[each.key].append(number)

    async def send(
        self, endpoint: Endpoint, request: HttpRequest, *, patience_seconds: float | None = None
    ) -> HttpReply:
        """Return the reply that was noted."""
        del patience_seconds
        return _reply(await self._next(asked(endpoint, request, "send")))

    @asynccontextmanager
    async def stream(self, endpoint: Endpoint, request: HttpRequest) -> AsyncIterator[EventStream]:
        """Stream the events that were noted."""
        yield _Again(await self._next(asked(endpoint, request, "stream")))  # type: ignore[misc]  # as above

    async def fetch_page(
        self,
        url: str,
        policy: DomainPolicy = _FREELY,
        *,
        headers: Mapping[str, str] | None = None,
        enter: Enter | None = None,
        max_bytes: int | None = None,
    ) -> HttpReply:
        """Return the page that was noted, where the policy still allows it."""
        del headers, max_bytes
        ports = frozenset(self._limits.page_ports)
        policy.check(guard.parse(url, ports=ports))
        question = asked_url("page", url)
        number = self._find(question)
        # Who refuses to enter did so then: the page's own exchange has it.
        with suppress(GroundwireError):
            for hop in self._exchanges[number].hops:
                async with (enter or freely)(guard.parse(hop, ports=ports)):
                    pass
        return _reply(await self._come(number, question))

    async def check_page(self, url: str, policy: DomainPolicy = _FREELY) -> WebUrl:
        """Return a URL that was found to be open."""
        checked = guard.parse(url, ports=frozenset(self._limits.page_ports))
        policy.check(checked)
        await self._next(asked_url("check", url))
        return checked

    async def direct(
        self,
        endpoint: Endpoint,
        about: Json,
        work: Callable[[], Awaitable[Any]],  # noqa: ARG002 - nobody is asked
        form: Form,
    ) -> Any:  # noqa: ANN401 - whatever the provider gave
        """Return what a provider had found."""
        return form.load((await self._next(_direct(endpoint, about))).reply)

    async def _next(self, question: Exchange) -> Exchange:
        return await self._come(self._find(question), question)

    async def _come(self, number: int, question: Exchange) -> Exchange:
        """Return an exchange when all that came before it has come again."""
        async with self._moved:
            try:
                # What came first comes first again: numbers may follow from it.
                async with asyncio.timeout(PATIENCE_SECONDS):
                    await self._moved.wait_for(lambda: min(self._open) == number)
            except TimeoutError:
                self.differences.append(f"not in the order that was recorded: {question.asked}")
            self._open.discard(number)
            self._moved.notify_all()
        found = self._exchanges[number]
        if found.was_given_up and not found.events:
            await _never()
        if found.error is not None:
            raise error_from_json(found.error)
        return found

    def _find(self, question: Exchange) -> int:
        waiting = self._exact[question.key]
        if waiting:
            return waiting.popleft()
        place = _place(question)
        for number in sorted(self._open):
            each = self._exchanges[number]
            if _place(each) == place and number in self._exact[each.key]:
                self._exact[each.key].remove(number)
                self.differences.append(f"asked otherwise than it was recorded: {place}")
                return number
        raise BundleError(f"the recording has no reply to this: {question.kind} {question.asked}")


class _Noted:
    """Adds an exchange when its reply, or its failure, has come."""

    def __init__(
        self, exchanges: list[Exchange], exchange: Exchange, key: Secret | None = None
    ) -> None:
        self._exchanges = exchanges
        self._exchange = exchange
        self._key = key

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        self._exchange.was_given_up = isinstance(error, asyncio.CancelledError)
        if isinstance(error, GroundwireError):
            self._exchange.error = error_json(error, self._key)
        if error is None or isinstance(error, GroundwireError | asyncio.CancelledError):
            self._exchanges.append(self._exchange)


class _Heard:
    """A stream that is noted while it is read."""

    def __init__(self, stream: EventStream, exchange: Exchange, key: Secret | None) -> None:
        self._stream = stream
        self._exchange = exchange
        self._key = key
        self.whole = stream.whole
        if stream.whole is not None:
            exchange.reply = _reply_json(stream.whole)

    async def read_events(self) -> list[str]:
        """Return and note the next events."""
        try:
            events = await self._stream.read_events()
        except GroundwireError as error:
            self._exchange.reply = {"failed": error_json(error, self._key)}
            raise
        except asyncio.CancelledError:
            self._exchange.was_given_up = True
            raise
        if events:
            self._exchange.events.append([_without_key(each, self._key) for each in events])
        return events


class _Again:
    """A stream that was noted."""

    def __init__(self, exchange: Exchange) -> None:
        told = exchange.reply or {}
        self._failure = told.get("failed")
        self.whole = _reply(exchange) if told and self._failure is None else None
        self._events = deque(each for each in exchange.events if each)
        self._was_given_up = exchange.was_given_up

    async def read_events(self) -> list[str]:
        """Return the next events, all that had come together."""
        # Whoever else waits gets a turn, as between two pieces of a real stream.
        await asyncio.sleep(0)
        if self._events:
            return self._events.popleft()
        if self._failure is not None:
            raise error_from_json(self._failure)
        if self._was_given_up:
            await _never()
        return []


async def _never() -> None:
    """Wait as long as somebody did who then gave up: the same limit ends it."""
    await asyncio.Event().wait()


def asked(endpoint: Endpoint, request: HttpRequest, kind: str) -> Exchange:
    """Return a question to a service, without its key."""
    body = redact_bytes(request.body or b"", endpoint.access.key)
    url = redact(request.url, [endpoint.access.key])
    value = {"method": request.method, "url": url, "body": _text(body)}
    return Exchange(kind=kind, service=endpoint.name, key=_key(kind, value), asked=value)


def asked_url(kind: str, url: str) -> Exchange:
    """Return a question about a page of the web."""
    return Exchange(kind=kind, service="web", key=_key(kind, url), asked=url)


def _direct(endpoint: Endpoint, about: Json) -> Exchange:
    key = _key("direct", [endpoint.name, about])
    return Exchange(kind="direct", service=endpoint.name, key=key, asked=about)


def _key(kind: str, value: Json) -> str:
    return sha256(json.dumps([kind, value], sort_keys=True).encode()).hexdigest()


def _place(exchange: Exchange) -> str:
    where = exchange.asked["url"] if exchange.kind in ("send", "stream") else ""
    return f"{exchange.kind} {exchange.service} {where}".rstrip()


def _without_key(text: str, key: Secret | None) -> str:
    return redact_bytes(text.encode("utf-8", "surrogatepass"), key).decode("utf-8", "surrogatepass")


def _text(body: bytes) -> Json:
    try:
        return body.decode()
    except UnicodeDecodeError:
        return {"base64": b64encode(body).decode()}


def _bytes(value: Json) -> bytes:
    return value.encode() if isinstance(value, str) else b64decode(value["base64"])


def _reply_json(reply: HttpReply) -> Json:
    headers = {name: value for name, value in reply.headers.items() if "cookie" not in name}
    return {
        "status": reply.status,
        "headers": headers,
        "body": _text(reply.body),
        "url": reply.url,
        "service": reply.service,
        "is_truncated": reply.is_truncated,
    }


def _reply(exchange: Exchange) -> HttpReply:
    told = exchange.reply
    return HttpReply(**{**told, "body": _bytes(told["body"])})


def error_json(error: GroundwireError, key: Secret | None = None) -> Json:
    """Return a failure as JSON: its class, its words, and what its fields say."""
    fields = {name: value for name, value in vars(error).items() if _is_plain(value)}
    words = [redact(each, [key]) if isinstance(each, str) else None for each in error.args]
    return {"class": type(error).__name__, "words": words, "fields": fields}


def error_from_json(told: Json) -> GroundwireError:
    """Return the failure that was noted.

    Raises:
        BundleError: It is not a recording of Groundwire.
    """
    kind = getattr(errors, str(told["class"]), None)
    if not (isinstance(kind, type) and issubclass(kind, GroundwireError)):
        raise BundleError(f"the recording has an error that is none: {told['class']!r}")
    error = kind.__new__(kind)
    error.args = tuple(told["words"])
    vars(error).update(told["fields"])
    return error


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, str | int | float | bool)
