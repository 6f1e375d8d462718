"""Who a request says it is for, and where it comes from."""

from __future__ import annotations

from pathlib import Path

import httpx2
import pytest

from groundwire.model import Secret
from groundwire.sandbox import SandboxServer
from groundwire.web import Options
from groundwire.web.request_guard import CONTENT_POLICY, LINKS_POLICY
from tests.web.server import SETUP_TOKEN, Web, raw_request, set_up

NAME = {"name": "Otters"}


ODD_HOSTS = (
    "evil.example@127.0.0.1",
    "127.0.0.1@evil.example",
    "127.0.0.1:80@evil.example",
    "user:password@127.0.0.1",
    "127.0.0.1/evil.example",
    "127.0.0.1/../",
    "127.0.0.1?x",
    "127.0.0.1#evil.example",
    "127.0.0.1\\evil.example",
    "127.0.0.1 evil.example",
    "127.0.0.1,evil.example",
    "127.0.0.1:",
    "127.0.0.1:x",
    "127.0.0.1:99999",
    "127.0.0.1:-1",
    "127.0.0.1:80:80",
    "[127.0.0.1]",
    "::1",
    "[::1",
    "[::1%25lo]",
    "localhost..",
    ".localhost",
    "local%68ost",
    "\xb2localhost",
    "http://127.0.0.1",
    "127.1",
    "0x7f.0.0.1",
    "2130706433",
    "localhost" * 40,
)


@pytest.mark.parametrize("host", ODD_HOSTS)
def test_an_odd_host_is_refused(web: Web, host: str) -> None:
    status, body = raw_request(web, f"GET /api/me HTTP/1.1\r\nHost: {host}\r\n\r\n")

    assert (status, "wrong_host" in body) == (421, True)


def test_two_hosts_are_refused(web: Web) -> None:
    status, _ = raw_request(web, "GET / HTTP/1.1\r\nHost: localhost\r\nHost: evil.example\r\n\r\n")

    assert status == 421


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.nip.io", "localhost.evil.example", ""])
def test_a_host_that_is_not_ours_is_refused(web: Web, host: str) -> None:
    reply = web.client.get("/api/me", headers={"Host": host})

    assert (reply.status_code, reply.json()["error"]["code"]) == (421, "wrong_host")


@pytest.mark.parametrize("host", ["localhost", "localhost:1234", "[::1]:8321", "127.0.0.1"])
def test_every_name_of_this_machine_is_ours(web: Web, host: str) -> None:
    assert web.client.get("/api/me", headers={"Host": host}).status_code == 200


def test_a_host_can_be_allowed(sandbox: SandboxServer, tmp_path: Path) -> None:
    options = Options(allowed_hosts=("Chat.example.org",), setup_token=Secret(SETUP_TOKEN))
    with Web(sandbox, tmp_path, options=options) as web:
        token = set_up(web).post("/api/tokens", json={"name": "ci"}).json()["token"]
        own = {"Host": "chat.example.org", "Authorization": f"Bearer {token}"}

        made = web.client.post("/api/sessions", json={}, headers=own)

        assert made.status_code == 201


def test_bound_elsewhere_an_address_is_ours_and_a_name_is_not(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    options = Options(host="0.0.0.0", setup_token=Secret(SETUP_TOKEN))
    with Web(sandbox, tmp_path, options=options) as web:
        by_address = web.client.get("/api/me", headers={"Host": "192.0.2.7:8321"})
        by_name = web.client.get("/api/me", headers={"Host": "evil.example"})

        assert (by_address.status_code, by_name.status_code) == (200, 421)


@pytest.mark.parametrize(
    "origin", ["null", "https://evil.example", "http://127.0.0.1:1", "http://localhost.evil", "x:"]
)
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_another_origin_is_refused(web: Web, method: str, origin: str) -> None:
    reply = web.client.request(method, "/api/workspaces", headers={"Origin": origin}, json=NAME)

    assert (reply.status_code, reply.json()["error"]["code"]) == (403, "forbidden")
    assert len(web.get("/api/workspaces")) == 1


def test_our_own_origin_is_let_through(web: Web) -> None:
    made = web.client.post("/api/workspaces", json=NAME, headers={"Origin": web.url})

    assert made.status_code == 201


@pytest.mark.parametrize(
    ("site", "status"),
    [("cross-site", 403), ("same-site", 403), ("same-origin", 201), ("none", 201)],
)
def test_what_changes_something_must_come_from_our_own_page(
    web: Web, site: str, status: int
) -> None:
    made = web.client.post("/api/workspaces", json=NAME, headers={"Sec-Fetch-Site": site})

    assert made.status_code == status


def test_a_link_from_another_site_may_lead_here(web: Web) -> None:
    assert web.client.get("/", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 200


def test_a_message_may_be_larger_for_its_attachments(web: Web) -> None:
    file = {"type": "file", "mime_type": "text/plain", "base64_data": "QUFB" * 500_000}

    kinds = [event.type for event in web.ask(attachments=[file], search="off")]

    assert kinds[-1] == "done"


@pytest.mark.parametrize("path", ["/", "/api/me", "/api/nothing", "/page/main.js", "/settings"])
def test_every_reply_has_the_headers_that_protect(web: Web, path: str) -> None:
    headers = web.client.get(path).headers

    assert headers["content-security-policy"] == CONTENT_POLICY
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert headers["cross-origin-resource-policy"] == "same-origin"
    assert "access-control-allow-origin" not in headers
    assert "server" not in headers


def test_a_refusal_has_them_too(web: Web) -> None:
    reply = web.client.get("/", headers={"Host": "evil.example"})

    assert reply.headers["content-security-policy"] == CONTENT_POLICY


def test_a_preflight_gets_no_leave(web: Web) -> None:
    headers = {"Origin": "https://evil.example", "Access-Control-Request-Method": "POST"}

    reply = web.client.options("/api/workspaces", headers=headers)

    assert reply.status_code == 403
    assert "access-control-allow-origin" not in reply.headers


def test_suggestions_of_strangers_can_do_nothing_but_open_links(web: Web) -> None:
    told = web.ask(provider_id="gemini")
    message = told[-1].data["message"]

    reply = web.client.get(f"/api/messages/{message['id']}/suggestions")

    assert reply.headers["content-security-policy"] == LINKS_POLICY
    assert "allow-scripts" not in LINKS_POLICY
    assert "allow-same-origin" not in LINKS_POLICY
    assert reply.headers["content-type"] == "text/html; charset=utf-8"
    # Google's rule: as it gives them.
    assert reply.text == f'<base target="_blank">{message["answer"]["suggestions"]}'
    assert isinstance(reply, httpx2.Response)
