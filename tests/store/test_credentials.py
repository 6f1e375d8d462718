"""Users, their roles, how they come in, and what they changed."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from groundwire.conversation import (
    ApiToken,
    AuditEntry,
    Membership,
    Role,
    Session,
    User,
    WebSession,
    Workspace,
    now,
)
from groundwire.errors import ConflictError, NotFoundError
from groundwire.store import ALL, PERSONAL, Store
from groundwire.store.audit import without_secrets
from groundwire.store.credentials import SignedIn

LATER = timedelta(hours=1)
YEAR = timedelta(days=365)


@pytest.fixture
async def user(store: Store) -> User:
    return await store.users.create(User(name="ada", password_hash="$argon2id$x", is_owner=True))


async def test_a_user_comes_back_as_given(store: Store, user: User) -> None:
    assert await store.users.get(user.id) == user
    assert await store.users.by_name("ada") == user
    assert await store.users.by_name("Ada") is None
    assert (await store.users.list(), await store.users.count()) == ((user,), 1)


async def test_two_users_do_not_share_a_name(store: Store, user: User) -> None:
    bob = await store.users.create(User(name="bob"))

    with pytest.raises(ConflictError, match="'ada' already"):
        await store.users.create(User(name=user.name))
    with pytest.raises(ConflictError, match="'ada' already"):
        await store.users.update(replace(bob, name=user.name))


async def test_a_new_password_replaces_the_old(store: Store, user: User) -> None:
    await store.users.update(replace(user, password_hash="$argon2id$y"))

    assert (await store.users.get(user.id)).password_hash == "$argon2id$y"


async def test_a_role_holds_in_one_workspace_and_can_be_changed(store: Store, user: User) -> None:
    await store.memberships.set(Membership(user_id=user.id, workspace_id=PERSONAL))
    admin = Membership(user_id=user.id, workspace_id=PERSONAL, role=Role.ADMIN)

    await store.memberships.set(admin)

    assert await store.memberships.role(user.id, PERSONAL) is Role.ADMIN
    assert await store.memberships.role(user.id, "elsewhere") is None
    assert await store.memberships.of_workspace(PERSONAL) == (admin,)


async def test_a_membership_ends(store: Store, user: User) -> None:
    await store.memberships.set(Membership(user_id=user.id, workspace_id=PERSONAL))

    await store.memberships.remove(user.id, PERSONAL)

    assert await store.memberships.role(user.id, PERSONAL) is None


async def test_a_membership_needs_a_user_that_is_there(store: Store) -> None:
    with pytest.raises(NotFoundError):
        await store.memberships.set(Membership(user_id="nobody", workspace_id=PERSONAL))


async def test_a_browser_is_signed_in_until_its_time_is_over(store: Store, user: User) -> None:
    good = await store.web_sessions.create(
        WebSession(id_hash="good", user_id=user.id, expires_at=now() + LATER)
    )
    await store.web_sessions.create(
        WebSession(id_hash="old", user_id=user.id, expires_at=now() - LATER)
    )

    assert await store.web_sessions.find("good") == good
    assert await store.web_sessions.find("old") is None
    assert await store.web_sessions.find("unknown") is None
    assert await store.web_sessions.delete_expired() == 1


async def test_a_browser_that_comes_back_later_is_noted(store: Store, user: User) -> None:
    long_ago = now() - LATER
    await store.web_sessions.create(
        WebSession(id_hash="x", user_id=user.id, last_seen_at=long_ago, expires_at=now() + LATER)
    )

    await store.web_sessions.find("x")

    seen = await store.web_sessions.find("x")
    assert seen is not None
    assert seen.last_seen_at > long_ago + LATER / 2


async def test_signing_out_works_for_one_browser(store: Store, user: User) -> None:
    for name in ("a", "b"):
        await store.web_sessions.create(
            WebSession(id_hash=name, user_id=user.id, expires_at=now() + LATER)
        )

    await store.web_sessions.delete("a")

    assert [await store.web_sessions.find(name) is not None for name in "ab"] == [False, True]


async def test_a_token_is_found_by_its_hash_until_its_time_is_over(store: Store) -> None:
    good = await store.tokens.create(
        ApiToken(workspace_id=PERSONAL, name="ci", token_hash="good", role=Role.ADMIN)
    )
    await store.tokens.create(
        ApiToken(workspace_id=PERSONAL, token_hash="old", expires_at=now() - LATER)
    )

    assert await store.tokens.find("good", longest=YEAR) == good
    assert await store.tokens.find("old", longest=YEAR) is None
    assert (await store.tokens.get(good.id)).last_used_at is not None
    assert len(await store.tokens.list(PERSONAL)) == 2


@pytest.mark.parametrize("expires_at", [None, now() + 10 * YEAR])
async def test_every_token_ends_whatever_it_was_made_with(
    store: Store, expires_at: datetime | None
) -> None:
    made = now() - YEAR + LATER
    token = await store.tokens.create(
        ApiToken(workspace_id=PERSONAL, token_hash="x", created_at=made, expires_at=expires_at)
    )

    found = await store.tokens.find("x", longest=YEAR)
    over = await store.tokens.find("x", longest=YEAR - 2 * LATER)

    assert (found, over) == (token, None)
    assert token.ends_at(YEAR) == made + YEAR


async def test_what_nobody_made_goes_to_the_one_who_adopts_it(
    store: Store, user: User, session: Session
) -> None:
    other = await store.users.create(User(name="bob"))
    theirs = await store.sessions.create(replace(session, id="theirs", user_id=other.id))
    for name, maker in (("nobodys", None), ("bobs", other.id)):
        await store.tokens.create(
            ApiToken(workspace_id=PERSONAL, token_hash=name, name=name, user_id=maker)
        )

    await store.sessions.adopt(user.id)
    await store.tokens.adopt(user.id)

    makers = {token.name: token.user_id for token in await store.tokens.list(PERSONAL)}
    assert makers == {"nobodys": user.id, "bobs": other.id}
    assert (await store.sessions.get(session.id)) == replace(session, user_id=user.id)
    assert (await store.sessions.get(theirs.id)).user_id == other.id


async def test_a_deleted_token_opens_nothing(store: Store) -> None:
    token = await store.tokens.create(ApiToken(workspace_id=PERSONAL, token_hash="x"))

    await store.tokens.delete(token.id)

    assert await store.tokens.find("x", longest=YEAR) is None
    with pytest.raises(NotFoundError, match="no token"):
        await store.tokens.delete(token.id)


async def test_a_user_goes_with_all_that_is_theirs(
    store: Store, user: User, session: Session
) -> None:
    own = await store.sessions.create(replace(session, id="own", user_id=user.id))
    await store.memberships.set(Membership(user_id=user.id, workspace_id=PERSONAL))
    await store.web_sessions.create(
        WebSession(id_hash="x", user_id=user.id, expires_at=now() + LATER)
    )
    await store.tokens.create(ApiToken(workspace_id=PERSONAL, token_hash="x", user_id=user.id))

    await store.users.delete(user.id)

    assert await store.users.count() == 0
    assert await store.memberships.of_workspace(PERSONAL) == ()
    assert (await store.web_sessions.find("x"), await store.tokens.find("x", longest=YEAR)) == (
        None,
        None,
    )
    assert (await store.sessions.list(PERSONAL, user_id=ALL)).sessions == (session,)
    with pytest.raises(NotFoundError):
        await store.sessions.get(own.id)


async def test_hashes_are_in_no_repr(user: User) -> None:
    token = ApiToken(workspace_id="w", token_hash="the-hash")
    session = WebSession(id_hash="the-hash", user_id="u", expires_at=now())

    assert "the-hash" not in repr(token) + repr(session)
    assert "argon2" not in repr(user)


async def test_an_audit_entry_is_kept_without_secrets(store: Store) -> None:
    entry = AuditEntry(
        actor="ada",
        action="provider.update",
        subject="Mine",
        workspace_id=PERSONAL,
        before={"name": "Mine", "api_key": "", "password_hash": "$argon2id$abc"},
        after={
            "key_name": "p1",
            "base_url": "https://user:hunter22@example.org/",
            "tokens": [{"token": "abc"}],
            "note": "the key is sk-abcdefghijklmnop",
        },
    )

    kept = await store.audit.add(entry)

    assert await store.audit.list(workspace_id=ALL) == (kept,)
    assert kept.before == {"name": "Mine", "api_key": "", "password_hash": "[hidden]"}
    assert kept.after == {
        "key_name": "p1",
        "base_url": "https://[hidden]@example.org/",
        "tokens": "[hidden]",
        "note": "the key is [hidden]",
    }


async def test_audit_is_listed_newest_first_by_workspace_and_time(store: Store) -> None:
    first, second, third = [
        await store.audit.add(
            AuditEntry(actor="ada", action=name, subject="x", workspace_id=workspace)
        )
        for name, workspace in (("a", PERSONAL), ("b", None), ("c", PERSONAL))
    ]

    assert await store.audit.list(workspace_id=ALL) == (third, second, first)
    assert await store.audit.list(workspace_id=PERSONAL, limit=1) == (third,)
    assert await store.audit.list(workspace_id=None) == (second,)
    assert await store.audit.list(workspace_id=ALL, before=third.at) == (second, first)


@pytest.mark.parametrize(("seconds", "is_noted"), [(50, False), (70, True)])
async def test_that_somebody_was_here_is_noted_once_a_minute(
    store: Store, user: User, seconds: int, is_noted: bool
) -> None:
    last = now() - timedelta(seconds=seconds)
    for name in ("found", "signed in"):
        await store.web_sessions.create(
            WebSession(id_hash=name, user_id=user.id, last_seen_at=last, expires_at=now() + LATER)
        )
    token = await store.tokens.create(
        ApiToken(workspace_id=PERSONAL, token_hash="x", last_used_at=last)
    )

    await store.web_sessions.find("found")
    await store.web_sessions.signed_in("signed in")
    await store.tokens.find("x", longest=YEAR)

    times = [(await store.tokens.get(token.id)).last_used_at]
    for name in ("found", "signed in"):
        seen = await store.web_sessions.find(name)
        times.append(seen.last_seen_at if seen else None)
    assert [each is not None and each > last for each in times] == [is_noted] * 3


async def test_who_is_signed_in_comes_with_their_roles(store: Store, user: User) -> None:
    other = await store.users.create(User(name="bob"))
    for name, whose, ends in (
        ("ada", user, LATER),
        ("bob", other, LATER),
        ("over", user, -LATER),
    ):
        await store.web_sessions.create(
            WebSession(id_hash=name, user_id=whose.id, expires_at=now() + ends)
        )
    team = await store.workspaces.create(Workspace(name="Team"))
    for workspace, role in ((PERSONAL, Role.ADMIN), (team.id, Role.MEMBER)):
        await store.memberships.set(Membership(user_id=user.id, workspace_id=workspace, role=role))

    found = [await store.web_sessions.signed_in(name) for name in ("ada", "bob", "over", "no")]

    roles = {PERSONAL: Role.ADMIN, team.id: Role.MEMBER}
    assert found == [
        SignedIn(user=user, roles=roles),
        SignedIn(user=other, roles={}),
        None,
        None,
    ]


async def test_a_user_is_signed_out_everywhere_and_nobody_else_is(store: Store, user: User) -> None:
    other = await store.users.create(User(name="bob"))
    for name, whose in (("a", user), ("b", user), ("c", other)):
        await store.web_sessions.create(
            WebSession(id_hash=name, user_id=whose.id, expires_at=now() + LATER)
        )

    await store.web_sessions.delete_of(user.id)

    assert [await store.web_sessions.find(name) is not None for name in "abc"] == [
        False,
        False,
        True,
    ]


async def test_what_is_removed_or_changed_has_to_be_there(store: Store, user: User) -> None:
    for attempt in (
        store.users.delete("nobody"),
        store.users.update(User(id="nobody", name="new")),
        store.users.get("nobody"),
    ):
        with pytest.raises(NotFoundError, match="no user 'nobody'"):
            await attempt
    # A name may stay as it is.
    assert await store.users.update(user) == user


@pytest.mark.parametrize("url", ["sqlite"], indirect=True)
async def test_a_hundred_entries_are_listed_unless_more_are_wanted(store: Store) -> None:
    for number in range(101):
        await store.audit.add(AuditEntry(actor="ada", action=str(number), subject="x"))

    listed = await store.audit.list(workspace_id=ALL)

    assert [each.action for each in listed] == [str(number) for number in range(100, 0, -1)]


@pytest.mark.parametrize(
    ("value", "kept"),
    [
        (None, None),
        (7, 7),
        (True, True),
        (("a", {"password": "x", "cookie": 0}), ["a", {"password": "[hidden]", "cookie": 0}]),
        ({"deep": [{"public_key": "abc"}]}, {"deep": [{"public_key": "[hidden]"}]}),
        ({"key": "abc", "key_name": "p1"}, {"key": "[hidden]", "key_name": "p1"}),
    ],
)
def test_secrets_are_hidden_wherever_they_stand(value: object, kept: object) -> None:
    assert without_secrets(value) == kept


async def test_what_is_done_to_one_token_or_browser_is_done_to_no_other(
    store: Store, user: User
) -> None:
    team = await store.workspaces.create(Workspace(name="Team"))
    mine, other = [
        await store.tokens.create(ApiToken(workspace_id=key, token_hash=key))
        for key in (PERSONAL, team.id)
    ]
    for name, ends in (("a", LATER), ("b", LATER), ("over", -LATER)):
        await store.web_sessions.create(
            WebSession(id_hash=name, user_id=user.id, expires_at=now() + ends)
        )

    assert (await store.tokens.list(PERSONAL), await store.tokens.list(team.id)) == (
        (mine,),
        (other,),
    )
    assert await store.web_sessions.delete_expired() == 1
    await store.web_sessions.delete("a")
    await store.tokens.delete(mine.id)

    assert await store.web_sessions.find("a") is None
    assert await store.web_sessions.find("b") is not None
    assert await store.tokens.list(team.id) == (other,)
    assert await store.tokens.find(team.id, longest=YEAR) == other


async def test_a_member_of_one_workspace_stays_one_of_the_others(store: Store, user: User) -> None:
    bob = await store.users.create(User(name="bob"))
    team = await store.workspaces.create(Workspace(name="Team"))
    for whose in (user, bob):
        for key in (PERSONAL, team.id):
            await store.memberships.set(Membership(user_id=whose.id, workspace_id=key))

    await store.memberships.remove(user.id, PERSONAL)
    await store.memberships.set(Membership(user_id=bob.id, workspace_id=team.id, role=Role.ADMIN))

    roles = [
        await store.memberships.role(whose.id, key)
        for whose in (user, bob)
        for key in (PERSONAL, team.id)
    ]
    assert roles == [None, Role.MEMBER, Role.MEMBER, Role.ADMIN]
    ids = [each.user_id for each in await store.memberships.of_workspace(team.id)]
    assert ids == sorted([user.id, bob.id])


async def test_users_are_listed_by_name_and_go_alone(store: Store, user: User) -> None:
    bob, abe = [await store.users.create(User(name=name)) for name in ("bob", "abe")]
    assert await store.users.list() == (abe, user, bob)
    assert await store.users.count() == 3

    await store.users.delete(bob.id)

    assert await store.users.list() == (abe, user)
    assert await store.users.by_name("bob") is None
