"""Pages through Crawl4AI and a real Chromium: scripts run, and nothing inside is ever reached."""

from __future__ import annotations

import asyncio
import os
import shutil
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager
from importlib.util import find_spec
from pathlib import Path

import pytest
import trustme

from groundwire import guard, registry
from groundwire.client import Client
from groundwire.contract import Access, Endpoint
from groundwire.dialects.chromium import EXECUTABLES
from groundwire.dialects.crawl4ai_worker import WEBRTC_FLAG
from groundwire.errors import Attempt, ConfigError, DomainNotAllowedError, UrlRefusedError
from groundwire.guard import DomainPolicy
from groundwire.model import Json, ReadReply
from groundwire.reading import NEEDS_BROWSER
from groundwire.searching import Means, ReadChain
from groundwire.settings import NetworkSettings
from groundwire.testing import SandboxServer, sandbox
from tests.loopback import Loopback, reply, serve
from tests.searching.asking import settings
from tests.test_client_pages import PUBLIC, Internet, redirect, server_tls
from tests.tools.test_reader_addresses import Row, World, hops, opening, rows

CHROMIUM = next((path for name in EXECUTABLES if (path := shutil.which(name))), None)
OWN = "chromium"

# One browser for a page of scripts and one for a page that tries everything; the rest is slow.
slow = pytest.mark.slow
pytestmark = [
    pytest.mark.skipif(find_spec("crawl4ai") is None, reason="needs the package crawl4ai"),
    pytest.mark.skipif(CHROMIUM is None, reason="needs Chromium"),
]

__all__ = ["sandbox"]


@contextmanager
def running(profile: Path, *flags: str) -> Iterator[str]:
    """A browser that someone else started, with no proxy and none of our flags but the given."""
    process = subprocess.Popen(
        [
            str(CHROMIUM),
            "--headless=new",
            "--no-sandbox",
            "--disable-gpu",
            "--disable-dev-shm-usage",
            "--disable-background-networking",
            "--remote-debugging-port=0",
            f"--user-data-dir={profile}",
            *flags,
            "about:blank",
        ],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    try:
        said = next(line for line in process.stderr if line.startswith("DevTools listening on"))
        yield said.split()[-1].replace("ws://", "http://").partition("/devtools")[0]
    finally:
        os.killpg(process.pid, 9)
        process.communicate()


@pytest.fixture(scope="module")
def their_browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """A browser that can be guarded."""
    with running(tmp_path_factory.mktemp("profile"), WEBRTC_FLAG) as url:
        yield url


@asynccontextmanager
async def chain(
    internet: Internet,
    base_url: str,
    policy: DomainPolicy = guard.ANYWHERE,
    **chosen: Json,
) -> AsyncIterator[ReadChain]:
    """A reader, with our own extraction, whose public pages are all at one server."""
    # A machine with much to do may take its time.
    read = {"respect_robots": False, "timeout_seconds": 300}
    values = settings(**{"read_provider": "crawl4ai", **chosen}, read=read, cache={"kind": "off"})

    def find(name: str) -> Endpoint:
        access = Access(base_url=base_url)
        return Endpoint(name=name, provider=registry.get(name), access=access)

    async with (
        Client(
            values.network, resolve=internet.resolve, make_socket=internet.make_socket
        ) as client,
        Means(values, client, find=find) as means,
    ):
        yield ReadChain(means, policy=policy)


def web(server: Loopback, **more: list[list[str]]) -> Internet:
    names = {name: [[PUBLIC]] for name in ("a.example", "b.example")}
    return Internet(server, {**names, **{f"{name}.example": more[name] for name in more}})


def html(text: str) -> bytes:
    return f"<!doctype html><title>Page</title><body>{text}".encode()


async def test_a_page_made_by_scripts_goes_on_from_our_reader_to_the_browser(
    sandbox: SandboxServer,
) -> None:
    internet = web(Loopback(port=int(sandbox.root.rpartition(":")[2])))
    url = "http://a.example/pages/script-only"

    async with chain(internet, OWN, read_provider=["local", "crawl4ai"]) as reader:
        found = await reader.read(url)

    assert found == ReadReply(
        service="crawl4ai",
        page=found.page,
        attempts=(Attempt(service="local", code="unreadable", reason=NEEDS_BROWSER),),
    )
    assert (found.page.url, found.page.title, found.page.success) == (url, "App", True)
    assert "These words came after the page was loaded." in found.page.content


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


@slow
async def test_a_document_stays_in_the_allowed_domains_and_its_parts_need_not(
    their_browser: str,
) -> None:
    policy = DomainPolicy(allowed=("a.example",))
    part = b'document.body.append("A part from elsewhere.")'
    whole = html('<p>Words.</p><script src="http://b.example/part.js"></script>')
    scripts = (
        reply(whole, content_type="text/html"),
        reply(part, content_type="text/javascript"),
        reply(b"", status="404 No"),
    )

    async with serve(*scripts) as server, chain(web(server), their_browser, policy) as reader:
        page = (await reader.read("http://a.example/")).page
    async with (
        serve(redirect("http://b.example/")) as leaving,
        chain(web(leaving), their_browser, policy) as reader,
    ):
        with pytest.raises(DomainNotAllowedError, match=r"b\.example is not among the allowed"):
            await reader.read("http://a.example/")

    assert "A part from elsewhere." in page.content
    assert len(leaving.requests) == 1


@slow
async def test_a_page_cannot_pass_itself_off_as_the_one_it_is_leaving_for(
    their_browser: str,
) -> None:
    async def never(_: asyncio.StreamWriter) -> None:
        await asyncio.Event().wait()

    body = html('<p>Mine.</p><script>location = "http://b.example/slow"</script>')
    async with serve(reply(body, content_type="text/html"), never) as server:
        network = {"page_timeout_seconds": 10}
        async with chain(web(server), their_browser, network=network) as reader:
            page = (await reader.read("http://a.example/")).page

    # Either its words under its own name, or none at all.
    assert ("Mine." in page.content) == (page.success and page.url == "http://a.example/")
    assert "Mine." not in page.content or page.url == "http://a.example/"


@slow
async def test_a_site_whose_certificate_nobody_vouches_for_is_not_read(their_browser: str) -> None:
    context = server_tls(trustme.CA(), "a.example")
    async with (
        serve(reply(html("Words."), content_type="text/html"), tls=context) as server,
        chain(web(server), their_browser) as reader,
    ):
        page = (await reader.read("https://a.example/")).page

    assert page.error.endswith("the browser could not open it (ERR_CERT_AUTHORITY_INVALID)")
    assert server.requests == []


@slow
async def test_a_browser_that_would_let_pages_past_the_proxy_is_refused(tmp_path: Path) -> None:
    async with serve(reply(html("Words."), content_type="text/html")) as server:
        with running(tmp_path) as url:
            async with chain(web(server), url) as reader:
                found = await reader.read("http://a.example/")

    assert [attempt.code for attempt in found.attempts] == [ConfigError.code]
    assert f"start it with {WEBRTC_FLAG}" in found.page.error
    assert server.requests == []


def listed(folder: Path) -> list[str]:
    return [path.name for path in folder.iterdir()]


@slow
async def test_a_page_learns_our_name_and_nothing_is_printed_or_left_at_home(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))

    async with (
        serve(reply(html("<p>Words.</p>"), content_type="text/html")) as server,
        chain(web(server), OWN) as reader,
    ):
        page = (await reader.read("http://a.example/")).page

    assert page.content == "Words."
    assert server.requests[0].headers["user-agent"] == NetworkSettings().user_agent
    assert listed(tmp_path) == []
    assert capfd.readouterr() == ("", "")


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
