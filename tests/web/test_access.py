"""Signing in, tokens, and who may do what where."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import httpx2
import pytest

from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from tests.web.serving import PASSWORD, SETUP_TOKEN, Web, set_up, signed_in, with_users


@dataclass(frozen=True, slots=True, kw_only=True)
class Town:
    """A server with an owner, an admin and a member of one workspace, and somebody of another."""

    web: Web
    clients: dict[str, httpx2.Client]
    ids: dict[str, str]


@pytest.fixture
def guarded(sandbox: SandboxServer, tmp_path: Path) -> Iterator[Web]:
    with with_users(sandbox, tmp_path) as web:
        yield web


def add_user(owner: httpx2.Client, name: str, workspace_id: str, role: str) -> str:
    made = owner.post("/api/users", json={"name": name, "password": PASSWORD})
    user_id: str = made.json()["id"]
    path = f"/api/workspaces/{workspace_id}/members/{user_id}"
    assert owner.put(path, json={"role": role}).status_code == 200
    return user_id


@pytest.fixture
def town(guarded: Web) -> Town:
    """Everybody there is, each with something of their own."""
    owner = set_up(guarded)
    here: str = owner.post("/api/workspaces", json={"name": "Here"}).json()["id"]
    there: str = owner.post("/api/workspaces", json={"name": "There"}).json()["id"]
    ids = {"workspace": here, "user": add_user(owner, "mona", here, "member")}
    add_user(owner, "adam", here, "admin")
    add_user(owner, "strange", there, "admin")
    clients = {
        "owner": owner,
        "admin": signed_in(guarded, "adam"),
        "member": signed_in(guarded, "mona"),
        "foreign": signed_in(guarded, "strange"),
        "nobody": guarded.new_client(),
    }
    ids |= _furniture(guarded, clients, here)
    return Town(web=guarded, clients=clients, ids=ids)


def _furniture(web: Web, clients: dict[str, httpx2.Client], here: str) -> dict[str, str]:
    owner, admin, member = clients["owner"], clients["admin"], clients["member"]
    agent = admin.post("/api/agents", json={"name": "Ann", "workspace_id": here}).json()["id"]
    told = web.ask(client=member, agent=agent, search="off")
    token = admin.post("/api/tokens", json={"name": "ci", "workspace_id": here, "role": "member"})
    provider = owner.post("/api/providers", json={"name": "Mine", "type": "anthropic"})
    clients["token"] = web.new_client(headers={"Authorization": f"Bearer {token.json()['token']}"})
    return {
        "agent": agent,
        "session": told[0].data["session_id"],
        "message": told[0].data["message_id"],
        "token": token.json()["id"],
        "provider": provider.json()["id"],
    }


# What each of owner, admin, member, a token of a member, a stranger and nobody is answered.
MATRIX: list[tuple[str, str, Json, tuple[int, ...]]] = [
    ("GET", "/api/health", None, (200, 200, 200, 200, 200, 200)),
    ("GET", "/api/me", None, (200, 200, 200, 200, 200, 200)),
    ("GET", "/api/users", None, (200, 200, 403, 403, 200, 401)),
    ("POST", "/api/users", {"name": "x", "password": "12345678"}, (201, 403, 403, 403, 403, 401)),
    ("DELETE", "/api/users/nobody", None, (404, 403, 403, 403, 403, 401)),
    ("GET", "/api/workspaces", None, (200, 200, 200, 200, 200, 401)),
    ("POST", "/api/workspaces", {"name": "x"}, (201, 403, 403, 403, 403, 401)),
    ("GET", "/api/workspaces/{workspace}", None, (200, 200, 200, 200, 404, 401)),
    ("PATCH", "/api/workspaces/{workspace}", {}, (200, 200, 403, 403, 404, 401)),
    ("GET", "/api/workspaces/{workspace}/members", None, (200, 200, 403, 403, 404, 401)),
    (
        "PUT",
        "/api/workspaces/{workspace}/members/{user}",
        {"role": "member"},
        (200, 200, 403, 403, 404, 401),
    ),
    (
        "DELETE",
        "/api/workspaces/{workspace}/members/nobody",
        None,
        (404, 404, 403, 403, 404, 401),
    ),
    ("GET", "/api/tokens?workspace_id={workspace}", None, (200, 200, 403, 403, 404, 401)),
    (
        "POST",
        "/api/tokens",
        {"name": "x", "workspace_id": "{workspace}"},
        (201, 201, 403, 403, 404, 401),
    ),
    ("GET", "/api/audit?workspace_id={workspace}", None, (200, 200, 403, 403, 404, 401)),
    ("GET", "/api/agents?workspace_id={workspace}", None, (200, 200, 200, 200, 404, 401)),
    (
        "POST",
        "/api/agents",
        {"name": "x", "workspace_id": "{workspace}"},
        (201, 201, 403, 403, 404, 401),
    ),
    ("GET", "/api/agents/{agent}", None, (200, 200, 200, 200, 404, 401)),
    ("PATCH", "/api/agents/{agent}", {}, (200, 200, 403, 403, 404, 401)),
    ("POST", "/api/agents/{agent}/message", {"text": ""}, (400, 400, 400, 400, 404, 401)),
    (
        "POST",
        "/api/agents/{agent}/approve",
        {"message_id": "{message}"},
        (404, 404, 409, 404, 404, 401),
    ),
    ("GET", "/api/sessions?workspace_id={workspace}", None, (200, 200, 200, 200, 404, 401)),
    ("POST", "/api/sessions", {"agent_id": "{agent}"}, (201, 201, 201, 201, 404, 401)),
    ("GET", "/api/sessions/{session}", None, (404, 404, 200, 404, 404, 401)),
    ("PATCH", "/api/sessions/{session}", {"title": "x"}, (404, 404, 200, 404, 404, 401)),
    ("GET", "/api/sessions/{session}/export", None, (404, 404, 200, 404, 404, 401)),
    ("GET", "/api/messages/{message}/events", None, (404, 404, 200, 404, 404, 401)),
    ("POST", "/api/messages/{message}/stop", {}, (404, 404, 204, 404, 404, 401)),
    ("GET", "/api/messages/{message}/suggestions", None, (404, 404, 404, 404, 404, 401)),
    ("GET", "/api/attachments/{message}.0", None, (404, 404, 404, 404, 404, 401)),
    ("GET", "/answers/{message}", None, (404, 404, 200, 404, 404, 303)),
    ("GET", "/api/provider-types", None, (200, 200, 200, 200, 200, 401)),
    ("GET", "/api/providers", None, (200, 200, 200, 200, 200, 401)),
    (
        "POST",
        "/api/providers",
        {"name": "x", "type": "openai"},
        (201, 403, 403, 403, 403, 401),
    ),
    ("PATCH", "/api/providers/{provider}", {}, (200, 403, 403, 403, 403, 401)),
    ("PUT", "/api/providers/{provider}/key", {"key": "k"}, (204, 403, 403, 403, 403, 401)),
    ("DELETE", "/api/providers/{provider}/key", None, (204, 403, 403, 403, 403, 401)),
    ("POST", "/api/providers/{provider}/test", {}, (200, 403, 403, 403, 403, 401)),
    ("POST", "/api/providers/{provider}/models", {}, (200, 403, 403, 403, 403, 401)),
    ("GET", "/api/providers/{provider}/models", None, (200, 200, 200, 200, 200, 401)),
    ("GET", "/api/web", None, (200, 200, 200, 200, 200, 401)),
    ("PUT", "/api/web", {"read_provider": ["jina"]}, (200, 403, 403, 403, 403, 401)),
    ("PUT", "/api/web/tavily/key", {"key": "k"}, (204, 403, 403, 403, 403, 401)),
    ("DELETE", "/api/web/tavily/key", None, (204, 403, 403, 403, 403, 401)),
    ("POST", "/api/web/searxng/test", {}, (200, 403, 403, 403, 403, 401)),
    ("GET", "/api/usage?workspace_id={workspace}", None, (200, 200, 200, 200, 404, 401)),
    ("GET", "/api/tools", None, (200, 200, 200, 200, 200, 401)),
    ("GET", "/", None, (200, 200, 200, 200, 200, 200)),
    ("GET", "/api/openapi.json", None, (200, 200, 200, 200, 200, 200)),
    # At the end, and in this order, what takes something away.
    ("DELETE", "/api/agents/{agent}", None, (409, 409, 403, 403, 404, 401)),
    ("DELETE", "/api/providers/{provider}", None, (204, 403, 403, 403, 403, 401)),
    ("DELETE", "/api/sessions/{session}", None, (404, 404, 204, 404, 404, 401)),
    ("DELETE", "/api/tokens/{token}", None, (404, 204, 403, 403, 404, 401)),
    ("DELETE", "/api/workspaces/{workspace}", None, (204, 403, 403, 401, 403, 401)),
]
# In an order in which nobody takes away what another one still needs.
ROLES = ("nobody", "foreign", "token", "member", "admin", "owner")
COLUMNS = ("owner", "admin", "member", "token", "foreign", "nobody")


def test_each_role_may_do_what_it_should_and_a_foreign_workspace_is_not_there(town: Town) -> None:
    found = []
    for method, path, body, _ in MATRIX:
        answers = {}
        for role in ROLES:
            filled = None if body is None else _filled(body, town.ids)
            call = town.clients[role].request(method, path.format(**town.ids), json=filled)
            answers[role] = call.status_code
        found.append((method, path, body, tuple(answers[role] for role in COLUMNS)))

    assert _by_route(found) == _by_route(MATRIX)


def _by_route(rows: list[tuple[str, str, Json, tuple[int, ...]]]) -> dict[str, tuple[int, ...]]:
    return {f"{method} {path}": statuses for method, path, _, statuses in rows}


def _filled(body: Json, ids: dict[str, str]) -> Json:
    return {
        name: value.format(**ids) if isinstance(value, str) else value
        for name, value in body.items()
    }


def test_every_route_is_in_the_matrix(web: Web) -> None:
    documented = {
        f"{method.upper()} {path}"
        for path, methods in web.get("/api/openapi.json")["paths"].items()
        for method in methods
    }
    public = {"POST /api/login", "POST /api/logout", "POST /api/setup"}
    # The paths of the seed lead to the same functions.
    seed = {"POST /agents/{agent_id}/message", "POST /agents/{agent_id}/approve"}
    spelled = {
        "{workspace}": "{workspace_id}",
        "{agent}": "{agent_id}",
        "{session}": "{session_id}",
        "{message}.0": "{attachment_id}",
        "{message}": "{message_id}",
        "{provider}": "{provider_id}",
        "{token}": "{token_id}",
        "{user}": "{user_id}",
        "members/nobody": "members/{user_id}",
        "users/nobody": "users/{user_id}",
        "web/tavily/": "web/{name}/",
        "web/searxng/": "web/{name}/",
    }
    tested = set()
    for method, path, *_ in MATRIX:
        template = path.partition("?")[0]
        for short, long in spelled.items():
            template = template.replace(short, long)
        tested.add(f"{method} {template}")

    assert documented - tested == public | seed


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


def test_guessing_is_slowed_down_by_name_and_by_address(guarded: Web) -> None:
    set_up(guarded)

    def statuses(name: str, count: int) -> list[int]:
        body = {"name": name, "password": "wrong"}
        return [guarded.client.post("/api/login", json=body).status_code for _ in range(count)]

    # The sixth failure is the first after which one has to wait.
    found = statuses("olga", 7)

    limited = guarded.client.post("/api/login", json={"name": "olga", "password": PASSWORD})
    assert found == [401] * 6 + [429]
    assert (limited.status_code, int(limited.headers["retry-after"])) == (429, 1)
    assert statuses("somebody else", 1) == [429]


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


def test_changes_of_settings_are_kept_with_who_made_them(town: Town) -> None:
    admin, here = town.clients["admin"], town.ids["workspace"]

    admin.patch(f"/api/workspaces/{here}", json={"web_allowed_domains": ["example.org"]})

    newest = admin.get("/api/audit", params={"workspace_id": here}).json()[0]
    assert {name: newest[name] for name in ("actor", "action", "subject", "before", "after")} == {
        "actor": "adam",
        "action": "changed",
        "subject": "workspace Here",
        "before": {"web_allowed_domains": ["help.sap.com"]},
        "after": {"web_allowed_domains": ["example.org"]},
    }


def test_without_users_there_is_no_list_to_add_to(web: Web) -> None:
    refused = web.client.post("/api/users", json={"name": "eve", "password": PASSWORD})

    assert refused.status_code == 409
    assert "--setup" in refused.json()["error"]["message"]
