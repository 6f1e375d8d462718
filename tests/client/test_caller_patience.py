"""How long a service is waited for by those who can ask someone else."""

from __future__ import annotations

import asyncio

import pytest

from groundwire.client import Client
from groundwire.errors import RateLimitError, TimedOutError
from groundwire.wire.contract import HttpRequest
from tests.client.echo import endpoint
from tests.client.test_send import Pauses
from tests.loopback import Loopback, reply, serve
from tests.quiet_time import in_quiet_time


async def test_who_can_ask_someone_else_hears_the_reason_instead_of_waiting_for_it() -> None:
    pauses = Pauses()
    script = reply(b"", status="429 Wait", headers={"Retry-After": "30"})
    async with serve(script) as server, Client(pause=pauses) as client:
        with pytest.raises(RateLimitError) as caught:
            await client.send(endpoint(server), _get(server), patience_seconds=10)

    assert caught.value.retry_after_seconds == 30
    assert pauses.seconds == []


@in_quiet_time
async def test_a_wait_that_takes_all_of_ones_patience_is_not_waited() -> None:
    pauses = Pauses()
    script = reply(b"", status="429 Wait", headers={"Retry-After": "10"})
    async with serve(script) as server, Client(pause=pauses) as client:
        with pytest.raises(RateLimitError):
            await client.send(endpoint(server), _get(server), patience_seconds=10)

    assert pauses.seconds == []


async def test_who_has_patience_gets_the_answer_to_another_try() -> None:
    pauses = Pauses()
    wait = reply(b"", status="429 Wait", headers={"Retry-After": "3"})
    async with serve(wait, reply(b'{"a": 4}')) as server, Client(pause=pauses) as client:
        got = await client.send(endpoint(server), _get(server), patience_seconds=600)

    assert (got.json(), pauses.seconds) == ({"a": 4}, [3])


@in_quiet_time
async def test_patience_ends_a_silence_before_any_other_limit() -> None:
    async with serve(_silence) as server, Client() as client:
        with pytest.raises(TimedOutError, match="echo was not done within 7 s") as caught:
            await client.send(endpoint(server), _get(server), patience_seconds=7)

    assert caught.value.address == server.url.removeprefix("http://")


def _get(server: Loopback) -> HttpRequest:
    return HttpRequest(method="GET", url=server.url)


async def _silence(_writer: asyncio.StreamWriter) -> None:
    await asyncio.Event().wait()
