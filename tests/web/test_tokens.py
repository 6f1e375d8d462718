"""Tokens: whose they are, what they may do at the moment they are used, and that they end."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta
from pathlib import Path

import httpx2
import pytest

from groundwire.conversation import Membership, Role, now
from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from groundwire.store import PERSONAL
from tests.web.server import Web, set_up, with_users
from tests.web.town import CALLERS, Town, built

YEAR = timedelta(days=365)
MINUTE = timedelta(minutes=1)


@pytest.fixture
def town(sandbox: SandboxServer, tmp_path: Path) -> Iterator[Town]:
    with built(sandbox, tmp_path) as town:
        yield town


def _bearer(secret: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {secret}"}


def _made_without_users(sandbox: SandboxServer, folder: Path) -> dict[str, str]:
    """Ask something and make a token on a server without users, and return the token's header."""
    with Web(sandbox, folder) as alone:
        alone.ask("Where is the zebra?", search="off")
        made = alone.client.post("/api/tokens", json={"name": "old", "role": "admin"})
        assert made.status_code == 201, made.text
        token = _bearer(made.json()["token"])
        assert alone.client.get("/api/sessions", headers=token).status_code == 200
    return token


def _titles(reply: httpx2.Response) -> list[str]:
    assert reply.status_code == 200, reply.text
    return [each["title"] for each in reply.json()["sessions"]]


def test_a_token_from_before_there_were_users_does_not_work_during_setup(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    token = _made_without_users(sandbox, tmp_path)

    with with_users(sandbox, tmp_path) as web:
        paths = ("/api/me", "/api/sessions", "/api/providers", "/api/tokens")
        statuses = [web.client.get(path, headers=token).status_code for path in paths]

    assert statuses == [401] * 4


def test_a_token_from_before_there_were_users_becomes_the_first_owners(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    token = _made_without_users(sandbox, tmp_path)

    with with_users(sandbox, tmp_path) as web:
        owner = set_up(web)
        body = {"name": "mona", "password": "correct horse battery"}
        mona = owner.post("/api/users", json=body).json()["id"]
        owner.put(f"/api/workspaces/personal/members/{mona}", json={"role": "member"})
        member = web.new_client()
        member.post("/api/login", json=body)
        web.ask("My zebra is in the garden.", member, search="off")

        listed = _titles(web.client.get("/api/sessions", headers=token))
        found = _titles(web.client.get("/api/sessions?query=zebra", headers=token))
        owners = _titles(owner.get("/api/sessions"))

    assert listed == found == owners == ["Where is the zebra?"]


def test_a_token_that_nobody_made_is_not_valid_where_there_are_users(town: Town) -> None:
    """A database may have such tokens from before they were adopted."""
    _, secret = town.new_token(None, role=Role.ADMIN)

    reply = town.client.get("/api/sessions?query=zebra", headers=_bearer(secret))

    assert (reply.status_code, "zebra" in reply.text) == (401, False)


def test_sessions_are_listed_and_searched_by_their_owner_alone(town: Town) -> None:
    found: dict[str, list[str]] = {}
    for caller in CALLERS:
        for animal in ("zebra", "ibex"):
            reply = town.ask(caller, "GET", f"/api/sessions?workspace_id=personal&query={animal}")
            if reply.status_code == 200 and reply.json()["sessions"]:
                found.setdefault(animal, []).append(caller)

    assert found == {"zebra": ["member"], "ibex": ["admin", "member token", "admin token"]}


def test_a_token_has_what_its_maker_has_at_each_moment(town: Town) -> None:
    adam = town.users["adam"].id

    def may() -> tuple[int, int]:
        read = town.ask("admin token", "GET", "/api/agents?workspace_id=personal")
        change = town.ask("admin token", "PATCH", "/api/agents/assistant", {"description": "x"})
        return read.status_code, change.status_code

    def give(role: Role) -> None:
        membership = Membership(user_id=adam, workspace_id=PERSONAL, role=role)
        town.do(town.store.memberships.set(membership))

    before = may()
    give(Role.MEMBER)
    demoted = may()
    give(Role.ADMIN)
    again = may()
    town.do(town.store.memberships.remove(adam, PERSONAL))
    removed = may()
    town.do(town.store.users.delete(adam))

    assert [before, demoted, again] == [(200, 200), (200, 403), (200, 200)]
    assert [removed, may()] == [(401, 401), (401, 401)]


def test_a_members_token_of_an_admin_is_a_members(town: Town) -> None:
    reply = town.ask("member token", "PATCH", "/api/agents/assistant", {"description": "x"})

    assert reply.status_code == 403


def test_a_token_is_good_for_its_own_workspace_alone(town: Town) -> None:
    """Its maker has sessions in the other one, too."""
    adam = town.users["adam"].id
    both = Membership(user_id=adam, workspace_id=town.there, role=Role.ADMIN)
    town.do(town.store.memberships.set(both))
    _, secret = town.new_token("adam", role=Role.ADMIN, workspace_id=town.there)
    paths = (
        f"/api/sessions/{town.ids['makers_session']}",
        f"/answers/{town.ids['makers_message']}",
        "/api/sessions?workspace_id=personal",
        "/api/agents/assistant",
    )

    statuses = [
        town.client.get(path, headers=_bearer(secret)).status_code
        for path in (*paths, f"/api/workspaces/{town.there}")
    ]

    assert statuses == [404, 404, 404, 404, 200]


def test_who_was_removed_sees_nothing_of_the_workspace_any_more(town: Town) -> None:
    """Their own sessions there are not deleted, and are not theirs to open."""
    mona, session_id = town.users["mona"].id, town.ids["session"]
    before = town.ask("member", "GET", f"/api/sessions/{session_id}").status_code

    town.do(town.store.memberships.remove(mona, PERSONAL))

    after = [
        town.ask("member", "GET", path).status_code
        for path in (f"/api/sessions/{session_id}", "/api/sessions?workspace_id=personal")
    ]
    assert (before, after) == (200, [404, 404])


def test_who_was_removed_does_not_add_himself_again(town: Town) -> None:
    rick = town.users["rick"].id
    path = f"/api/workspaces/personal/members/{rick}"

    reply = town.ask("maker removed", "PUT", path, {"role": "admin"})

    assert reply.status_code == 401
    assert town.do(town.store.memberships.role(rick, PERSONAL)) is None


def test_a_token_makes_no_token_and_changes_nobodys_access(town: Town) -> None:
    path = f"/api/workspaces/personal/members/{town.users['nils'].id}"
    token_id, _ = town.new_token("adam")

    refused = [
        town.ask("admin token", "POST", "/api/tokens", {"name": "x", "workspace_id": PERSONAL}),
        town.ask("admin token", "DELETE", f"/api/tokens/{token_id}"),
        town.ask("admin token", "PUT", path, {"role": "admin"}),
        town.ask("admin token", "DELETE", path),
    ]

    assert [each.status_code for each in refused] == [403] * 4
    assert "a token cannot change who has access" in refused[0].json()["error"]["message"]


@pytest.mark.parametrize(("days", "lasts"), [(None, 365), (7, 7), (365, 365), (3_650, 365)])
def test_every_token_ends_after_a_year_at_most(web: Web, days: int | None, lasts: int) -> None:
    made = web.client.post("/api/tokens", json={"name": "x", "expires_in_days": days}).json()

    assert _is_about(made["expires_at"], now() + timedelta(days=lasts))


def test_a_setting_says_how_long_tokens_live_old_ones_too(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    with Web(sandbox, tmp_path) as web:
        old = web.client.post("/api/tokens", json={"name": "x"}).json()

    with Web(sandbox, tmp_path, web={"token_days": 30}) as web:
        [listed] = web.get("/api/tokens")
        made = web.client.post("/api/tokens", json={"name": "y"}).json()

    month = now() + timedelta(days=30)
    assert _is_about(old["expires_at"], now() + YEAR)
    assert _is_about(listed["expires_at"], month)
    assert _is_about(made["expires_at"], month)


@pytest.mark.parametrize("days", [None, 90])
def test_a_setting_that_is_raised_lengthens_no_token(
    sandbox: SandboxServer, tmp_path: Path, days: int | None
) -> None:
    with Web(sandbox, tmp_path, web={"token_days": 30}) as web:
        web.client.post("/api/tokens", json={"name": "x", "expires_in_days": days})

    with Web(sandbox, tmp_path) as web:
        [listed] = web.get("/api/tokens")

    assert _is_about(listed["expires_at"], now() + timedelta(days=30))


def test_a_token_of_an_earlier_version_without_an_end_ends_all_the_same(town: Town) -> None:
    made = now() - YEAR
    young = town.new_token("adam", created_at=made + MINUTE, expires_at=None)
    over = town.new_token("adam", created_at=made - MINUTE, expires_at=None)
    endless = town.new_token("adam", created_at=made - MINUTE, expires_at=now() + 9 * YEAR)

    statuses = [
        town.client.get("/api/sessions", headers=_bearer(secret)).status_code
        for _, secret in (young, over, endless)
    ]
    town.client.cookies.clear()
    listed: Json = town.ask("admin", "GET", "/api/tokens?workspace_id=personal").json()

    assert statuses == [200, 401, 401]
    ends = {each["id"]: each["expires_at"] for each in listed}
    assert _is_about(ends[young[0]], now())


def _is_about(moment: str, expected: datetime) -> bool:
    return abs(datetime.fromisoformat(moment) - expected) < timedelta(minutes=10)
