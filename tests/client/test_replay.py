"""What a client heard is said again: to the same questions, in the same order, without a key."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from groundwire import guard
from groundwire.client import Client
from groundwire.client.forms import RESULTS
from groundwire.client.replay import (
    Exchange,
    RecordingClient,
    ReplayingClient,
    asked,
    asked_url,
    error_from_json,
    error_json,
)
from groundwire.errors import (
    AuthError,
    BlockedError,
    BundleError,
    GroundwireError,
    RateLimitError,
    TruncatedError,
    UrlRefusedError,
)
from groundwire.guard import DomainPolicy
from groundwire.model import SearchResult, Secret
from groundwire.wire.contract import Access, Endpoint, HttpRequest
from tests.client.echo import Echo, endpoint
from tests.client.internet import PAGE, PUBLIC, Internet, redirect
from tests.loopback import Script, reply, serve, stream
from tests.patience import PATIENCE
from tests.quiet_time import in_quiet_time

KEY = "sk-canary-0123456789abcdef"
ECHO = Endpoint(
    name="echo", provider=Echo(), access=Access(base_url="http://echo.test", key=Secret(KEY))
)
HITS = [SearchResult(url="https://a.org/", title="A")]


def post(body: bytes | None, path: str = "/v1") -> HttpRequest:
    return HttpRequest(method="POST", url=f"http://echo.test{path}?key={KEY}", body=body)


def said(body: str, request: HttpRequest, kind: str = "send", **fields: object) -> Exchange:
    """Return what was noted of a question and its reply."""
    told = {"status": 200, "headers": {}, "url": "", "service": "echo", "is_truncated": False}
    return replace(asked(ECHO, request, kind), reply={**told, "body": body}, **fields)  # type: ignore[arg-type]


async def _send(client: Client, body: bytes | None, path: str = "/v1") -> bytes:
    return (await client.send(ECHO, post(body, path))).body


@pytest.mark.parametrize("body", [b'{"a": 1}', b"\xff\x00", b""])
async def test_a_reply_comes_again_as_it_came(body: bytes) -> None:
    headers = {"X-Own": "kept", "Set-Cookie": "left=out"}
    async with serve(reply(body, headers=headers)) as server, RecordingClient() as recording:
        request = HttpRequest(method="GET", url=f"{server.url}/{KEY}")
        there = endpoint(server, KEY)
        first = await recording.send(there, request)

    noted = json.dumps([each.reply for each in recording.exchanges])
    async with ReplayingClient(recording.exchanges) as replaying:
        again = await replaying.send(there, request)

    kept = {name: value for name, value in first.headers.items() if name != "set-cookie"}
    assert again == replace(first, headers=kept)
    assert kept["x-own"] == "kept"
    assert "left" not in noted
    assert KEY not in noted + json.dumps([each.asked for each in recording.exchanges])
    assert (again.body, replaying.differences) == (body, [])


@pytest.mark.parametrize(
    "script",
    [
        stream(b"data: a\n\n", b"data: b\n\ndata: c\n\n"),
        stream(b"data: a\n\n", is_whole=False),
        reply(b'{"answer": 1}'),
    ],
    ids=["whole", "cut", "in one piece"],
)
async def test_a_stream_comes_again_as_it_came(script: Script) -> None:
    async def heard(client: Client, there: Endpoint, request: HttpRequest) -> list[object]:
        found: list[object] = []
        try:
            async with client.stream(there, request) as received:
                found.append(received.whole and received.whole.json())
                while events := await received.read_events():
                    found += events
                found.append(await received.read_events())
        except TruncatedError as error:
            found.append(str(error))
        return found

    async with serve(script) as server, RecordingClient() as recording:
        request = HttpRequest(method="GET", url=server.url)
        first = await heard(recording, endpoint(server), request)

    async with ReplayingClient(recording.exchanges) as replaying:
        again = await heard(replaying, endpoint(server), request)

    assert again == first
    assert len(first) > 1


async def test_a_key_that_a_stream_says_is_not_noted() -> None:
    async with serve(stream(f"data: {KEY} \ud83d\n\n".encode("utf-8", "replace"))) as server:
        request = HttpRequest(method="GET", url=server.url)
        async with (
            RecordingClient() as recording,
            recording.stream(endpoint(server, KEY), request) as received,
        ):
            events = await received.read_events()

    assert KEY in events[0]
    assert KEY not in repr(recording.exchanges)


async def test_leaving_a_noted_stream_closes_its_connection_at_once() -> None:
    async with serve(stream(b"data: a\n\n", hang=True)) as server:
        request = HttpRequest(method="GET", url=server.url)
        async with RecordingClient() as recording:
            async with recording.stream(endpoint(server), request) as received:
                await received.read_events()

            await asyncio.wait_for(server.left.wait(), PATIENCE)

    assert not recording.exchanges[0].was_given_up


async def test_a_stream_that_somebody_stopped_reading_stays_silent_again() -> None:
    async with serve(stream(b"data: a\n\n", hang=True)) as server:
        request = HttpRequest(method="GET", url=server.url)
        async with (
            RecordingClient() as recording,
            recording.stream(endpoint(server), request) as received,
        ):
            first = await received.read_events()
            waiting = asyncio.create_task(received.read_events())
            await asyncio.sleep(0)
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting

    async with (
        ReplayingClient(recording.exchanges) as replaying,
        replaying.stream(endpoint(server), request) as received,
    ):
        again = await received.read_events()
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(received.read_events(), 0.01)

    assert again == first == ["a"]


async def test_what_nobody_waited_for_is_not_answered_again() -> None:
    given_up = said("", post(b"a"), was_given_up=True)
    async with ReplayingClient([given_up]) as replaying:
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(_send(replaying, b"a"), 0.01)


async def test_who_gives_up_on_a_reply_is_noted_and_another_mistake_is_not() -> None:
    async def work() -> list[SearchResult]:
        raise ZeroDivisionError

    async with serve(stream(hang=True)) as server, RecordingClient() as recording:
        request = HttpRequest(method="GET", url=server.url)
        waiting = asyncio.create_task(recording.send(endpoint(server), request))
        await server.asked.wait()
        waiting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await waiting

        with pytest.raises(ZeroDivisionError):
            await recording.direct(ECHO, {}, work, RESULTS)

    assert [(each.kind, each.was_given_up) for each in recording.exchanges] == [("send", True)]


async def test_a_failure_comes_again_with_all_that_it_said() -> None:
    headers = {"Retry-After": "99", "Request-Id": "r1"}
    async with serve(reply(b"", status="429 Slow", headers=headers)) as server:
        request = HttpRequest(method="GET", url=server.url)
        async with RecordingClient() as recording:
            with pytest.raises(RateLimitError) as first:
                await recording.send(endpoint(server), request)
    async with ReplayingClient(recording.exchanges) as replaying:
        with pytest.raises(RateLimitError) as again:
            await replaying.send(endpoint(server), request)

    assert str(again.value) == str(first.value)
    for name in ("service", "reason", "status", "retry_after_seconds", "request_id", "address"):
        assert getattr(again.value, name) == getattr(first.value, name), name


def test_an_error_is_written_without_a_key_and_read_back() -> None:
    error = AuthError("echo", f"wrong key {KEY}", status=401)
    told = error_json(error, Secret(KEY))

    again = error_from_json(json.loads(json.dumps(told)))

    assert KEY not in json.dumps(told["words"])
    assert type(again) is AuthError
    assert vars(again) == told["fields"]
    assert told["fields"] == {
        name: value
        for name, value in vars(error).items()
        if value is None or isinstance(value, str | int | float)
    }
    assert None in told["fields"].values()


@pytest.mark.parametrize("name", ["annotations", "NoSuchError", "Attempt"])
def test_a_recording_with_an_error_that_is_none_is_refused(name: str) -> None:
    with pytest.raises(BundleError, match=f"an error that is none: '{name}'"):
        error_from_json({"class": name, "words": [], "fields": {}})


async def test_the_same_question_gets_the_replies_in_their_order() -> None:
    exchanges = [said("one", post(b"a")), said("two", post(b"a")), said("other", post(b"b"))]
    async with ReplayingClient(exchanges) as replaying:
        found = [await _send(replaying, body) for body in (b"a", b"a", b"b")]

    assert found == [b"one", b"two", b"other"]
    assert replaying.differences == []


async def test_a_question_that_is_asked_otherwise_gets_the_next_reply_of_its_address() -> None:
    exchanges = [
        said("elsewhere", post(b"a", "/v2")),
        said("first", post(None)),
        said("second", post(b"b")),
    ]
    async with ReplayingClient(exchanges) as replaying:
        found = [await _send(replaying, b"a", "/v2"), await _send(replaying, b"changed")]
        found.append(await _send(replaying, b"b"))
        for body in (None, b"b", b"again"):
            with pytest.raises(BundleError, match="no reply to this: send"):
                await _send(replaying, body)

    assert found == [b"elsewhere", b"first", b"second"]
    (difference,) = replaying.differences
    assert difference.startswith(
        "asked otherwise than it was recorded: send echo http://echo.test/v1"
    )
    assert KEY not in difference


async def test_a_reply_that_somebody_waits_for_already_is_given_to_nobody_else() -> None:
    exchanges = [said("first", post(b"a", "/v2")), said("taken", post(b"b"))]
    async with ReplayingClient(exchanges) as replaying:
        waiting = asyncio.create_task(_send(replaying, b"b"))
        await asyncio.sleep(0)
        with pytest.raises(BundleError):
            await _send(replaying, b"otherwise")
        found = [await _send(replaying, b"a", "/v2"), await waiting]

    assert found == [b"first", b"taken"]


@in_quiet_time
async def test_what_came_first_comes_first_again() -> None:
    exchanges = [said(body, post(body.encode())) for body in ("one", "two", "three")]
    order: list[bytes] = []
    async with ReplayingClient(exchanges) as replaying:

        async def ask(body: bytes) -> None:
            order.append(await _send(replaying, body))

        async with asyncio.TaskGroup() as group:
            for body in (b"three", b"two", b"one"):
                group.create_task(ask(body))
                await asyncio.sleep(0)

    assert order == [b"one", b"two", b"three"]
    assert replaying.differences == []
    assert asyncio.get_running_loop().time() == 1000


@in_quiet_time
async def test_a_reply_waits_twenty_seconds_for_those_before_it() -> None:
    exchanges = [said("never asked for", post(b"a")), said("late", post(b"b"))]
    async with ReplayingClient(exchanges) as replaying:
        found = await _send(replaying, b"b")

    assert found == b"late"
    assert asyncio.get_running_loop().time() == 1020
    (difference,) = replaying.differences
    assert difference.startswith("not in the order that was recorded: ")


@in_quiet_time
async def test_streams_that_are_read_at_once_take_turns() -> None:
    exchanges = [
        replace(asked(ECHO, post(body), "stream"), events=[["1"], ["2"]]) for body in (b"a", b"b")
    ]
    heard: list[str] = []
    async with ReplayingClient(exchanges) as replaying:

        async def read(body: bytes) -> None:
            async with replaying.stream(ECHO, post(body)) as received:
                while events := await received.read_events():
                    heard.extend(body.decode() + each for each in events)

        async with asyncio.TaskGroup() as group:
            for body in (b"a", b"b"):
                group.create_task(read(body))

    assert heard == ["a1", "b1", "a2", "b2"]
    assert asyncio.get_running_loop().time() == 1000


async def test_what_a_provider_found_itself_comes_again_whatever_the_order_of_its_words() -> None:
    async def work() -> list[SearchResult]:
        return HITS

    async def nobody() -> list[SearchResult]:
        raise AssertionError("it was asked")

    async with RecordingClient() as recording:
        first = await recording.direct(ECHO, {"a": 1, "b": 2}, work, RESULTS)
    async with ReplayingClient(recording.exchanges) as replaying:
        again = await replaying.direct(ECHO, {"b": 2, "a": 1}, nobody, RESULTS)

    assert again == first == HITS
    assert replaying.differences == []


async def test_pages_come_again_over_the_same_hops() -> None:
    entered: list[str] = []

    @asynccontextmanager
    async def enter(url: guard.WebUrl) -> AsyncIterator[None]:
        entered.append(url.host)
        yield

    async with serve(redirect("http://b.test/"), PAGE) as server:
        internet = Internet(server, {"a.test": [[PUBLIC]], "b.test": [[PUBLIC]]})
        async with RecordingClient(
            resolve=internet.resolve, make_socket=internet.make_socket
        ) as recording:
            first = await recording.fetch_page("http://a.test/", enter=enter)
            plain = await recording.fetch_page("http://b.test/")
    async with ReplayingClient(recording.exchanges) as replaying:
        again = [await replaying.fetch_page("http://a.test/", enter=enter)]
        again.append(await replaying.fetch_page("http://b.test/"))

    assert again == [first, plain]
    assert entered == ["a.test", "b.test"] * 2


async def test_whether_a_page_may_be_opened_is_said_again() -> None:
    url, inside = "http://public.test/", "http://inside.test/"
    async with serve(PAGE) as server:
        internet = Internet(server, {"public.test": [[PUBLIC]], "inside.test": [["10.0.0.1"]]})
        async with RecordingClient(resolve=internet.resolve) as recording:
            checked = await recording.check_page(url)
            with pytest.raises(UrlRefusedError):
                await recording.check_page(inside)

    async with ReplayingClient(recording.exchanges) as replaying:
        assert await replaying.check_page(url) == checked
        with pytest.raises(UrlRefusedError):
            await replaying.check_page(inside)
    async with ReplayingClient([asked_url("check", url)]) as replaying:
        with pytest.raises(BlockedError):
            await replaying.check_page(url, DomainPolicy(allowed=("other.test",)))


async def test_another_page_than_was_noted_is_the_next_one_and_told() -> None:
    async with serve(PAGE) as server:
        internet = Internet(server, {"public.test": [[PUBLIC]]})
        async with RecordingClient(
            resolve=internet.resolve, make_socket=internet.make_socket
        ) as recording:
            first = await recording.fetch_page("http://public.test/")

    async with ReplayingClient(recording.exchanges) as replaying:
        again = await replaying.fetch_page("http://public.test/other")
        with pytest.raises(GroundwireError):
            await replaying.fetch_page("http://public.test/")

    assert again == first
    assert replaying.differences == ["asked otherwise than it was recorded: page web"]
