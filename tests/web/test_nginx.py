"""Behind a real nginx, set up as docs/web.md says: who is who, and what is believed."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from groundwire.model import Secret
from groundwire.sandbox import SandboxServer
from groundwire.web import Options
from groundwire.web.login_limits import LoginLimits
from tests.patience import PATIENCE, wait_until_listening
from tests.web.server import PASSWORD, SETUP_TOKEN, Web, set_up

HOST = "chat.example.com"
NGINX = shutil.which("nginx") or shutil.which("nginx", path="/usr/sbin")
PAGE = (Path(__file__).parents[2] / "docs" / "web.md").read_text()
pytestmark = [
    pytest.mark.skipif(NGINX is None, reason="needs nginx: apt install nginx-light"),
    pytest.mark.skipif(sys.platform != "linux", reason="needs more than one address of loopback"),
]
CONFIGURATION = """
daemon off;
master_process off;
pid {folder}/pid;
error_log {folder}/error.log;
events {{}}
http {{
    access_log off;
    client_body_temp_path {folder}/body;
    proxy_temp_path {folder}/proxy;
    fastcgi_temp_path {folder}/fastcgi;
    uwsgi_temp_path {folder}/uwsgi;
    scgi_temp_path {folder}/scgi;
    server {{
        listen 127.0.0.1:{port};
        {location}
    }}
}}
"""


def documented(web: Web, scheme: str) -> str:
    """Return the configuration of the documentation, for this server and as if TLS ended here."""
    found = re.search(r"```\n(location / \{.*?\n\})\n```", PAGE, re.DOTALL)
    assert found
    return found[1].replace("http://127.0.0.1:8321", web.url).replace("$scheme", scheme)


@contextmanager
def nginx(folder: Path, location: str) -> Iterator[str]:
    """Run nginx with one location, and give its address."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    folder.mkdir()
    file = folder / "nginx.conf"
    file.write_text(CONFIGURATION.format(folder=folder, port=port, location=location))
    assert NGINX
    process = subprocess.Popen([NGINX, "-p", folder, "-c", file, "-e", folder / "error.log"])
    try:
        wait_until_listening(port, process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait()


@pytest.fixture
def web(sandbox: SandboxServer, tmp_path: Path) -> Iterator[Web]:
    """A server that is told of its proxy and has an owner; no time passes between attempts."""
    options = Options(
        setup_token=Secret(SETUP_TOKEN), allowed_hosts=(HOST,), trusted_proxies=("127.0.0.1",)
    )
    with Web(sandbox, tmp_path, options=options) as web:
        set_up(web)
        web.app.state.site.logins = LoginLimits(clock=lambda: 0.0)
        yield web


@contextmanager
def client_at(url: str, address: str) -> Iterator[httpx2.Client]:
    """Give the browser of somebody at an address."""
    transport = httpx2.HTTPTransport(local_address=address)
    with httpx2.Client(
        base_url=url, transport=transport, headers={"Host": HOST}, timeout=PATIENCE
    ) as client:
        yield client


def sign_in(client: httpx2.Client, password: str, said: str = "") -> httpx2.Response:
    headers = {"X-Forwarded-For": said} if said else {}
    return client.post("/api/login", json={"name": "olga", "password": password}, headers=headers)


def test_two_addresses_are_told_apart_and_made_up_ones_do_not_help(
    web: Web, tmp_path: Path
) -> None:
    with (
        nginx(tmp_path / "nginx", documented(web, "https")) as url,
        client_at(url, "127.0.0.3") as attacker,
        client_at(url, "127.0.0.2") as owner,
    ):
        guessed = [
            sign_in(attacker, "wrong", f"198.51.100.{number}").status_code for number in range(10)
        ]

        assert guessed == [401] * 6 + [429] * 4
        assert sign_in(owner, PASSWORD).status_code == 204
        assert sign_in(attacker, PASSWORD, "127.0.0.2").status_code == 429


@pytest.mark.parametrize("scheme", ["https", "http"])
def test_cookies_are_secure_when_nginx_says_https(web: Web, tmp_path: Path, scheme: str) -> None:
    with (
        nginx(tmp_path / "nginx", documented(web, scheme)) as url,
        client_at(url, "127.0.0.2") as client,
    ):
        reply = client.post(
            "/api/login",
            json={"name": "olga", "password": PASSWORD},
            headers={"X-Forwarded-Proto": "https"},
        )

        cookies = reply.headers.get_list("set-cookie")
        assert len(cookies) == 2
        assert {"Secure" in each for each in cookies} == {scheme == "https"}


@pytest.mark.parametrize(
    "settings",
    ["", "proxy_set_header Host $host;", "proxy_set_header X-Real-IP $remote_addr;"],
)
def test_whoever_comes_through_nginx_is_not_the_owner_where_there_are_no_users(
    sandbox: SandboxServer, tmp_path: Path, settings: str
) -> None:
    with Web(sandbox, tmp_path, options=Options(allowed_hosts=(HOST,))) as web:
        location = f"location / {{ proxy_pass {web.url}; {settings} }}"
        with (
            nginx(tmp_path / "nginx", location) as url,
            client_at(url, "127.0.0.1") as client,
        ):
            made = client.post("/api/tokens", json={"name": "mine", "role": "admin"})
            me = client.get("/api/me").json()

    assert made.status_code == 401
    assert (me["needs_setup"], me["workspaces"]) == (True, [])


def test_an_answer_streams_through_nginx(web: Web, tmp_path: Path) -> None:
    token = set_up_token(web)
    with (
        nginx(tmp_path / "nginx", documented(web, "https")) as url,
        client_at(url, "127.0.0.2") as client,
    ):
        reply = client.post(
            "/api/agents/assistant/message",
            json={"text": "Otters?", "provider_id": "anthropic", "search": "off"},
            headers={"Authorization": f"Bearer {token}"},
        )

        assert "event: done" in reply.text


def set_up_token(web: Web) -> str:
    owner = web.new_client()
    sign_in(owner, PASSWORD)
    return str(owner.post("/api/tokens", json={"name": "ci"}).json()["token"])
