"""The shared list of hostile URLs through `open_page`: nothing inside is ever connected to."""

from __future__ import annotations

import json
import socket
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from typing import Any

import pytest

from groundwire import registry
from groundwire.client import Client
from groundwire.search import SearchContext
from groundwire.tools import Ledger
from groundwire.wire.contract import Access, Endpoint
from tests.loopback import reply, serve
from tests.search.services import settings
from tests.shared import shared
from tests.tools.web import Browser, as_sent

Row = dict[str, Any]
BY_TEXT = ("scheme", "parse", "address")


class Names:
    """Answers for the names of one row, and notes each address that a socket was made for."""

    def __init__(self) -> None:
        self.row: Row = {}
        self.tried: list[str] = []

    async def resolve(self, host: str) -> Sequence[str]:
        answers: list[list[str]] = self.row.get("dns", {}).get(host, [[]])
        return answers[0]

    def make_socket(self, address: tuple[Any, ...]) -> socket.socket:
        self.tried.append(address[4][0])
        raise ConnectionRefusedError


@pytest.fixture(scope="module")
def rows() -> list[Row]:
    lines = shared("suites/hostile_urls.jsonl").read_text(encoding="utf-8").split("\n")
    return [json.loads(line) for line in lines if line]


@asynccontextmanager
async def opening(names: Names, reader: str, address: str = "") -> AsyncIterator[Browser]:
    """Tools that may open any URL, so that only the guard is in its way."""
    chosen = settings(
        read={"respect_robots": False},
        read_provider=reader,
        cache={"kind": "off"},
        # No connection is made at all, which must not close the circuit to a host of the list.
        rate_limits={"failures": 1_000},
    )

    def find(name: str) -> Endpoint:
        return Endpoint(name=name, provider=registry.get(name), access=Access(base_url=address))

    async with (
        Client(chosen.network, resolve=names.resolve, make_socket=names.make_socket) as client,
        SearchContext(chosen, client, find=find, extract=as_sent) as search_context,
    ):
        yield Browser(search_context=search_context, ledger=Ledger(is_open=True))


async def test_our_reader_opens_nothing_that_the_list_blocks(rows: list[Row]) -> None:
    names = Names()
    blocked = [row for row in rows if row["expect"] == "block" and "redirect" not in row]
    opened = []

    async with opening(names, "local") as browser:
        for names.row in blocked:
            output = await browser.open(names.row["url"])
            if output.data["status"] != "error":
                opened.append(names.row["id"])

    assert (opened, names.tried) == ([], [])
    assert len(blocked) > 0


async def test_our_reader_tries_what_the_list_allows(rows: list[Row]) -> None:
    names = Names()
    allowed = [row for row in rows if row["expect"] == "allow" and "redirect" not in row]
    untried = []

    async with opening(names, "local") as browser:
        for names.row in allowed:
            names.tried.clear()
            await browser.open(names.row["url"])
            if not names.tried:
                untried.append(names.row["id"])

    assert untried == []
    assert len(allowed) > 0


async def test_a_service_is_not_asked_for_what_the_text_alone_gives_away(rows: list[Row]) -> None:
    names = Names()
    plain = [row for row in rows if row["expect"] == "block" and row.get("stage") in BY_TEXT]

    async with serve(reply()) as server, opening(names, "jina", server.url) as browser:
        outputs = [await browser.open(row["url"]) for row in plain]

    assert {output.data["status"] for output in outputs} == {"error"}
    assert server.requests == []
    assert len(plain) > 0
