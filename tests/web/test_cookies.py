"""How long a browser stays signed in, and who is believed about https."""

from __future__ import annotations

import sqlite3
import sys
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import httpx2
import pytest

from groundwire.sandbox import SandboxServer
from tests.web.server import PASSWORD, Web, set_up, signed_in, with_users


@pytest.fixture
def guarded(sandbox: SandboxServer, tmp_path: Path) -> Iterator[Web]:
    with with_users(sandbox, tmp_path, "127.0.0.1") as web:
        set_up(web)
        yield web


def cookie_of(web: Web, client: httpx2.Client) -> str:
    """Return the cookie that somebody gets who signs in behind what says it is a proxy."""
    reply = client.post(
        "/api/login",
        json={"name": "olga", "password": PASSWORD},
        headers={"Host": httpx2.URL(web.url).netloc.decode(), "X-Forwarded-Proto": "https"},
    )
    assert reply.status_code == 204, reply.text
    return str(reply.headers["set-cookie"])


def test_a_session_lasts_thirty_days(guarded: Web) -> None:
    cookie = cookie_of(guarded, guarded.new_client())

    assert "max-age=2592000" in cookie.lower()


def test_sessions_whose_time_is_over_go_when_somebody_signs_in(guarded: Web) -> None:
    with closing(sqlite3.connect(guarded.database)) as database:
        database.execute("UPDATE web_sessions SET expires_at = '2020-01-01 00:00:00.000000'")
        database.commit()

        signed_in(guarded, "olga")

        [(count,)] = database.execute(
            "SELECT count(*) FROM web_sessions WHERE id_hash NOT LIKE 'browser %'"
        )
        assert count == 1


@pytest.mark.skipif(sys.platform != "linux", reason="needs more than one address of this machine")
def test_https_is_believed_only_of_a_trusted_proxy(guarded: Web) -> None:
    elsewhere = httpx2.HTTPTransport(local_address="127.0.0.2")

    here = cookie_of(guarded, guarded.new_client())
    there = cookie_of(guarded, guarded.new_client(transport=elsewhere))

    assert here.startswith("__Host-")
    assert not there.startswith("__Host-")
    assert "Secure" not in there
