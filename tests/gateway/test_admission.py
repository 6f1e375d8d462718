"""Who is let in to the gateway, by which key, and what a token may reach."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2
import pytest

from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from groundwire.service.program import Groundwire
from tests.chat.program import keys, settings
from tests.gateway.alone import served_alone
from tests.gateway.asking import CLAUDE, SEARCH, Asked
from tests.patience import PATIENCE
from tests.web.server import set_up, with_users

TOKEN = "a-token-of-the-settings"
BODY = {
    "model": CLAUDE,
    "max_tokens": 100,
    "messages": [{"role": "user", "content": "Hello"}],
}


@contextmanager
def _alone(sandbox: SandboxServer, folder: Path, **gateway: object) -> Iterator[httpx2.Client]:
    """Serve the gateway without a web app."""
    program = Groundwire(settings=settings(sandbox, gateway=gateway), keys=keys(folder), keep=False)
    with served_alone(program) as url, httpx2.Client(base_url=url, timeout=PATIENCE) as client:
        yield client


@pytest.fixture(autouse=True)
def own_home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GROUNDWIRE_HOME", str(tmp_path))


def test_on_this_machine_without_users_any_key_will_do(gateway: Asked) -> None:
    for headers in ({}, {"x-api-key": "any"}, {"authorization": "Bearer sk-any-thing-at-all"}):
        assert gateway.client.post("/v1/messages", json=BODY, headers=headers).status_code == 200


def test_two_keys_must_agree(gateway: Asked) -> None:
    same = {"x-api-key": "one", "authorization": "Bearer one"}
    other = {"x-api-key": "one", "authorization": "Bearer two"}

    assert gateway.client.post("/v1/messages", json=BODY, headers=same).status_code == 200
    refused = gateway.client.post("/v1/messages", json=BODY, headers=other)
    assert refused.status_code == 401
    assert refused.headers["x-should-retry"] == "false"
    assert refused.json()["error"]["type"] == "authentication_error"


def test_with_users_a_token_is_needed_in_either_header(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    with with_users(sandbox, tmp_path) as web:
        owner = set_up(web)
        made = owner.post("/api/tokens", json={"name": "cli", "workspace_id": "personal"}).json()
        token = made["token"]
        stranger = web.new_client()

        def status(**headers: str) -> int:
            sent = {name.replace("_", "-"): value for name, value in headers.items()}
            return stranger.post("/v1/messages", json=BODY, headers=sent).status_code

        assert status() == 401
        assert status(x_api_key="wrong") == 401
        assert status(x_api_key=token) == 200
        assert status(authorization=f"Bearer {token}") == 200
        assert stranger.get("/v1/models").status_code == 401
        assert stranger.get("/v1/models", headers={"x-api-key": token}).status_code == 200


def test_alone_it_answers_without_a_database(sandbox: SandboxServer, tmp_path: Path) -> None:
    with _alone(sandbox, tmp_path) as client:
        reply = client.post("/v1/messages", json={**BODY, "tools": [SEARCH]})
        listed = client.get("/v1/models").json()

    assert reply.status_code == 200
    assert CLAUDE in [each["id"] for each in listed["data"]]
    assert not any(path.suffix == ".sqlite3" for path in tmp_path.iterdir())


def test_alone_the_settings_name_the_tokens(sandbox: SandboxServer, tmp_path: Path) -> None:
    with _alone(sandbox, tmp_path, tokens=[TOKEN]) as client:
        good = client.post("/v1/messages", json=BODY, headers={"x-api-key": TOKEN})
        bad = client.post("/v1/messages", json=BODY, headers={"x-api-key": "wrong"})
        none = client.post("/v1/chat/completions", json=BODY)

    assert (good.status_code, bad.status_code, none.status_code) == (200, 401, 401)
    assert none.json()["error"]["code"] == "invalid_api_key"


def test_alone_another_name_than_its_own_is_refused(sandbox: SandboxServer, tmp_path: Path) -> None:
    with _alone(sandbox, tmp_path) as client:
        reply = client.post("/v1/messages", json=BODY, headers={"host": "evil.example"})

    assert reply.status_code == 421


def test_a_token_of_the_settings_searches_unasked(sandbox: SandboxServer, tmp_path: Path) -> None:
    tables: Json = {"gateway": {"always_on_tokens": ["phone"]}}
    with Asked(sandbox, tmp_path, **tables) as asked:
        made = {
            name: asked.client.post("/api/tokens", json={"name": name, "workspace_id": "personal"})
            for name in ("phone", "other")
        }
        found = {}
        for name, reply in made.items():
            headers = {"x-api-key": reply.json()["token"]}
            answer = asked.post("/chat/completions", asked.chat(user=name), headers=headers)
            found[name] = len(answer.json()["choices"][0]["message"]["annotations"])

    assert found == {"phone": 2, "other": 0}


def test_a_token_reaches_the_agents_of_its_workspace_alone(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    with Asked(sandbox, tmp_path) as asked:
        place = asked.client.post("/api/workspaces", json={"name": "Elsewhere"}).json()["id"]
        spy = {"name": "Spy", "workspace_id": place, "system_prompt": "Secret words."}
        assert asked.client.post("/api/agents", json=spy).status_code == 201
        new = {"name": "here", "workspace_id": "personal"}
        headers = {"x-api-key": asked.client.post("/api/tokens", json=new).json()["token"]}

        ids = [m["id"] for m in asked.client.get("/v1/models", headers=headers).json()["data"]]
        reply = asked.post("/messages", {**BODY, "model": "agent/spy"}, headers=headers)

    assert "agent/assistant" in ids
    assert "agent/spy" not in ids
    assert reply.status_code == 400
