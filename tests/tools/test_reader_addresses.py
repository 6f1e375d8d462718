"""The shared list of hostile URLs through `open_page`, for every reader that needs no browser.

The browser's own run of the list is in tests/search/test_crawl4ai.py.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from groundwire import guard, registry
from groundwire.client import Client
from groundwire.search import SearchContext
from groundwire.tools import Ledger
from groundwire.wire.contract import Access, Endpoint
from tests.client.internet import PAGE, Internet, redirect
from tests.loopback import Loopback, Script, reply, serve
from tests.search.services import settings
from tests.shared import shared
from tests.tools.web import Browser, as_sent

Row = dict[str, Any]
NO_ADDRESS = 641
"""A name that nobody knows: a service may be asked for it, since it may know more names."""

PATIENT = {"connect_timeout_seconds": 300, "page_timeout_seconds": 300}
"""A machine with much to do may take its time; what is refused is refused at once."""

NONE: Row = {"chain": [], "status": 302}
SERVICES = {
    "jina": {"data": {"url": "http://read.example/", "title": "", "content": "read"}},
    "tavily": {"results": [{"url": "http://read.example/", "raw_content": "read"}]},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """How opening a row's URL ended: in the tool's words, on the wire, and for the service."""

    status: str
    tried: list[str]
    asked: int

    @property
    def inward(self) -> list[str]:
        """The addresses that no one may connect to."""
        return [address for address in self.tried if guard.address_problem(address)]


def rows() -> list[Row]:
    """Every row but one: no server can send a line's end inside a header."""
    lines = shared("suites/hostile_urls.jsonl").read_text(encoding="utf-8").split("\n")
    found = [json.loads(line) for line in lines if line]
    return [row for row in found if "\r" not in "".join((row.get("redirect") or NONE)["chain"])]


def hops(row: Row) -> list[Script]:
    """What the server of a row's URL answers: its redirects, and a page at their end."""
    given = row.get("redirect") or NONE
    redirects = [redirect(place, given["status"]) for place in given["chain"]]
    return redirects if given.get("loop") else [*redirects, PAGE]


class World(Internet):
    """An internet that is another one for each row."""

    def __init__(self) -> None:
        super().__init__(Loopback(), {})

    def become(self, row: Row, server: Loopback) -> None:
        """Give names the answers of a row, and let all of them end at a server."""
        # Names are looked up in lower case; some rows do not write them so.
        dns = {name.lower(): answers for name, answers in (row.get("dns") or {}).items()}
        super().__init__(server, dns)


@asynccontextmanager
async def opening(
    world: World, reader: str, access: Access, **network: float
) -> AsyncIterator[Browser]:
    """Tools that may open any URL, so that only the guard is in its way."""
    values = settings(
        read={"respect_robots": False, "timeout_seconds": 300},
        read_provider=reader,
        cache={"kind": "off"},
        # One row's failures must not close the circuit to a host of the next.
        rate_limits={"failures": 1_000},
        network=network,
    )

    def find(name: str) -> Endpoint:
        return Endpoint(name=name, provider=registry.get(name), access=access)

    async with (
        Client(values.network, resolve=world.resolve, make_socket=world.make_socket) as client,
        SearchContext(values, client, find=find, extract=as_sent) as search_context,
    ):
        yield Browser(search_context=search_context, ledger=Ledger(is_open=True))


async def outcomes(reader: str, service: Loopback) -> AsyncIterator[tuple[Row, Outcome]]:
    """Open the URL of every row with one reader, over real sockets."""
    world = World()
    async with opening(world, reader, Access(base_url=service.url), **PATIENT) as browser:
        for row in rows():
            before = len(service.requests)
            async with serve(*hops(row)) as server:
                world.become(row, server)
                output = await browser.open(row["url"])
            asked = len(service.requests) - before
            yield row, Outcome(status=output.data["status"], tried=world.tried, asked=asked)


async def test_our_reader_never_connects_inward_and_opens_only_what_it_may() -> None:
    wrong = []

    async with serve(reply()) as service:
        async for row, found in outcomes("local", service):
            expected = {"allow": "success", "block": "error"}.get(row["expect"], found.status)
            if found.status != expected or found.inward:
                wrong.append((row["id"], row["expect"], found))

    assert wrong == []


@pytest.mark.parametrize("reader", SERVICES)
async def test_a_service_is_asked_only_for_urls_that_lead_outward(reader: str) -> None:
    wrong = []
    whole = reply(json.dumps(SERVICES[reader]).encode())

    async with serve(whole) as service:
        async for row, found in outcomes(reader, service):
            # Where a page redirects to, the service sees and we do not.
            is_blocked = row["expect"] == "block" and not row.get("redirect")
            expected = 0 if is_blocked and row["id"] != NO_ADDRESS else 1
            if row["expect"] == "either":
                expected = found.asked
            status = "success" if found.asked else "error"
            if (found.asked, found.status, found.tried) != (expected, status, []):
                wrong.append((row["id"], row["expect"], found))

    assert wrong == []
