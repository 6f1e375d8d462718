"""Pages through Crawl4AI and a real Chromium: scripts run, and a document stays where it may."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path

import pytest
import trustme

from groundwire.browser.crawl4ai_worker import WEBRTC_FLAG
from groundwire.client.replay import Exchange, RecordingClient, ReplayingClient
from groundwire.config.settings import NetworkSettings
from groundwire.errors import Attempt, ConfigError, DomainNotAllowedError
from groundwire.guard import DomainPolicy
from groundwire.model import Json, ReadReply
from groundwire.reader import NEEDS_BROWSER
from groundwire.testing import SandboxServer, sandbox
from tests.client.internet import redirect, server_tls
from tests.loopback import Loopback, reply, serve
from tests.search.chromium import OWN, chain, html, needs_browser, running, their_browser, web

# One browser for a page of scripts and one for a page that tries everything; the rest is slow.
slow = pytest.mark.slow
pytestmark = needs_browser

__all__ = ["sandbox", "their_browser"]


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


async def test_what_a_browser_read_is_said_again_without_one(
    sandbox: SandboxServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    internet = web(Loopback(port=int(sandbox.root.rpartition(":")[2])))
    url = "http://a.example/pages/script-only"
    exchanges: list[Exchange] = []

    def recording(*given: NetworkSettings, **named: Json) -> RecordingClient:
        client = RecordingClient(*given, **named)
        client.exchanges = exchanges
        return client

    async with chain(internet, OWN, make_client=recording) as reader:
        read = await reader.read(url)
    nowhere = web(Loopback(port=9))
    # Neither the library nor a browser is asked for.
    monkeypatch.setenv("PATH", "")
    async with chain(nowhere, OWN, make_client=partial(ReplayingClient, exchanges)) as reader:
        again = await reader.read(url)

    assert "These words came after the page was loaded." in read.page.content
    assert again == read


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
