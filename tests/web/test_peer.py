"""Who is at the other end: the owner of this machine, a proxy, or somebody behind one."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from groundwire.sandbox import SandboxServer
from groundwire.web import Options
from groundwire.web.peer import FORWARDED_HEADERS, limit_key, peer_of
from tests.web.server import Web, raw_request

ALLOWED = "chat.example.com"
TOKEN = json.dumps({"name": "mine", "role": "admin"})

# Values as the proxies in question send them.
FORWARDED = {
    **dict.fromkeys(FORWARDED_HEADERS, "203.0.113.9"),
    "forwarded": "for=203.0.113.9;proto=https",
    "via": "1.1 proxy",
    "x-forwarded-for": "127.0.0.1",
    "x-forwarded-proto": "http",
    "x-forwarded-host": "127.0.0.1",
    "x-forwarded-server": "proxy",
    "x-forwarded-anything": "",
    "x-original-forwarded-for": "127.0.0.1",
}


@pytest.fixture
def without_users(sandbox: SandboxServer, tmp_path: Path) -> Iterator[Web]:
    """A server on this machine with a name for others, and no users."""
    with Web(sandbox, tmp_path, options=Options(allowed_hosts=(ALLOWED,))) as web:
        yield web


def tries_for_a_token(web: Web, host: str, *headers: str, version: str = "1.1") -> tuple[int, str]:
    """Ask for an admin's token over a connection of its own."""
    lines = [
        f"POST /api/tokens HTTP/{version}",
        f"Host: {host}",
        "Content-Type: application/json",
        f"Content-Length: {len(TOKEN)}",
        *headers,
    ]
    return raw_request(web, "\r\n".join(lines) + "\r\n\r\n", TOKEN.encode())


def port_of(web: Web) -> str:
    return web.url.rpartition(":")[2]


def test_a_direct_request_to_a_loopback_name_is_the_owners(without_users: Web) -> None:
    port = port_of(without_users)
    hosts = ["127.0.0.1", f"127.0.0.1:{port}", "localhost", f"LOCALHOST:{port}", "[::1]"]

    statuses = [tries_for_a_token(without_users, host)[0] for host in hosts]

    assert statuses == [201] * len(hosts)


@pytest.mark.parametrize("header", sorted(FORWARDED))
def test_what_was_forwarded_is_nobodys_whatever_host_it_names(
    without_users: Web, header: str
) -> None:
    port = port_of(without_users)
    hosts = [ALLOWED, "127.0.0.1", f"localhost:{port}", "[::1]", f"{ALLOWED}:443"]

    replies = [
        tries_for_a_token(without_users, host, f"{header}: {FORWARDED[header]}") for host in hosts
    ]

    assert [status for status, _ in replies] == [401] * len(hosts)
    assert not any("gw_" in body for _, body in replies)


@pytest.mark.parametrize(
    "host", [ALLOWED, f"{ALLOWED}.", f"{ALLOWED}:443", "127.0.0.1:1", "[::1]:2"]
)
def test_another_name_or_port_is_nobodys(without_users: Web, host: str) -> None:
    status, body = tries_for_a_token(without_users, host)

    assert (status, "gw_" in body) == (401, False)


def test_a_proxy_that_names_only_itself_is_known_by_its_old_http(without_users: Web) -> None:
    # So nginx asks when nobody told it otherwise.
    status, body = tries_for_a_token(without_users, "127.0.0.1", version="1.0")

    assert (status, "gw_" in body) == (401, False)


def test_a_trusted_proxy_is_not_the_owner_either(sandbox: SandboxServer, tmp_path: Path) -> None:
    with Web(sandbox, tmp_path, options=Options(trusted_proxies=("127.0.0.1",))) as web:
        status, _ = tries_for_a_token(web, "127.0.0.1")

        assert status == 401


def test_whoever_is_not_the_owner_is_led_to_set_up(without_users: Web) -> None:
    me = without_users.client.get("/api/me", headers={"X-Forwarded-For": "203.0.113.9"}).json()

    assert (me["needs_setup"], me["needs_login"], me["workspaces"]) == (True, False, [])


def scope_of(client: str, *headers: tuple[str, str], server: int = 80) -> dict[str, object]:
    return {
        "type": "http",
        "scheme": "http",
        "http_version": "1.1",
        "client": (client, 1234),
        "server": ("127.0.0.1", server),
        "headers": [(name.encode(), value.encode()) for name, value in headers],
    }


@pytest.mark.parametrize(
    ("client", "said", "address"),
    [
        # Nobody trusts them: their word does not count.
        ("203.0.113.1", "198.51.100.7", "203.0.113.1"),
        ("127.0.0.2", "198.51.100.7", "127.0.0.2"),
        # The last hop's word alone, whatever was written before it.
        ("127.0.0.1", "198.51.100.7", "198.51.100.7"),
        ("127.0.0.1", "1.1.1.1, 198.51.100.7", "198.51.100.7"),
        ("127.0.0.1", "198.51.100.7, 10.1.2.3", "198.51.100.7"),
        ("10.9.9.9", "1.1.1.1,198.51.100.7,10.1.2.3, 127.0.0.1", "198.51.100.7"),
        ("::ffff:127.0.0.1", "198.51.100.7:4711", "198.51.100.7"),
        ("127.0.0.1", "[2001:db8::7]:4711", "2001:db8::7"),
        ("127.0.0.1", "2001:db8::7", "2001:db8::7"),
        # What is no address is nobody's: the proxy's own stands.
        ("127.0.0.1", "1.1.1.1, unknown", "127.0.0.1"),
        ("127.0.0.1", "", "127.0.0.1"),
        ("127.0.0.1", "10.1.2.3", "127.0.0.1"),
    ],
)
def test_of_forwarded_addresses_the_last_that_is_no_proxy_counts(
    client: str, said: str, address: str
) -> None:
    scope = scope_of(client, ("x-forwarded-for", said))

    assert peer_of(scope, ("127.0.0.1", "10.0.0.0/8")).address == address


@pytest.mark.parametrize(
    ("client", "said", "is_https"),
    [
        ("127.0.0.1", "https", True),
        ("127.0.0.1", "https, http", False),
        ("127.0.0.1", "http, HTTPS", True),
        ("127.0.0.2", "https", False),
    ],
)
def test_https_is_believed_of_a_trusted_proxy_alone(client: str, said: str, is_https: bool) -> None:
    scope = scope_of(client, ("x-forwarded-proto", said))

    assert peer_of(scope, ("127.0.0.1",)).is_https is is_https


def test_several_lines_of_a_header_are_one_list() -> None:
    scope = scope_of(
        "127.0.0.1", ("x-forwarded-for", "198.51.100.7"), ("x-forwarded-for", "203.0.113.5")
    )

    assert peer_of(scope, ("127.0.0.1",)).address == "203.0.113.5"


def test_addresses_of_one_customer_are_counted_together() -> None:
    assert limit_key("2001:db8:1:2::7") == limit_key("2001:db8:1:2:ffff::1")
    assert limit_key("2001:db8:1:2::7") != limit_key("2001:db8:1:3::7")
    assert limit_key("203.0.113.5") == "203.0.113.5"
