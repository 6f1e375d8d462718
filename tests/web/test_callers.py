"""Who is asking, and what that lets them see and do, asked of the code that decides it."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from types import SimpleNamespace

import pytest
from starlette.requests import Request

from groundwire.config.keys import Keys
from groundwire.config.settings import Settings
from groundwire.conversation import (
    ApiToken,
    ChatMessage,
    Membership,
    MessageKind,
    Role,
    Session,
    User,
    WebSession,
    Workspace,
    now,
)
from groundwire.errors import ForbiddenError, NotFoundError
from groundwire.model import Secret
from groundwire.service.program import Groundwire
from groundwire.store import ALL, PERSONAL
from groundwire.web import access
from groundwire.web.access import Caller, find_caller, find_program, settle_caller
from groundwire.web.error_responses import WebError
from groundwire.web.options import Options
from groundwire.web.passwords import hash_of
from groundwire.web.peer import PEER, Peer
from groundwire.web.site import Site

OLGA, MONA, ADAM = (User(name=name, is_owner=name == "olga") for name in ("olga", "mona", "adam"))
DIRECT = Peer(address="127.0.0.1", is_https=False, is_direct=True)
HANDED_ON = replace(DIRECT, is_direct=False)
DAY = timedelta(days=1)


def token_of(user: User | None, secret: str = "gw_x", workspace_id: str = PERSONAL) -> ApiToken:
    return ApiToken(
        user_id=user.id if user else None,
        workspace_id=workspace_id,
        role=Role.ADMIN,
        name="ci",
        token_hash=hash_of(secret),
        expires_at=now() + DAY,
    )


@asynccontextmanager
async def opened(folder: Path, options: Options | None = None) -> AsyncIterator[Site]:
    """Open what a server has, without the server."""
    program = Groundwire(
        settings=Settings(), keys=Keys(environment={}), database=str(folder / "web.sqlite3")
    )
    async with program:
        yield Site(program, options or Options())


async def settle(site: Site) -> None:
    """Make an owner, a member and an admin of the first workspace."""
    for user in (OLGA, MONA, ADAM):
        await site.store.users.create(user)
    for user, role in ((MONA, Role.MEMBER), (ADAM, Role.ADMIN)):
        membership = Membership(user_id=user.id, workspace_id=PERSONAL, role=role)
        await site.store.memberships.set(membership)
    site.recount_users()


def request(site: Site, peer: Peer = DIRECT, **headers: str) -> Request:
    return Request(
        {
            "type": "http",
            "method": "GET",
            "path": "/",
            "app": SimpleNamespace(state=SimpleNamespace(site=site)),
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            PEER: peer,
        }
    )


def callers(site: Site) -> dict[str, Caller]:
    """Return everybody who could have been let in."""
    return {
        "alone": Caller(site=site),
        "owner": Caller(site=site, user=OLGA),
        "member": Caller(site=site, user=MONA, roles={PERSONAL: Role.MEMBER}),
        "admin": Caller(site=site, user=ADAM, roles={PERSONAL: Role.ADMIN}),
        "member token": Caller(site=site, token=token_of(ADAM), token_role=Role.MEMBER),
        "old token": Caller(site=site, token=token_of(None), token_role=Role.ADMIN),
    }


async def test_everybody_is_who_they_are_and_may_do_what_their_role_says(tmp_path: Path) -> None:
    async with opened(tmp_path) as site:
        found = {
            name: (
                each.user_id,
                each.actor.is_owner,
                each.actor.name,
                await each.role_in(PERSONAL),
                await each.role_in("elsewhere"),
            )
            for name, each in callers(site).items()
        }

    assert found == {
        "alone": (None, True, "owner", Role.ADMIN, Role.ADMIN),
        "owner": (OLGA.id, True, "olga", Role.ADMIN, Role.ADMIN),
        "member": (MONA.id, False, "mona", Role.MEMBER, None),
        "admin": (ADAM.id, False, "adam", Role.ADMIN, None),
        "member token": (ADAM.id, False, "token ci", Role.MEMBER, None),
        "old token": (None, False, "token ci", Role.ADMIN, None),
    }


async def test_a_workspace_is_found_by_those_in_it_and_changed_by_its_admins(
    tmp_path: Path,
) -> None:
    async with opened(tmp_path) as site:
        there = await site.store.workspaces.create(Workspace(name="There"))
        found: dict[str, list[object]] = {}
        for name, each in callers(site).items():
            found[name] = [len(await each.workspaces())]
            for workspace_id in (None, PERSONAL, there.id):
                for need in Role:
                    try:
                        found[name].append((await each.workspace(workspace_id, need)).name)
                    except NotFoundError:
                        found[name].append(404)
                    except WebError as error:
                        found[name].append(error.status)
        first = (await site.store.workspaces.get(PERSONAL)).name

    both = {Role.MEMBER: first, Role.ADMIN: first}
    is_all = [2, *(both[need] for need in Role), *(both[need] for need in Role), "There", "There"]
    admin = [1, first, first, first, first, 404, 404]
    member = [1, *[403 if need is Role.ADMIN else first for need in Role] * 2, 404, 404]
    assert found == {
        "alone": is_all,
        "owner": is_all,
        "member": member,
        "admin": admin,
        "member token": member,
        "old token": admin,
    }


async def test_who_is_in_no_workspace_has_no_first_one(tmp_path: Path) -> None:
    async with opened(tmp_path) as site:
        with pytest.raises(NotFoundError, match="you are in no workspace"):
            await Caller(site=site, user=MONA).workspace(None)


async def test_a_session_and_its_messages_are_its_users_alone(tmp_path: Path) -> None:
    async with opened(tmp_path) as site:
        await settle(site)
        there = await site.store.workspaces.create(Workspace(name="There"))
        found: dict[tuple[str, str], set[str]] = {}
        sessions = {
            "nobody's": (None, PERSONAL),
            "mona's": (MONA.id, PERSONAL),
            "adam's": (ADAM.id, PERSONAL),
            "mona's there": (MONA.id, there.id),
        }
        for whose, (user_id, workspace_id) in sessions.items():
            kept = await site.store.sessions.create(
                Session(workspace_id=workspace_id, agent_id="assistant", user_id=user_id)
            )
            message = await site.store.messages.add(
                ChatMessage(session_id=kept.id, kind=MessageKind.USER, content="Hello")
            )
            for name, each in callers(site).items():
                for kind, get, wanted in (
                    ("session", each.session, kept.id),
                    ("message", each.message, message.id),
                ):
                    try:
                        got = (await get(wanted)).id
                    except NotFoundError as error:
                        got = str(error)
                    assert got in (wanted, f"there is no {kind} {wanted!r}")
                    if got == wanted:
                        found.setdefault((whose, kind), set()).add(name)

    allowed = {
        "nobody's": {"alone", "owner", "old token"},
        "mona's": {"member"},
        "adam's": {"admin", "member token"},
    }
    assert found == {
        (whose, kind): names for whose, names in allowed.items() for kind in ("session", "message")
    }


async def test_only_what_changed_is_noted_with_who_changed_it(tmp_path: Path) -> None:
    async with opened(tmp_path) as site:
        before = await site.store.workspaces.get(PERSONAL)
        after = replace(before, name="Ours")
        names = ("name", "web_allowed_domains")
        caller = Caller(site=site, user=ADAM)
        await caller.note_change("workspace", names, before, before)
        await caller.note_change("workspace", names, before, after)
        noted = await site.store.audit.list(workspace_id=ALL)

    (entry,) = noted
    assert (entry.actor, entry.action, entry.subject) == ("adam", "changed", "workspace Ours")
    assert entry.workspace_id == PERSONAL
    assert (entry.before, entry.after) == ({"name": before.name}, {"name": "Ours"})


LOCAL, SETTING_UP = Options(), Options(setup_token=Secret("set-up"))
OPEN = Options(host="0.0.0.0")  # Nothing listens.


async def test_without_a_key_only_who_asks_this_machine_directly_is_its_owner(
    tmp_path: Path,
) -> None:
    let_in: list[tuple[object, ...]] = []
    async with opened(tmp_path) as opening:
        for has_users in (False, True):
            if has_users:
                await settle(opening)
            for options in (LOCAL, SETTING_UP, OPEN):
                site = Site(opening.program, options)
                for peer in (DIRECT, HANDED_ON):
                    asked = (
                        await find_caller(request(site, peer)),
                        await find_program(request(site, peer), ""),
                        await find_program(request(site, peer), "any key"),
                    )
                    if asked != (None, None, None):
                        let_in.append((has_users, options, peer))
                        assert [each and each.is_owner for each in asked] == [True] * 3

    assert let_in == [(False, LOCAL, DIRECT)]


@pytest.mark.parametrize("cookie", ["groundwire_session", "__Host-groundwire_session"])
async def test_a_cookie_and_a_token_say_who_somebody_is(tmp_path: Path, cookie: str) -> None:
    async with opened(tmp_path, SETTING_UP) as site:
        await settle(site)
        session = WebSession(id_hash=hash_of("secret"), user_id=MONA.id, expires_at=now() + DAY)
        await site.store.web_sessions.create(session)
        await site.store.tokens.create(token_of(ADAM, "gw_adams"))
        found = [
            await find_caller(request(site, HANDED_ON, cookie=f"{cookie}=secret")),
            await find_caller(request(site, HANDED_ON, authorization="BEARER gw_adams ")),
            await find_program(request(site, HANDED_ON), "gw_adams"),
            await find_program(request(site, HANDED_ON, cookie=f"{cookie}=secret"), ""),
        ]
        nobody = [
            await find_caller(request(site, DIRECT, cookie=f"{cookie}=guess")),
            await find_caller(request(site, DIRECT, authorization="Basic gw_adams")),
            await find_program(request(site, DIRECT), "gw_guess"),
        ]
        with pytest.raises(WebError, match="invalid or expired token") as refused:
            await find_caller(request(site, authorization="Bearer gw_guess"))

    assert [each and each.name for each in found] == ["mona", "token ci", "token ci", "mona"]
    assert [each and await each.role_in(PERSONAL) for each in found] == [
        Role.MEMBER,
        *[Role.ADMIN] * 2,
        Role.MEMBER,
    ]
    assert nobody == [None] * 3
    assert refused.value.status == 401


CALLER, OWNER_CHECK, PERSON = access._caller, access._owner, access._person


REFUSALS: dict[tuple[str, tuple[object, ...]], int] = {
    ("nobody", ()): 0,
    ("nobody", (CALLER,)): 401,
    ("nobody", (OWNER_CHECK,)): 0,
    ("mona", ()): 0,
    ("mona", (CALLER,)): 0,
    ("mona", (CALLER, OWNER_CHECK)): 403,
    ("mona", (CALLER, PERSON)): 0,
    ("olga", (CALLER, OWNER_CHECK)): 0,
    ("token", (CALLER,)): 0,
    ("token", (CALLER, PERSON)): 403,
    ("token", (CALLER, OWNER_CHECK)): 403,
}


async def test_a_route_refuses_by_its_checks_before_it_reads_a_body(tmp_path: Path) -> None:
    found = {}
    async with opened(tmp_path, SETTING_UP) as site:
        await settle(site)
        for user in (MONA, OLGA):
            hashed = hash_of(user.name)
            session = WebSession(id_hash=hashed, user_id=user.id, expires_at=now() + DAY)
            await site.store.web_sessions.create(session)
        await site.store.tokens.create(token_of(OLGA, "gw_olgas"))
        headers = {"nobody": {}, "token": {"authorization": "Bearer gw_olgas"}}
        for who, checks in REFUSALS:
            shown = headers.get(who, {"cookie": f"groundwire_session={who}"})
            found[who, checks] = await _status(request(site, DIRECT, **shown), checks)

    assert found == REFUSALS


async def _status(asked: Request, checks: tuple[object, ...]) -> int:
    try:
        await settle_caller(asked, checks)  # type: ignore[arg-type]  # as routes name them
    except WebError as error:
        return error.status
    except ForbiddenError:
        return 403
    return 0


async def test_who_was_settled_is_not_looked_for_again(tmp_path: Path) -> None:
    async with opened(tmp_path) as site:
        asked = request(site)
        first = await CALLER(asked)
        await settle(site)
        again = await CALLER(asked)
        owner = await OWNER_CHECK(first)
        person = await PERSON(first)

    assert first is again is owner is person
