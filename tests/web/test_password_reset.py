"""A new password from the command line, while servers run."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from groundwire.conversation import User
from groundwire.sandbox import SandboxServer
from groundwire.store import Store
from groundwire.store.identities import Identity
from tests.forked import groundwire
from tests.web.server import PASSWORD, Web, set_up, with_users

NEW = "another horse battery"


@pytest.fixture
def web(sandbox: SandboxServer, tmp_path: Path) -> Iterator[Web]:
    with with_users(sandbox, tmp_path) as web:
        yield web


def run(web: Web, *words: str, stdin: str = "") -> subprocess.CompletedProcess[str]:
    """Run a command of users on the server's database, with a home of its own."""
    environment = {"PATH": os.environ["PATH"], "GROUNDWIRE_HOME": str(web.folder)}
    command = groundwire("users", *words, "--database", web.database)
    return subprocess.run(
        command, input=stdin, env=environment, capture_output=True, text=True, check=False
    )


def test_a_forgotten_password_is_set_anew_and_everything_else_stays(web: Web) -> None:
    signed_in = set_up(web)
    kept = web.ask(client=signed_in)[-1].data["message"]["session_id"]

    done = run(web, "password", "olga", stdin=f"{NEW}\n")

    logins = [
        web.new_client().post("/api/login", json={"name": "olga", "password": each})
        for each in (PASSWORD, NEW)
    ]
    again = web.new_client()
    again.post("/api/login", json={"name": "olga", "password": NEW})
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == "olga has a new password and is signed out everywhere\n"
    assert [reply.status_code for reply in logins] == [401, 204]
    assert signed_in.get("/api/sessions").status_code == 401
    assert again.get(f"/api/sessions/{kept}").status_code == 200
    [noted, *_] = again.get("/api/audit").json()
    assert (noted["actor"], noted["subject"]) == ("command line", "user olga")
    assert NEW not in json.dumps(again.get("/api/audit").json())


@pytest.mark.parametrize(
    ("name", "password", "reason"),
    [
        ("nobody", NEW, "no user is called 'nobody': there are olga"),
        ("olga", "short", "a password has from 8 to 200 characters: choose another one"),
        ("sam", NEW, "'sam' signs in with single sign-on alone: their password is set there"),
    ],
)
def test_what_cannot_be_set_is_said_in_one_line(
    web: Web, name: str, password: str, reason: str
) -> None:
    set_up(web)
    if name == "sam":
        asyncio.run(_add_by_sign_on(web.database))

    done = run(web, "password", name, stdin=f"{password}\n")

    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith(f"groundwire: {reason}")


def test_users_are_listed_with_how_they_come_in(web: Web) -> None:
    before = run(web, "list").stdout
    set_up(web)
    asyncio.run(_add_by_sign_on(web.database))

    shown, listed = run(web, "list").stdout, run(web, "list", "--json").stdout

    assert before == "there are no users: the first is made with `groundwire serve --setup`\n"
    assert shown.splitlines()[1].split()[:3] == ["olga", "owner", "yes"]
    rows = json.loads(listed)
    assert [(row["name"], row["is_owner"], row["has_password"]) for row in rows] == [
        ("olga", True, True),
        ("sam", False, False),
    ]


async def _add_by_sign_on(database: str) -> None:
    async with Store.open(database) as store:
        user = await store.users.create(User(name="sam"))
        identity = Identity(issuer="https://id.example", subject="1", user_id=user.id)
        await store.identities.link(identity)
