"""The client with services: whole replies, retries, faults, limits and secrets."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
import traceback

import pytest

from groundwire.client import Client
from groundwire.config.settings import NetworkSettings
from groundwire.errors import (
    AuthError,
    BadReplyError,
    ConfigError,
    ConnectError,
    GroundwireError,
    InvalidRequestError,
    OverloadedError,
    QuotaError,
    RateLimitError,
    ServiceError,
    TimedOutError,
    TooLargeError,
    TruncatedError,
)
from groundwire.wire.contract import HttpReply, HttpRequest
from tests.client.echo import endpoint
from tests.loopback import Loopback, raw, reply, serve
from tests.patience import PATIENCE
from tests.quiet_time import in_quiet_time

CANARY = "sk-canary-0123456789abcdef"


def request(server: Loopback) -> HttpRequest:
    headers = {"Authorization": f"Bearer {CANARY}"}
    return HttpRequest.post_json(f"{server.url}/v1?key={CANARY}", {"q": "ü"}, headers)


class Pauses:
    """Remembers how long the client would have waited, and does not wait."""

    def __init__(self) -> None:
        self.seconds: list[float] = []

    async def __call__(self, seconds: float) -> None:
        self.seconds.append(seconds)


async def send(server: Loopback, pauses: Pauses | None = None, **limits: object) -> HttpReply:
    network = NetworkSettings.model_validate(limits)
    async with Client(network, pause=pauses or Pauses()) as client:
        return await client.send(endpoint(server, CANARY), request(server))


async def test_a_whole_reply_comes_back_with_its_headers_in_lower_case() -> None:
    async with serve(reply(b'{"answer": 1}', headers={"X-Request-Id": "r1"})) as server:
        got = await send(server)

    assert (got.status, got.json(), got.headers["x-request-id"]) == (200, {"answer": 1}, "r1")
    assert json.loads(server.requests[0].body) == {"q": "ü"}


async def test_the_url_kept_with_a_reply_shows_no_key() -> None:
    async with serve(reply()) as server:
        got = await send(server)

    assert CANARY not in got.url


async def test_a_compressed_reply_is_unpacked() -> None:
    body = gzip.compress(b'{"a": 1}') + gzip.compress(b"  ")
    async with serve(reply(body, headers={"Content-Encoding": "gzip"})) as server:
        got = await send(server)

    assert got.body == b'{"a": 1}  '


async def test_a_reply_in_an_encoding_that_was_not_offered_is_an_error() -> None:
    async with serve(reply(b"x", headers={"Content-Encoding": "br"})) as server:
        with pytest.raises(BadReplyError, match="'br', which was not offered"):
            await send(server)


@pytest.mark.parametrize(
    ("status", "body", "expected"),
    [
        ("400 Bad", b'{"error": {"message": "no"}}', InvalidRequestError),
        ("400 Bad", b'{"error": {"details": [{"reason": "API_KEY_INVALID"}]}}', AuthError),
        ("401 No", b'{"detail": "sign in"}', AuthError),
        ("402 Pay", b"", QuotaError),
        ("403 No", b"", AuthError),
        ("404 No", b'{"error": {"code": "usage_limit_reached"}}', QuotaError),
        ("422 Bad", b'{"detail": [{"msg": "too long"}]}', InvalidRequestError),
        ("429 Slow", b'{"error": {"code": "insufficient_quota"}}', QuotaError),
        ("302 Away", b"", BadReplyError),
    ],
)
async def test_a_failure_that_waiting_cannot_mend_is_not_retried(
    status: str, body: bytes, expected: type[ServiceError]
) -> None:
    async with serve(reply(body, status=status)) as server:
        with pytest.raises(expected):
            await send(server)

    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("status", "expected"),
    [
        ("408 Late", OverloadedError),
        ("409 Busy", OverloadedError),
        ("429 Slow", RateLimitError),
        ("500 Oh", OverloadedError),
        ("529 Full", OverloadedError),
    ],
)
async def test_a_passing_failure_is_retried_twice_with_growing_pauses(
    status: str, expected: type[ServiceError]
) -> None:
    pauses = Pauses()
    async with serve(reply(b"", status=status)) as server:
        with pytest.raises(expected):
            await send(server, pauses)

    assert len(server.requests) == 3
    assert 0.375 <= pauses.seconds[0] <= 0.5
    assert 0.75 <= pauses.seconds[1] <= 1.0


async def test_a_retry_that_succeeds_is_the_answer() -> None:
    async with serve(reply(b"", status="503 Wait"), reply(b'{"a": 2}')) as server:
        got = await send(server)

    assert got.json() == {"a": 2}
    assert len(server.requests) == 2


@pytest.mark.parametrize(
    ("headers", "seconds"),
    [
        ({"Retry-After": "7"}, 7.0),
        ({"Retry-After-Ms": "1500", "Retry-After": "7"}, 1.5),
        ({"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}, 0.0),
    ],
)
async def test_the_wait_that_a_service_asks_for_is_kept(
    headers: dict[str, str], seconds: float
) -> None:
    pauses = Pauses()
    async with serve(reply(b"", status="429 Slow", headers=headers), reply()) as server:
        await send(server, pauses)

    assert pauses.seconds == [seconds]


async def test_a_wait_of_more_than_a_minute_is_told_instead_of_waited() -> None:
    pauses = Pauses()
    async with serve(reply(b"", status="429 Slow", headers={"Retry-After": "61"})) as server:
        with pytest.raises(RateLimitError) as caught:
            await send(server, pauses)

    assert caught.value.retry_after_seconds == 61
    assert pauses.seconds == []


async def test_the_services_own_word_on_retrying_wins() -> None:
    never = reply(b"", status="529 Full", headers={"X-Should-Retry": "false"})
    async with serve(never) as server:
        with pytest.raises(OverloadedError):
            await send(server)
        assert len(server.requests) == 1
    always = reply(b"", status="400 Bad", headers={"X-Should-Retry": "true"})
    async with serve(always, reply()) as server:
        await send(server)
        assert len(server.requests) == 2


async def test_an_error_keeps_the_request_id_and_the_rate_limits() -> None:
    headers = {"Request-Id": "req_7", "Anthropic-Ratelimit-Requests-Remaining": "0"}
    async with serve(reply(b"{}", status="401 No", headers=headers)) as server:
        with pytest.raises(AuthError) as caught:
            await send(server)

    assert caught.value.request_id == "req_7"
    assert caught.value.rate_limits == {"anthropic-ratelimit-requests-remaining": "0"}


async def test_an_error_inside_a_reply_with_status_200_is_an_error() -> None:
    async with serve(reply(b'{"error": {"message": "no", "type": "overloaded_error"}}')) as server:
        with pytest.raises(OverloadedError):
            await send(server)

    assert len(server.requests) == 3


async def test_a_null_error_inside_a_reply_is_none() -> None:
    async with serve(reply(b'{"error": null, "a": 1}')) as server:
        got = await send(server)

    assert got.json()["a"] == 1


async def test_a_redirect_of_a_service_is_told_and_not_followed() -> None:
    away = reply(b"", status="302 Away", headers={"Location": "https://www.google.com/?q=secret"})
    async with serve(away) as server:
        with pytest.raises(BadReplyError, match=r"redirects elsewhere.*base_url") as caught:
            await send(server)

    assert "google" not in str(caught.value)
    assert caught.value.address == "www.google.com"


async def test_a_reply_over_the_limit_is_an_error_and_not_memory() -> None:
    async with serve(reply(b"x" * 2000)) as server:
        with pytest.raises(TooLargeError):
            await send(server, max_reply_bytes=1000)


async def test_a_bomb_is_an_error_at_the_limit() -> None:
    bomb = gzip.compress(b"0" * 10_000_000)
    async with serve(reply(bomb, headers={"Content-Encoding": "gzip"})) as server:
        with pytest.raises(TooLargeError):
            await send(server, max_reply_bytes=100_000)


async def test_a_connection_that_nobody_accepts_is_tried_again_and_then_told() -> None:
    async with serve(reply()) as server:
        pass
    pauses = Pauses()

    with pytest.raises(ConnectError, match="no connection to ") as caught:
        await send(server, pauses)

    assert len(pauses.seconds) == 2
    address = server.url.removeprefix("http://")
    assert "127.0.0.1" not in str(caught.value)
    assert caught.value.with_address() == f"{caught.value} ({address})"


async def test_a_server_that_hangs_up_before_answering_is_tried_again() -> None:
    async with serve(raw(b""), reply(b'{"a": 3}')) as server:
        got = await send(server)

    assert got.json() == {"a": 3}


async def test_a_body_shorter_than_promised_is_truncated_and_not_an_answer() -> None:
    head = b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"
    async with serve(raw(head + b'{"a"')) as server:
        with pytest.raises(TruncatedError):
            await send(server)


@in_quiet_time
async def test_silence_before_the_reply_ends_at_its_limit() -> None:
    async with serve(_silence) as server:
        with pytest.raises(TimedOutError) as caught:
            await send(server, reply_timeout_seconds=5)

        await asyncio.wait_for(server.left.wait(), PATIENCE)
    assert caught.value.phase == "reply"


@in_quiet_time
async def test_retries_and_pauses_together_end_at_the_total_limit() -> None:
    async def pause_for_ever(_seconds: float) -> None:
        await asyncio.Event().wait()

    async with serve(reply(b"", status="503 Wait")) as server:
        network = NetworkSettings(total_timeout_seconds=5)
        async with Client(network, pause=pause_for_ever) as client:
            with pytest.raises(TimedOutError) as caught:
                await client.send(endpoint(server, CANARY), request(server))

    assert caught.value.phase == "total"


async def test_cancelling_closes_the_connection_at_once() -> None:
    async with serve(_silence) as server:
        task = asyncio.create_task(send(server))
        await server.asked.wait()
        task.cancel()

        with pytest.raises(asyncio.CancelledError):
            await task
        await asyncio.wait_for(server.left.wait(), PATIENCE)


async def test_a_request_to_another_host_than_the_services_is_refused() -> None:
    async with serve(reply()) as server, Client() as client:
        other = HttpRequest(method="GET", url="http://127.0.0.1:1/steal")

        with pytest.raises(ConfigError, match="base_url"):
            await client.send(endpoint(server, CANARY), other)

    assert server.requests == []


async def test_a_proxy_is_used_for_services() -> None:
    async with serve(reply(b'{"via": "proxy"}')) as proxy, serve(reply()) as server:
        got = await send(server, proxy=proxy.url)

    assert got.json() == {"via": "proxy"}
    assert proxy.requests[0].line.startswith(f"POST {server.url}/v1")
    assert server.requests == []


async def test_proxies_of_the_environment_are_ignored(monkeypatch: pytest.MonkeyPatch) -> None:
    async with serve(reply(b'{"via": "proxy"}')) as proxy, serve(reply(b"{}")) as server:
        monkeypatch.setenv("HTTP_PROXY", proxy.url)
        monkeypatch.setenv("http_proxy", proxy.url)

        got = await send(server)

    assert got.json() == {}


FAULTS = {
    "echoes the key": reply(
        json.dumps({"error": {"message": f"Incorrect API key provided: {CANARY}"}}).encode(),
        status="401 No",
    ),
    "echoes the key in plain text": reply(CANARY.encode(), status="500 Oh"),
    "hangs up": raw(b""),
    "is no HTTP": raw(b"SSH-2.0-OpenSSH_9.2\r\n"),
    "has a broken header": raw(b"HTTP/1.1 200 OK\r\nA\x00b: c\r\n\r\n"),
    "is cut": raw(b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{"),
    "has a broken chunk": raw(b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxx\r\n"),
    "lies about its encoding": reply(b"plain", headers={"Content-Encoding": "gzip"}),
    "is no JSON": reply(b'{"error": '),
}


@pytest.mark.parametrize("fault", FAULTS)
async def test_no_failure_shows_the_key_anywhere(
    fault: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    async with serve(FAULTS[fault]) as server:
        with pytest.raises(GroundwireError) as caught:
            (await send(server)).json()

    error = caught.value
    shown = "".join(traceback.format_exception(error)) + repr(error) + repr(vars(error))
    assert error.__context__ is None
    assert CANARY not in shown
    assert CANARY not in caplog.text
    assert CANARY not in repr(endpoint(server, CANARY)) + repr(request(server))


async def _silence(_writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()


@pytest.mark.parametrize(
    ("status", "said"),
    [
        (200, ""),
        (201, ""),
        (299, ""),
        (300, "redirects elsewhere"),
        (399, "redirects elsewhere"),
        (400, "echo (HTTP 400)"),
    ],
)
async def test_only_a_status_of_the_200s_is_an_answer(status: int, said: str) -> None:
    async with serve(reply(b"{}", status=f"{status} So"), reply(b"[]")) as server:
        try:
            found = (await send(server)).status, ""
        except ServiceError as error:
            found = error.status or 0, str(error)

    assert found[0] == status
    assert said in found[1]
    assert bool(said) is bool(found[1])


async def test_a_url_is_asked_for_as_it_is_written() -> None:
    path = "/v1/%7Ea%2Fb?q=%41+b%20c"
    async with serve(reply()) as server, Client() as client:
        await client.send(endpoint(server), HttpRequest(method="GET", url=server.url + path))

    assert server.requests[0].line == f"GET {path} HTTP/1.1"


@pytest.mark.parametrize(("size", "reason"), [(64_000, "no"), (64_001, "")])
async def test_a_failure_is_read_up_to_its_limit(size: int, reason: str) -> None:
    start = b'{"error": {"message": "no"}'
    body = start + b" " * (size - len(start) - 1) + b"}"
    async with serve(reply(body, status="400 Bad")) as server:
        with pytest.raises(InvalidRequestError) as caught:
            await send(server)

    assert (caught.value.reason == "no") is bool(reason)


async def test_a_failure_that_is_cut_short_is_still_that_failure() -> None:
    head = b"HTTP/1.1 401 No\r\nContent-Length: 100\r\n\r\n"
    async with serve(raw(head + b'{"error"')) as server:
        with pytest.raises(AuthError):
            await send(server)
