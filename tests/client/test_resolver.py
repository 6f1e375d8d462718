"""Names, addresses and the sockets to them: each is looked at before anything is sent there."""

from __future__ import annotations

import errno
import socket
from typing import Any

import pytest

from groundwire import guard
from groundwire.client.pages import _Pinned
from groundwire.client.resolver import Resolver, plain_socket, resolve_by_system
from groundwire.errors import ConnectError, TimedOutError, UrlRefusedError
from tests.client.internet import PUBLIC, Internet
from tests.loopback import raw, serve
from tests.quiet_time import in_quiet_time

PUBLIC_6 = "2606:4700::1111"
URL = guard.parse("http://public.test/")


def place(host: str, family: int = socket.AF_INET) -> tuple[Any, ...]:
    return (family, socket.SOCK_STREAM, socket.IPPROTO_TCP, "", (host, 80))


async def test_the_system_says_the_addresses_of_a_name_and_none_of_one_that_is_none() -> None:
    assert await resolve_by_system("127.0.0.1") == ("127.0.0.1",)
    assert await resolve_by_system("no name at all") == ()


def test_a_plain_socket_is_of_the_kind_that_is_asked_for() -> None:
    with plain_socket(place(PUBLIC)) as made:
        assert (made.family, made.type) == (socket.AF_INET, socket.SOCK_STREAM)


@pytest.mark.parametrize("host", ["127.0.0.1", "10.0.0.1", "169.254.169.254"])
def test_the_last_look_at_an_address_refuses_what_is_inside(host: str) -> None:
    made: list[object] = []

    def note(address: tuple[Any, ...]) -> socket.socket:
        made.append(address)
        return plain_socket(address)

    resolver = Resolver(5, make_socket=note)

    with pytest.raises(UrlRefusedError, match=host):
        resolver.checked_socket(place(host))
    resolver.checked_socket(place(PUBLIC)).close()

    assert made == [place(PUBLIC)]


async def test_an_address_in_a_url_is_its_own_answer() -> None:
    resolver = Resolver(5)

    assert await resolver.addresses(guard.parse(f"http://{PUBLIC}/")) == (PUBLIC,)


@pytest.mark.parametrize("address", [PUBLIC, PUBLIC_6])
async def test_a_connection_reads_without_holding_up_others(address: str) -> None:
    async with serve(raw(b"")) as server:
        internet = Internet(server, {"public.test": [[address]]})
        resolver = Resolver(5, resolve=internet.resolve, make_socket=internet.make_socket)
        _, writer = await resolver.connect(URL)
        timeout = writer.get_extra_info("socket").gettimeout()
        writer.close()

    assert internet.tried == [address]
    assert timeout == 0


class Refusing(socket.socket):
    """Has no one at its other end."""

    def connect(self, _address: object, /) -> None:
        raise ConnectionRefusedError(errno.ECONNREFUSED, "refused")


async def test_the_next_address_is_tried_where_one_does_not_accept() -> None:
    refusing = Refusing()
    async with serve(raw(b"")) as server:
        internet = Internet(server, {"public.test": [["93.184.215.15", PUBLIC]]})

        def make_socket(address: tuple[Any, ...]) -> socket.socket:
            is_first = address[4][0] == "93.184.215.15"
            return refusing if is_first else internet.make_socket(address)

        resolver = Resolver(5, resolve=internet.resolve, make_socket=make_socket)
        _, writer = await resolver.connect(URL)
        writer.close()

    assert internet.tried == [PUBLIC]
    assert refusing.fileno() == -1


async def test_a_host_none_of_whose_addresses_accepts_is_told_with_the_last_reason() -> None:
    async with serve(raw(b"")) as server:
        pass
    internet = Internet(server, {"public.test": [[PUBLIC, "93.184.215.15"]]})
    resolver = Resolver(5, resolve=internet.resolve, make_socket=internet.make_socket)

    with pytest.raises(ConnectError, match=r"public\.test: connection refused"):
        await resolver.connect(URL)

    assert internet.tried == [PUBLIC, "93.184.215.15"]


class Deaf(socket.socket):
    """Waits for an answer to what nobody has heard."""

    def connect(self, _address: object, /) -> None:
        raise BlockingIOError


@in_quiet_time
async def test_a_host_that_accepts_nothing_is_left_at_the_limit() -> None:
    async def resolve(_host: str) -> list[str]:
        return [PUBLIC]

    here, there = socket.socketpair()
    here.setblocking(False)
    with pytest.raises(BlockingIOError):
        while True:
            here.send(b"x" * 65_536)  # Until nothing more can be written, so that it is not ready.
    deaf = Deaf(fileno=here.detach())
    resolver = Resolver(5, resolve=resolve, make_socket=lambda _address: deaf)
    with there, pytest.raises(TimedOutError, match="accepted no connection within 5 s"):
        await resolver.connect(URL)

    assert deaf.fileno() == -1


async def test_a_page_is_asked_for_at_the_checked_addresses_and_each_in_its_family() -> None:
    found = await _Pinned(("2001:db8::1", "192.0.2.1")).resolve("otters.example", 443)

    assert [(each["host"], each["family"]) for each in found] == [
        ("2001:db8::1", socket.AF_INET6),
        ("192.0.2.1", socket.AF_INET),
    ]
    assert {(each["hostname"], each["port"]) for each in found} == {("otters.example", 443)}
