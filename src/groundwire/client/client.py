"""Talks to the services that the operator has configured, and opens pages through the guard."""

from __future__ import annotations

import asyncio
from contextlib import ExitStack, asynccontextmanager, closing
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import partial
from math import inf
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

import aiohttp
from yarl import URL

from groundwire import guard
from groundwire.browser.process import devtools, starts_own
from groundwire.browser.proxy import USER, GuardingProxy
from groundwire.client.bodies import ACCEPT_ENCODING, Unpacker, read_up_to
from groundwire.client.failures import called, told_fault, translated
from groundwire.client.pages import PageFetcher, freely
from groundwire.client.read_batching import ReadBatching
from groundwire.client.resolver import Resolver, plain_socket, resolve_by_system
from groundwire.client.retry import delay_before_retry
from groundwire.client.streams import EventStream, ReplyBody
from groundwire.config.settings import NetworkSettings
from groundwire.errors import (
    BadReplyError,
    ConfigError,
    GroundwireError,
    NetworkError,
    ProviderBugError,
    ServiceError,
    TimedOutError,
    TooLargeError,
)
from groundwire.redaction import redact, redact_bytes
from groundwire.system.closeable import AsyncCloseable
from groundwire.wire import errors
from groundwire.wire.contract import Endpoint, GuardedBrowser, HttpReply, HttpRequest

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
    from ssl import SSLContext
    from typing import TypeVar

    from groundwire.client.forms import Form
    from groundwire.client.pages import Enter
    from groundwire.client.resolver import MakeSocket, Resolve
    from groundwire.guard import DomainPolicy, WebUrl

    T = TypeVar("T")

MAX_FAULT_BYTES = 64_000
EVENT_STREAM = "text/event-stream"
JSON = "application/json"
READ_BUFFER_BYTES = 16_384  # Measured: the library's own 64 KiB costs more for small events.


@dataclass(frozen=True, slots=True)
class _Failure:
    """A failed attempt, and whether the service itself says to try again."""

    error: GroundwireError
    should_retry: bool | None = None


class Client(AsyncCloseable):
    """Sends requests and reads replies; a context manager that closes what it opened.

    Endpoints are the operator's choice: they may be private, may use the proxy, get keys and are
    never redirected. Pages are strangers' choice: they go through the guard. Streams are read as
    they come, and in batches where many are open at once.
    """

    def __init__(
        self,
        limits: NetworkSettings | None = None,
        *,
        resolve: Resolve = resolve_by_system,
        make_socket: MakeSocket = plain_socket,
        tls: SSLContext | None = None,
        pause: Callable[[float], Awaitable[None]] = asyncio.sleep,
        batching: ReadBatching | None = None,
    ) -> None:
        self._batching = batching or ReadBatching()
        self._limits = limits or NetworkSettings()
        self._tls = tls
        self._pause = pause
        self._session: aiohttp.ClientSession | None = None
        self._resolver = Resolver(
            self._limits.connect_timeout_seconds, resolve=resolve, make_socket=make_socket
        )
        self._pages = PageFetcher(self._limits, self._resolver, tls=tls)

    async def close(self) -> None:
        """Close every connection."""
        # Taken away first: whoever asks meanwhile must not get one that is closed.
        session, self._session = self._session, None
        if session is not None:
            await session.close()
            await asyncio.sleep(0)  # A connection is gone when the loop has been round once more.

    async def fetch_page(
        self,
        url: str,
        policy: DomainPolicy = guard.ANYWHERE,
        *,
        headers: Mapping[str, str] | None = None,
        enter: Enter = freely,
        max_bytes: int | None = None,
    ) -> HttpReply:
        """Return a page of the public web; see `PageFetcher.fetch`."""
        return await self._pages.fetch(
            url, policy, headers=headers, enter=enter, max_bytes=max_bytes
        )

    async def check_page(self, url: str, policy: DomainPolicy = guard.ANYWHERE) -> WebUrl:
        """Return a URL that an external reader may open; see `PageFetcher.check`."""
        return await self._pages.check(url, policy)

    async def direct(
        self,
        endpoint: Endpoint,  # noqa: ARG002 - for those that note what they hear
        about: object,  # noqa: ARG002 - as above
        work: Callable[[], Awaitable[T]],
        form: Form,  # noqa: ARG002 - as above
    ) -> T:
        """Return what a provider finds without a request of ours."""
        return await work()

    def guarding_proxy(self, policy: DomainPolicy = guard.ANYWHERE) -> GuardingProxy:
        """Return a proxy for one page in a browser; it listens while its context is open."""
        return GuardingProxy(self._limits, self._resolver.connect, policy)

    @asynccontextmanager
    async def browser(
        self, endpoint: Endpoint, proxy: GuardingProxy, policy: DomainPolicy
    ) -> AsyncIterator[GuardedBrowser]:
        """Hold a browser behind a proxy; one that was started for this ends with the context.

        Raises:
            ConfigError: There is no browser, or it does not start.
        """
        async with devtools(endpoint, proxy.url) as url:
            yield GuardedBrowser(
                devtools_url=url,
                proxy_url=proxy.url,
                proxy_user=USER,
                proxy_password=proxy.password,
                policy=policy,
                max_redirects=self._limits.max_redirects,
                timeout_seconds=self._limits.page_timeout_seconds,
                user_agent=self._limits.user_agent,
                is_own=starts_own(endpoint),
            )

    async def send(
        self, endpoint: Endpoint, request: HttpRequest, *, patience_seconds: float | None = None
    ) -> HttpReply:
        """Return a service's whole reply, asking again where that can help.

        `patience_seconds` is for callers who can ask someone else: no wait goes beyond it.

        Raises:
            ServiceError: The service answered with a failure, in its status or inside a 200.
            NetworkError: No whole answer arrived.
        """
        seconds = min(patience_seconds or inf, self._limits.total_timeout_seconds)
        until = asyncio.get_running_loop().time() + seconds if patience_seconds else inf
        try:
            async with asyncio.timeout(seconds):
                receive = partial(self._sound_reply, endpoint)
                return await self._ask(endpoint, request, receive, until=until)
        except TimeoutError:
            pass
        raise _at(TimedOutError(endpoint.name, "total", seconds), request)

    @asynccontextmanager
    async def stream(self, endpoint: Endpoint, request: HttpRequest) -> AsyncIterator[EventStream]:
        """Open a streamed reply; leaving the context closes its connection at once.

        It is open when the first event that says something is here, and that one is no error:
        until then failures are retried like any other, later never.

        Raises:
            ServiceError: The service answered with a failure instead of a stream.
            NetworkError: No answer began.
        """

        async def receive(response: aiohttp.ClientResponse) -> EventStream:
            kind = response.headers.get("Content-Type", EVENT_STREAM).partition(";")[0].strip()
            if kind.lower() == JSON:
                whole = await self._sound_reply(endpoint, response)
                return EventStream(response, limits, self._batching, whole, service=endpoint.name)
            if kind.lower() != EVENT_STREAM:
                raise BadReplyError(endpoint.name, f"expected an event stream, got {kind}")
            with ExitStack() as until_sound:
                events = EventStream(response, limits, self._batching, service=endpoint.name)
                until_sound.callback(events.close)
                first = await events.first_event(
                    lambda data: called(endpoint, partial(endpoint.provider.is_opening, data))
                )
                body, status = first.encode(), response.status
                reply = HttpReply(status=status, body=body, service=endpoint.name)
                self._refuse_fault_inside(endpoint, reply)
                until_sound.pop_all()
            return events

        limits = self._limits_of(endpoint)
        plain = replace(request, headers={"Accept-Encoding": "identity", **request.headers})
        events = await self._ask(endpoint, plain, receive)
        with closing(events):
            yield events

    def _limits_of(self, endpoint: Endpoint) -> NetworkSettings:
        """Return the limits of a stream, as the provider and its own settings change them."""
        most = max(endpoint.provider.max_event_bytes, self._limits.max_event_bytes)
        changes: dict[str, float] = {"max_event_bytes": most}
        if endpoint.idle_timeout_seconds is not None:
            changes["idle_timeout_seconds"] = endpoint.idle_timeout_seconds
        return self._limits.model_copy(update=changes)

    async def _ask(
        self,
        endpoint: Endpoint,
        request: HttpRequest,
        receive: Callable[[aiohttp.ClientResponse], Awaitable[T]],
        *,
        until: float = inf,
    ) -> T:
        """Send until a reply is received or asking again is wrong: the only retry loop."""
        attempt = 0
        while True:
            outcome = await self._attempt(endpoint, request, receive)
            if not isinstance(outcome, _Failure):
                return outcome
            delay = delay_before_retry(outcome.error, attempt, should_retry=outcome.should_retry)
            if delay is None or attempt == self._limits.retries:
                raise outcome.error
            if asyncio.get_running_loop().time() + delay >= until:
                # The service's own reason says more than that our time was over.
                raise outcome.error
            await self._pause(delay)
            attempt += 1

    async def _attempt(
        self,
        endpoint: Endpoint,
        request: HttpRequest,
        receive: Callable[[aiohttp.ClientResponse], Awaitable[T]],
    ) -> T | _Failure:
        response: aiohttp.ClientResponse | None = None
        is_received = False
        try:
            response = await self._request(endpoint, request)
            if not 200 <= response.status < 300:
                error = await self._read_fault(endpoint, response)
                return _Failure(error, _should_retry(response))
            reply = await receive(response)
            is_received = True
        except GroundwireError as error:
            return _Failure(_at(error, request))
        else:
            return reply
        finally:
            # Closed, not released: a connection with an unread reply cannot be used again.
            if response is not None and not is_received:
                response.close()

    async def _request(self, endpoint: Endpoint, request: HttpRequest) -> aiohttp.ClientResponse:
        _refuse_other_origin(endpoint, request)
        seconds = self._limits.reply_timeout_seconds
        sending = self._open_session().request(
            request.method,
            URL(request.url, encoded=True),
            headers={
                "User-Agent": self._limits.user_agent,
                "Accept-Encoding": ACCEPT_ENCODING,
                **request.headers,
            },
            data=request.body,
            allow_redirects=False,
            proxy=self._limits.proxy or None,
        )
        try:
            async with asyncio.timeout(seconds):
                connect_seconds = self._limits.connect_timeout_seconds
                return await translated(sending, endpoint.name, connect_seconds=connect_seconds)
        except TimeoutError:
            pass
        raise TimedOutError(endpoint.name, "reply", seconds)

    def _open_session(self) -> aiohttp.ClientSession:
        if self._session is None:
            timeout = aiohttp.ClientTimeout(
                total=None, sock_connect=self._limits.connect_timeout_seconds
            )
            self._session = aiohttp.ClientSession(
                connector=aiohttp.TCPConnector(limit=0, ssl=self._tls or True),
                cookie_jar=aiohttp.DummyCookieJar(),
                timeout=timeout,
                auto_decompress=False,
                trust_env=False,
                read_bufsize=READ_BUFFER_BYTES,
            )
        return self._session

    async def _read_fault(
        self, endpoint: Endpoint, response: aiohttp.ClientResponse
    ) -> ServiceError:
        if 300 <= response.status < 400:
            error = BadReplyError(
                endpoint.name,
                "redirects elsewhere, which is not followed: set its base_url to where it is",
                status=response.status,
            )
            error.address = urlsplit(response.headers.get("Location", "")).hostname or ""
            return error
        reply = await self._whole_reply(endpoint, response, is_fault=True)
        return _fault_of(endpoint, reply) or errors.read_fault(
            endpoint.name,
            status=reply.status,
            headers=reply.headers,
            body=reply.body,
            now=datetime.now(UTC),
        )

    async def _sound_reply(self, endpoint: Endpoint, response: aiohttp.ClientResponse) -> HttpReply:
        reply = await self._whole_reply(endpoint, response)
        self._refuse_fault_inside(endpoint, reply)
        return reply

    async def _whole_reply(
        self, endpoint: Endpoint, response: aiohttp.ClientResponse, *, is_fault: bool = False
    ) -> HttpReply:
        """Read a reply to its end; of a fault, what arrives of its first bytes is enough."""
        limit = MAX_FAULT_BYTES if is_fault else self._limits.max_reply_bytes
        body = bytearray()
        with closing(ReplyBody(response, self._limits, service=endpoint.name)) as received:
            encoding = received.headers.get("content-encoding", "")
            unpacker = Unpacker(encoding, limit, endpoint.name)
            is_enough = is_fault
            try:
                is_enough = await read_up_to(received.read, unpacker, limit, body) or is_fault
            except NetworkError:
                if not is_fault:
                    raise
        if not is_enough:
            raise TooLargeError(f"the reply of {endpoint.name}", limit)
        return HttpReply(
            status=response.status,
            headers=received.headers,
            body=redact_bytes(bytes(body), endpoint.access.key),
            url=redact(str(response.url)),
            service=endpoint.name,
        )

    def _refuse_fault_inside(self, endpoint: Endpoint, reply: HttpReply) -> None:
        error = told_fault(endpoint, reply) or errors.fault_inside(
            endpoint.name, headers=reply.headers, body=reply.body, now=datetime.now(UTC)
        )
        if error is not None:
            raise error


def _fault_of(endpoint: Endpoint, reply: HttpReply) -> ServiceError | None:
    """Ask the provider what a failure means; a body it cannot read says no more than its status."""
    try:
        return told_fault(endpoint, reply)
    except (BadReplyError, ProviderBugError):
        return None


def _should_retry(response: aiohttp.ClientResponse) -> bool | None:
    word = response.headers.get("x-should-retry", "").lower()
    return {"true": True, "false": False}.get(word)


def _refuse_other_origin(endpoint: Endpoint, request: HttpRequest) -> None:
    """Refuse a request to another origin than the endpoint's: keys are sent nowhere else."""
    wanted, asked = urlsplit(endpoint.access.base_url), urlsplit(request.url)
    if (wanted.scheme, wanted.netloc) != (asked.scheme, asked.netloc):
        error = ConfigError(f"{endpoint.name!r} asked for another host than that of its base_url")
        error.address = asked.netloc
        raise error


def _at(error: GroundwireError, request: HttpRequest) -> GroundwireError:
    """Note where a connection failed; the message itself names the service alone."""
    if isinstance(error, NetworkError):
        error.address = urlsplit(request.url).netloc
    return error
