"""Icons of sources: this server asks their sites, and only where the settings and policy say so."""

from __future__ import annotations

import ssl
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
import trustme
from playwright.async_api import Browser, expect

from groundwire.client import Client
from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from tests.client.internet import PUBLIC, Internet, server_tls
from tests.loopback import Loopback
from tests.search.icon_bytes import ICO
from tests.web.browser import visiting
from tests.web.server import Web

NAMES = ("wiki.example.net", "news.example.com")


@dataclass(slots=True, kw_only=True)
class Sites:
    """The cited sites, which all have the same icon, and what they were asked."""

    authority: trustme.CA = field(default_factory=trustme.CA)
    asked: list[tuple[str, str]] = field(default_factory=list)
    port: int = 0

    def client(self) -> Client:
        """Return a client for which the names of the sites lead here."""
        internet = Internet(Loopback(port=self.port), {name: [[PUBLIC]] for name in NAMES})
        tls = ssl.create_default_context()
        self.authority.configure_trust(tls)
        return Client(resolve=internet.resolve, make_socket=internet.make_socket, tls=tls)


@pytest.fixture
def sites() -> Iterator[Sites]:
    """Serve the cited sites."""
    served = Sites()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            served.asked.append((self.headers["Host"], self.path))
            self.send_response(200)
            self.send_header("Content-Type", "image/svg+xml")
            self.send_header("Content-Length", str(len(ICO)))
            self.end_headers()
            self.wfile.write(ICO)

        def log_message(self, *_: object) -> None:
            pass

    with ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
        tls = server_tls(served.authority, *NAMES)
        server.socket = tls.wrap_socket(server.socket, server_side=True)
        served.port = server.server_port
        thread = threading.Thread(target=server.serve_forever, name="sites")
        thread.start()
        yield served
        server.shutdown()
        thread.join()


@contextmanager
def serving(sandbox: SandboxServer, folder: Path, sites: Sites, **settings: Json) -> Iterator[Web]:
    """Serve the web app with some settings of its table `web`."""
    web = Web(sandbox, folder, web=settings, cache={"kind": "memory"})
    web.program.client = sites.client()
    with web:
        yield web


def _icon_paths(web: Web) -> list[str]:
    """Ask something, and return where the icons of its sources are."""
    answer = web.ask()[-1].data["message"]
    return [
        f"/api/messages/{answer['id']}/sources/{source['number']}/icon"
        for source in answer["answer"]["sources"]
    ]


def test_icons_come_from_the_sites_through_this_server(
    sandbox: SandboxServer, tmp_path: Path, sites: Sites
) -> None:
    with serving(sandbox, tmp_path, sites, source_icons=True) as web:
        paths = _icon_paths(web)
        icons = [web.client.get(path) for path in (*paths, *paths)]

        assert {(icon.status_code, icon.content) for icon in icons} == {(200, ICO)}
        headers = icons[0].headers
        assert headers["content-type"] == "image/x-icon"
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["content-security-policy"].startswith("sandbox; default-src 'none'")
        assert sorted(sites.asked) == [(name, "/favicon.ico") for name in sorted(NAMES)]
        assert web.client.get(f"{paths[0][: -len('1/icon')]}99/icon").status_code == 404


def test_by_default_no_site_is_asked(sandbox: SandboxServer, tmp_path: Path, sites: Sites) -> None:
    with serving(sandbox, tmp_path, sites) as web:
        replies = [web.client.get(path) for path in _icon_paths(web)]

        assert [reply.status_code for reply in replies] == [204, 204]
        assert sites.asked == []
        assert web.get("/api/me")["has_icons"] is False


def test_a_site_that_the_workspace_has_forbidden_since_is_not_asked(
    sandbox: SandboxServer, tmp_path: Path, sites: Sites
) -> None:
    with serving(sandbox, tmp_path, sites, source_icons=True) as web:
        paths = _icon_paths(web)
        change = {"web_allowed_domains": [NAMES[1]]}
        assert web.client.patch("/api/workspaces/personal", json=change).status_code == 200

        assert [web.client.get(path).status_code for path in paths] == [204, 200]
        assert sites.asked == [(NAMES[1], "/favicon.ico")]
        closed = web.client.patch("/api/workspaces/personal", json={"web_fetch_enabled": False})
        assert closed.status_code == 200
        assert [web.client.get(path).status_code for path in paths] == [204, 204]


def test_the_sites_of_googles_redirects_are_asked_and_google_is_not(
    sandbox: SandboxServer, tmp_path: Path, sites: Sites
) -> None:
    with serving(sandbox, tmp_path, sites, source_icons=True) as web:
        answer = web.ask(provider_id="gemini")[-1].data["message"]
        path = f"/api/messages/{answer['id']}/sources/1/icon"

        assert "vertexaisearch" in answer["answer"]["sources"][0]["url"]
        assert web.client.get(path).status_code == 200
        assert sites.asked == [(NAMES[0], "/favicon.ico")]


@pytest.mark.asyncio(loop_scope="session")
async def test_the_page_shows_icons_once_they_are_switched_on(
    sandbox: SandboxServer, tmp_path: Path, sites: Sites, browser: Browser
) -> None:
    with serving(sandbox, tmp_path, sites) as web:
        session = web.ask()[-1].data["message"]["session_id"]
        asked: list[str] = []
        async with visiting(browser, web, f"/s/{session}") as page:
            page.on("request", lambda request: asked.append(request.url))
            await expect(page.locator("details.sources .avatar")).not_to_have_count(0)
            await expect(page.locator(".avatar img")).to_have_count(0)

            await page.goto(f"{web.url}/settings/search")
            await page.get_by_label("Show icons of sources").check()
            await page.get_by_role("button", name="Save").click()
            await expect(page.get_by_text("Saved.", exact=True)).to_be_visible()
            await page.goto(f"{web.url}/s/{session}")
            await expect(page.locator("li.source .avatar.has-icon img")).to_have_count(2)
            await page.locator(".mark").first.hover()
            await expect(page.get_by_role("dialog").locator(".has-icon img")).to_be_visible()

        assert {url.split("/")[2] for url in asked} == {web.url.split("/")[2]}
        assert sorted(set(sites.asked)) == [(name, "/favicon.ico") for name in sorted(NAMES)]
