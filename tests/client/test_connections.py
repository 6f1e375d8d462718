"""Connections to services: whom they are made to, and that none is left open."""

from __future__ import annotations

import asyncio
import ssl

import pytest
import trustme

from groundwire.client import Client
from groundwire.config.settings import NetworkSettings
from groundwire.errors import ConnectError, GroundwireError, TooLargeError
from groundwire.wire.contract import Access, Endpoint, HttpRequest
from tests.client.echo import Echo, endpoint
from tests.client.internet import server_tls
from tests.loopback import Loopback, Script, reply, serve, stream
from tests.patience import PATIENCE
from tests.quiet_time import in_quiet_time


@pytest.mark.parametrize(
    "script",
    [
        stream(b"x" * 2000, hang=True),
        stream(b'data: {"error": {"message": "no"}}\n\n', hang=True),
    ],
    ids=["too large", "a failure inside"],
)
async def test_a_reply_that_is_not_taken_is_left_at_once(script: Script) -> None:
    network = NetworkSettings(max_reply_bytes=1000, retries=0)
    async with serve(script) as server, Client(network) as client:
        with pytest.raises(GroundwireError):
            async with client.stream(endpoint(server), _get(server)) as received:
                while await received.read_events():
                    pass

        await asyncio.wait_for(server.left.wait(), PATIENCE)


async def test_a_whole_reply_that_is_too_large_is_left_at_once() -> None:
    async def endless(writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 9000\r\n\r\n" + b"x" * 2000)
        await asyncio.Event().wait()

    network = NetworkSettings(max_reply_bytes=1000)
    async with serve(endless) as server, Client(network) as client:
        with pytest.raises(TooLargeError):
            await client.send(endpoint(server), _get(server))

        await asyncio.wait_for(server.left.wait(), PATIENCE)


@in_quiet_time
async def test_when_a_client_is_closed_no_connection_of_it_is_left() -> None:
    async with serve(stream(b"data: a\n\n", hang=True)) as server:
        client = Client()
        async with client.stream(endpoint(server), _get(server)) as received:
            connection = received._response.connection
            assert connection is not None
            assert connection.transport is not None
            socket = connection.transport.get_extra_info("socket")
        await client.close()

        assert socket.fileno() == -1
    assert asyncio.get_running_loop().time() == 1000


async def test_a_client_that_was_closed_opens_anew() -> None:
    async with serve(reply()) as server:
        client = Client()
        for _ in range(2):
            await client.send(endpoint(server), _get(server))
            await client.close()

    assert len(server.requests) == 2


async def test_only_a_service_with_a_certificate_that_we_trust_is_asked() -> None:
    authority = trustme.CA()
    trusting = ssl.create_default_context()
    authority.configure_trust(trusting)
    async with serve(reply(b'{"a": 5}'), tls=server_tls(authority, "127.0.0.1")) as server:
        access = Access(base_url=server.url.replace("http", "https"))
        there = Endpoint(name="echo", provider=Echo(), access=access)
        asked = HttpRequest(method="GET", url=access.base_url)
        async with Client(tls=trusting) as client:
            got = await client.send(there, asked)
        async with Client(NetworkSettings(retries=0)) as client:
            with pytest.raises(ConnectError, match="certificate is not valid: "):
                await client.send(there, asked)

    assert got.json() == {"a": 5}
    assert len(server.requests) == 1


def _get(server: Loopback) -> HttpRequest:
    return HttpRequest(method="GET", url=server.url)
