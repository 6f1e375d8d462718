"""A page in a real browser tries to reach this machine: nothing inside is ever reached."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import pytest

from groundwire import guard
from groundwire.errors import UrlRefusedError
from groundwire.wire.contract import Access
from tests.client.internet import PUBLIC, redirect
from tests.loopback import Loopback, reply, serve
from tests.search.chromium import OWN, chain, html, needs_browser, their_browser, web
from tests.tools.test_reader_addresses import Row, World, hops, opening, rows

# One browser for a page of scripts and one for a page that tries everything; the rest is slow.
slow = pytest.mark.slow
pytestmark = needs_browser

__all__ = ["their_browser"]


class Canary(asyncio.DatagramProtocol):
    """Listens on loopback, on both families and protocols; nothing may ever arrive."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self.port = 0

    def datagram_received(self, data: bytes, address: object) -> None:
        self.heard.append(f"{len(data)} bytes by UDP from {address}")

    def accept(self, _: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.heard.append(f"a connection from {writer.get_extra_info('peername')}")
        writer.close()


@asynccontextmanager
async def listening() -> AsyncIterator[Canary]:
    canary = Canary()
    loop = asyncio.get_running_loop()
    server = await asyncio.start_server(canary.accept, "127.0.0.1", 0)
    canary.port = server.sockets[0].getsockname()[1]
    sixth = await asyncio.start_server(canary.accept, "::1", canary.port)
    udp, _ = await loop.create_datagram_endpoint(
        lambda: canary, local_addr=("127.0.0.1", canary.port)
    )
    try:
        yield canary
    finally:
        udp.close()
        for each in (server, sixth):
            each.close()


# Every way out that a page has, to every spelling of this machine; then a word to the outside.
CURIOUS = """<p>Nothing to see.</p><div id=frames></div><script>
const hosts = ["127.0.0.1", "[::1]", "localhost", "x.localhost", "2130706433", "0.0.0.0",
               "169.254.169.254", "inward.example", "mixed.example"];
const places = hosts.map(host => `${host}:PORT`);
const trying = [];
for (const place of places) {
    for (const scheme of ["http", "https"]) {
        const url = `${scheme}://${place}/`;
        trying.push(fetch(url, {mode: "no-cors"}).catch(() => {}));
        trying.push(fetch(url, {method: "POST", mode: "no-cors", body: "x"}).catch(() => {}));
        navigator.sendBeacon(url, "x");
        new EventSource(url);
        for (const name of ["img", "script", "iframe", "audio", "embed"]) {
            const made = document.createElement(name);
            made.src = url;
            document.getElementById("frames").append(made);
        }
        for (const rel of ["stylesheet", "prefetch", "preconnect", "dns-prefetch", "preload"]) {
            const made = document.createElement("link");
            made.rel = rel;
            made.as = "script";
            made.href = url;
            document.head.append(made);
        }
        new Worker(URL.createObjectURL(new Blob([`fetch("${url}").catch(() => {})`])));
    }
    for (const scheme of ["ws", "wss"]) try { new WebSocket(`${scheme}://${place}/`); } catch {}
    try { trying.push(new WebTransport(`https://${place}/`).ready.catch(() => {})); } catch {}
    try {
        const peer = new RTCPeerConnection({iceServers: [
            {urls: `stun:${place}`},
            {urls: `turn:${place}?transport=udp`, username: "a", credential: "b"},
            {urls: `turn:${place}?transport=tcp`, username: "a", credential: "b"},
        ]});
        peer.createDataChannel("x");
        peer.createOffer().then(offer => peer.setLocalDescription(offer));
    } catch {}
}
trying.push(fetch("/moved", {mode: "no-cors"}).catch(() => {}));
window.open(`http://${places[0]}/`);
Promise.allSettled(trying).then(() => fetch("http://b.example/all-tried", {mode: "no-cors"}))
    .then(() => { document.body.append("All was tried."); });
</script>"""


@asynccontextmanager
async def curious_site(canary: Canary) -> AsyncIterator[Loopback]:
    """A page that tries everything, and whose `/moved` redirects inward."""
    page = reply(html(CURIOUS.replace("PORT", str(canary.port))), content_type="text/html")
    inward = redirect(f"http://127.0.0.1:{canary.port}/")
    seen = Loopback()

    async def answer(writer: asyncio.StreamWriter) -> None:
        path = seen.requests[-1].line.split()[1]
        await {"/": page, "/moved": inward}.get(path, reply(b""))(writer)

    async with serve(answer) as server:
        seen.requests = server.requests
        seen.port = server.port
        yield seen


@pytest.mark.parametrize("whose", ["ours", pytest.param("theirs", marks=slow)])
async def test_whatever_a_page_tries_nothing_arrives_on_this_machine(
    whose: str, request: pytest.FixtureRequest
) -> None:
    base_url = OWN if whose == "ours" else request.getfixturevalue("their_browser")
    async with listening() as canary, curious_site(canary) as site:
        internet = web(site, inward=[["127.0.0.1"]], mixed=[[PUBLIC, "127.0.0.1"]])
        # Its port counts as one of the web, so that only the address stands in the way.
        network = {"page_ports": [80, 443, canary.port]}
        async with chain(internet, base_url, network=network) as reader:
            page = (await reader.read("http://a.example/")).page

    assert "All was tried." in page.content
    assert "/all-tried" in {request.line.split()[1] for request in site.requests}
    assert canary.heard == []
    assert {*internet.tried} == {PUBLIC}
    assert page.notes


@pytest.mark.parametrize(
    ("host", "page"),
    [
        ("127.0.0.1", '<script>location = "{place}"</script>'),
        ("[::1]", '<meta http-equiv="refresh" content="0; url={place}">'),
        (
            "inward.example",
            '<form id="f" action="{place}" method="post"></form><script>f.submit()</script>',
        ),
    ],
    ids=["script", "refresh", "form"],
)
@slow
async def test_a_page_that_leaves_for_this_machine_is_refused(
    host: str, page: str, their_browser: str
) -> None:
    async with listening() as canary:
        place = f"http://{host}:{canary.port}/"
        body = html(page.replace("{place}", place))
        async with serve(reply(body, content_type="text/html")) as server:
            internet = web(server, inward=[["127.0.0.1"]])
            network = {"page_ports": [80, canary.port]}
            async with chain(internet, their_browser, network=network) as reader:
                with pytest.raises(UrlRefusedError, match="loopback"):
                    await reader.read("http://a.example/")

    assert canary.heard == []
    assert {*internet.tried} == {PUBLIC}


AT_ONCE = 3


async def failing(row: Row, base_url: str) -> str:
    """Open a row's URL; return what is wrong with how that ended, "" if nothing is."""
    world = World()
    async with (
        serve(*hops(row)) as server,
        opening(world, "crawl4ai", Access(base_url=base_url)) as browser,
    ):
        world.become(row, server)
        output = await browser.open(row["url"])
    status = output.data["status"]
    expected = {"allow": "success", "block": "error"}.get(row["expect"], status)
    inward = [address for address in world.tried if guard.address_problem(address)]
    is_well = status == expected and not inward
    return "" if is_well else f"{row['id']} {row['url']} {output.data['error']} {inward}"


@slow
async def test_every_row_of_the_hostile_list_through_open_page(their_browser: str) -> None:
    turn = asyncio.Semaphore(AT_ONCE)

    async def in_turn(row: Row) -> str:
        async with turn:
            return await failing(row, their_browser)

    failures = await asyncio.gather(*(in_turn(row) for row in rows()))

    assert [failure for failure in failures if failure] == []
    assert len(failures) > 0
