"""People at a provider and the users that they are here, and quotas of workspaces, as kept."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from groundwire.conversation import Membership, Role, User, Workspace, new_id
from groundwire.conversation.quota import Quota
from groundwire.errors import ConflictError
from groundwire.store import PERSONAL, Store
from groundwire.store.identities import Identity, SignOn

ISSUER = "https://login.example.org"
MEMBER = {PERSONAL: Role.MEMBER}


def identity(subject: str = "ana", *, user_id: str = "") -> Identity:
    return Identity(issuer=ISSUER, subject=subject, user_id=user_id or new_id())


async def signed_on(store: Store, subject: str = "ana", **changes: dict[str, Role]) -> SignOn:
    roles = changes.get("roles", MEMBER)
    names = [subject, f"{subject} 2"]
    return await store.identities.sign_on(
        identity(subject), names=names, roles=roles, may_create=True
    )


async def test_one_person_stays_one_user(store: Store) -> None:
    first, second = await signed_on(store), await signed_on(store)

    assert first.user is not None
    assert (first.is_new, second.is_new) == (True, False)
    assert second.user == first.user
    assert [each.subject for each in await store.identities.of_user(first.user.id)] == ["ana"]


async def test_the_same_subject_of_another_issuer_is_somebody_else(store: Store) -> None:
    mine = await signed_on(store)
    other = Identity(issuer="https://elsewhere.example", subject="ana", user_id=new_id())

    theirs = await store.identities.sign_on(
        other, names=["ana", "ana 2"], roles=MEMBER, may_create=True
    )

    assert mine.user is not None
    assert theirs.user is not None
    assert (mine.user.name, theirs.user.name) == ("ana", "ana 2")


async def test_nobody_is_made_where_nobody_may_be(store: Store) -> None:
    done = await store.identities.sign_on(identity(), names=["ana"], roles=MEMBER, may_create=False)

    assert done == SignOn()
    assert await store.users.list() == ()


async def test_a_name_that_is_taken_is_nobody_elses(store: Store) -> None:
    ana = await store.users.create(User(name="ana", password_hash="$argon2id$x"))
    with pytest.raises(ConflictError, match="'ana' is taken"):
        await store.identities.sign_on(identity(), names=["ana"], roles=MEMBER, may_create=True)

    assert await store.users.list() == (ana,)
    assert await store.identities.of_user(ana.id) == ()


async def test_groups_take_away_only_what_they_gave(store: Store) -> None:
    lab = await store.workspaces.create(Workspace(name="Lab"))
    done = await signed_on(store, roles={PERSONAL: Role.MEMBER, lab.id: Role.MEMBER})
    assert done.user is not None
    by_hand = Membership(user_id=done.user.id, workspace_id=lab.id, role=Role.ADMIN)
    await store.memberships.set(by_hand)

    after = await signed_on(store, roles={})

    assert (after.before, after.after, after.has_access) == (MEMBER, {}, True)
    assert await store.memberships.role(done.user.id, PERSONAL) is None
    assert await store.memberships.of_workspace(lab.id) == (by_hand,)


async def test_an_identity_goes_with_its_user(store: Store) -> None:
    done = await signed_on(store)
    assert done.user is not None

    await store.users.delete(done.user.id)

    assert await store.identities.of_user(done.user.id) == ()
    assert (await signed_on(store)).is_new


async def test_an_identity_is_linked_once_and_to_one_user(store: Store) -> None:
    ada, bob = [await store.users.create(User(name=name)) for name in ("ada", "bob")]
    for _ in range(2):
        await store.identities.link(identity(user_id=ada.id))

    with pytest.raises(ConflictError, match="another user"):
        await store.identities.link(identity(user_id=bob.id))

    assert (await signed_on(store)).user == ada


async def test_of_many_first_sign_ins_at_once_one_makes_the_user(store: Store) -> None:
    done = await asyncio.gather(*(signed_on(store) for _ in range(8)), return_exceptions=True)

    made = [each for each in done if isinstance(each, SignOn) and each.is_new]
    assert len(made) == 1
    assert all(isinstance(each, SignOn | ConflictError) for each in done)
    assert [user.name for user in await store.users.list()] == ["ana"]


async def test_quotas_of_a_workspace_come_back_as_they_were(store: Store) -> None:
    quota = Quota(answers=5, cost_usd=0.25, searches=0)
    made = await store.workspaces.create(Workspace(name="Lab", quotas=quota))

    assert (await store.workspaces.get(made.id)).quotas == quota
    assert (await store.workspaces.get(PERSONAL)).quotas == Quota()


async def test_what_the_provider_says_of_a_persons_address_is_kept_anew(store: Store) -> None:
    first, second = [
        await store.identities.sign_on(
            replace(identity(), email=email), names=["ana"], roles=MEMBER, may_create=True
        )
        for email in ("old@example.org", "new@example.org")
    ]

    assert first.user is not None
    assert second.user == first.user
    (kept,) = await store.identities.of_user(first.user.id)
    assert kept.email == "new@example.org"
    assert kept.signed_in_at > kept.created_at


async def test_groups_change_the_roles_that_they_gave_and_no_others(store: Store) -> None:
    lab = await store.workspaces.create(Workspace(name="Lab"))
    done = await signed_on(store, roles={PERSONAL: Role.MEMBER})
    other = await signed_on(store, "bob")
    assert done.user is not None
    assert other.user is not None
    by_hand = Membership(user_id=done.user.id, workspace_id=lab.id, role=Role.ADMIN)
    await store.memberships.set(by_hand)

    roles = {PERSONAL: Role.ADMIN, lab.id: Role.MEMBER}
    after = await signed_on(store, roles=roles)

    assert (after.before, after.after) == (MEMBER, roles)
    assert await store.memberships.role(done.user.id, PERSONAL) is Role.ADMIN
    assert await store.memberships.of_workspace(lab.id) == (by_hand,)
    await signed_on(store, roles={})
    assert await store.memberships.role(done.user.id, PERSONAL) is None
    assert await store.memberships.role(other.user.id, PERSONAL) is Role.MEMBER


async def test_who_is_in_a_workspace_or_the_owner_has_access(store: Store) -> None:
    by_groups = await signed_on(store)
    nowhere = await signed_on(store, "bob", roles={})
    assert nowhere.user is not None
    assert (by_groups.has_access, nowhere.has_access) == (True, False)
    assert (by_groups.before, by_groups.after) == ({}, MEMBER)

    by_hand = Membership(user_id=nowhere.user.id, workspace_id=PERSONAL)
    await store.memberships.set(by_hand)
    assert (await signed_on(store, "bob", roles={})).has_access

    await store.memberships.remove(nowhere.user.id, PERSONAL)
    await store.users.update(replace(nowhere.user, is_owner=True))
    assert (await signed_on(store, "bob", roles={})).has_access


async def test_of_several_names_that_are_all_taken_the_first_is_told(store: Store) -> None:
    for name in ("ana", "ana 2"):
        await store.users.create(User(name=name))

    with pytest.raises(ConflictError, match=r"^the name 'ana' is taken: ask an admin to free it$"):
        await signed_on(store)


async def test_a_sign_in_of_somebody_unknown_comes_to_nothing(store: Store) -> None:
    done = await store.identities.sign_on(identity(), names=["ana"], roles=MEMBER, may_create=False)

    assert (done.user, done.is_new, done.has_access) == (None, False, False)
    assert (done.before, done.after) == ({}, {})


async def test_a_sign_in_changes_nothing_of_another_identity(store: Store) -> None:
    mine = await signed_on(store)
    assert mine.user is not None
    other = Identity(
        issuer="https://elsewhere.example", subject="ana", user_id=mine.user.id, email="a@b.example"
    )
    bob = replace(identity("bob"), user_id=mine.user.id, email="bob@b.example")
    for each in (other, bob):
        await store.identities.link(each)

    await store.identities.sign_on(
        replace(identity(), email="new@b.example"), names=["ana"], roles=MEMBER, may_create=True
    )

    kept = {
        (each.issuer, each.subject): each for each in await store.identities.of_user(mine.user.id)
    }
    assert kept[other.issuer, "ana"] == other
    assert kept[ISSUER, "bob"] == bob
    assert kept[ISSUER, "ana"].email == "new@b.example"
