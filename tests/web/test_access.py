"""Signing in, tokens, and who may do what where."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from groundwire.errors import ForbiddenError
from groundwire.sandbox import SandboxServer
from groundwire.service.actor import OWNER, Actor, check_owner
from tests.web.server import PASSWORD, SETUP_TOKEN, Web, set_up, signed_in, with_users


@pytest.fixture
def guarded(sandbox: SandboxServer, tmp_path: Path) -> Iterator[Web]:
    with with_users(sandbox, tmp_path) as web:
        yield web


def test_nothing_works_before_the_first_user_is_made(guarded: Web) -> None:
    before = guarded.get("/api/me")
    refused = guarded.client.get("/api/sessions")

    owner = set_up(guarded)

    assert (before["needs_setup"], before["needs_login"], before["user"]) == (True, False, None)
    assert refused.status_code == 401
    me = owner.get("/api/me").json()
    assert (me["user"]["name"], me["user"]["is_owner"]) == ("olga", True)
    assert (me["needs_setup"], me["needs_login"]) == (False, False)
    assert guarded.get("/api/me")["needs_login"] is True


def test_the_link_for_setup_works_once(guarded: Web) -> None:
    set_up(guarded)
    body = {"token": SETUP_TOKEN, "name": "eve", "password": PASSWORD}

    again = guarded.client.post("/api/setup", json=body)

    assert again.status_code == 409


def test_a_wrong_token_makes_nobody(guarded: Web) -> None:
    body = {"token": "guess", "name": "eve", "password": PASSWORD}

    refused = guarded.client.post("/api/setup", json=body)

    assert refused.status_code == 401
    assert guarded.get("/api/me")["needs_setup"] is True


def test_what_was_said_before_belongs_to_the_first_user(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    with Web(sandbox, tmp_path) as alone:
        alone.ask("First?", search="off")
        alone.ask("Second?", search="off")

    with with_users(sandbox, tmp_path) as web:
        titles = [each["title"] for each in set_up(web).get("/api/sessions").json()["sessions"]]

    assert titles == ["Second?", "First?"]


def test_the_cookie_is_for_this_server_alone_and_no_script(guarded: Web) -> None:
    set_up(guarded)

    reply = guarded.client.post("/api/login", json={"name": "olga", "password": PASSWORD})

    name, _, rest = reply.headers["set-cookie"].partition("=")
    attributes = {part.strip().lower() for part in rest.split(";")[1:]}
    assert name == "groundwire_session"
    assert {"httponly", "path=/", "samesite=lax"} <= attributes


def test_over_https_the_cookie_is_secure_and_bound_to_the_host(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    with with_users(sandbox, tmp_path, "127.0.0.1") as web:
        set_up(web)
        headers = {"X-Forwarded-Proto": "https"}
        body = {"name": "olga", "password": PASSWORD}

        reply = web.client.post("/api/login", json=body, headers=headers)

        cookie = reply.headers["set-cookie"]
        assert cookie.startswith("__Host-groundwire_session=")
        assert "Secure" in cookie


def test_signing_in_gives_a_new_session_and_ends_the_old_one(guarded: Web) -> None:
    client = set_up(guarded)
    before = client.cookies["groundwire_session"]

    client.post("/api/login", json={"name": "olga", "password": PASSWORD})

    old = guarded.new_client(cookies={"groundwire_session": before})
    assert client.cookies["groundwire_session"] != before
    assert [each.get("/api/sessions").status_code for each in (client, old)] == [200, 401]


def test_signing_out_ends_the_session_also_for_who_kept_the_cookie(guarded: Web) -> None:
    client = set_up(guarded)
    stolen = guarded.new_client(cookies=dict(client.cookies))

    client.post("/api/logout")

    assert [each.get("/api/sessions").status_code for each in (client, stolen)] == [401, 401]


def test_a_wrong_name_and_a_wrong_password_are_told_alike(guarded: Web) -> None:
    set_up(guarded)

    replies = [
        guarded.client.post("/api/login", json={"name": name, "password": "wrong"})
        for name in ("olga", "nobody")
    ]

    assert replies[0].json() == replies[1].json()


def test_passwords_sessions_and_tokens_are_kept_as_hashes(guarded: Web) -> None:
    owner = set_up(guarded)
    token = owner.post("/api/tokens", json={"name": "ci"}).json()["token"]
    cookie = owner.cookies["groundwire_session"]

    kept = b"".join(path.read_bytes() for path in guarded.folder.glob("web.sqlite3*"))

    assert b"$argon2id$" in kept
    assert [secret.encode() in kept for secret in (PASSWORD, token, cookie)] == [False] * 3


def test_a_token_is_shown_once_and_can_be_taken_back(guarded: Web) -> None:
    owner = set_up(guarded)
    made = owner.post("/api/tokens", json={"name": "ci", "role": "admin"}).json()
    program = guarded.new_client(headers={"Authorization": f"Bearer {made['token']}"})
    before = program.get("/api/sessions").status_code

    listed = owner.get("/api/tokens").text
    owner.delete(f"/api/tokens/{made['id']}")

    assert made["token"] not in listed
    assert (before, program.get("/api/sessions").status_code) == (200, 401)


def test_a_token_needs_no_origin(guarded: Web) -> None:
    owner = set_up(guarded)
    token = owner.post("/api/tokens", json={"name": "ci"}).json()["token"]
    headers = {"Authorization": f"Bearer {token}", "Origin": "https://elsewhere.example"}

    reply = guarded.new_client().post("/api/sessions", json={}, headers=headers)

    assert reply.status_code == 201


def test_a_bad_token_is_refused_even_where_nobody_signs_in(web: Web) -> None:
    reply = web.client.get("/api/me", headers={"Authorization": "Bearer gw_guess"})

    assert (reply.status_code, reply.headers["www-authenticate"]) == (401, "Bearer")


def test_changes_of_settings_are_kept_with_who_made_them(guarded: Web) -> None:
    owner = set_up(guarded)
    here = owner.post("/api/workspaces", json={"name": "Here"}).json()["id"]

    owner.patch(f"/api/workspaces/{here}", json={"web_allowed_domains": ["example.org"]})

    newest = owner.get("/api/audit", params={"workspace_id": here}).json()[0]
    assert {name: newest[name] for name in ("actor", "action", "subject", "before", "after")} == {
        "actor": "olga",
        "action": "changed",
        "subject": "workspace Here",
        "before": {"web_allowed_domains": ["help.sap.com"]},
        "after": {"web_allowed_domains": ["example.org"]},
    }


def test_without_users_there_is_no_list_to_add_to(web: Web) -> None:
    refused = web.client.post("/api/users", json={"name": "eve", "password": PASSWORD})

    assert refused.status_code == 409
    assert "--setup" in refused.json()["error"]["message"]


def test_whoever_runs_the_program_is_its_owner_and_nobody_else_is() -> None:
    check_owner(OWNER)
    with pytest.raises(ForbiddenError):
        check_owner(Actor(name="owner", is_owner=False))


def test_who_is_in_no_workspace_is_told_so(guarded: Web) -> None:
    owner = set_up(guarded)
    owner.post("/api/users", json={"name": "mona", "password": PASSWORD})

    refused = signed_in(guarded, "mona").get("/api/sessions")

    assert refused.status_code == 404
    assert "you are in no workspace: ask an admin" in refused.text


def test_who_is_not_the_owner_is_refused_before_a_body_is_read(guarded: Web) -> None:
    owner = set_up(guarded)
    owner.post("/api/users", json={"name": "mona", "password": PASSWORD})

    broken = [
        each.post("/api/users", content=b"{", headers={"Content-Type": "application/json"})
        for each in (owner, signed_in(guarded, "mona"))
    ]

    assert [each.status_code for each in broken] == [422, 403]
