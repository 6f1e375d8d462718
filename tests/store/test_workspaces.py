"""Workspaces, and the domains that they may visit."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest

from groundwire.conversation import DEFAULT_DOMAINS, Agent, Session, Workspace
from groundwire.errors import InvalidDomainsError, NotFoundError
from groundwire.store import PERSONAL, Store
from tests.store.examples import answer


async def test_a_first_start_makes_a_personal_workspace_for_the_whole_web(
    empty_url: str,
) -> None:
    async with Store.open(empty_url) as store:
        first = await store.workspaces.list()
    async with Store.open(empty_url) as store:
        second = await store.workspaces.list()

    (personal,) = first
    assert second == first
    assert personal == Workspace(
        id=PERSONAL,
        name="Personal",
        web_allowed_domains=("*",),
        has_first_library=True,
        created_at=personal.created_at,
        updated_at=personal.updated_at,
    )


async def test_a_later_workspace_has_the_default_list(store: Store) -> None:
    made = await store.workspaces.create(Workspace(name="Team"))

    kept = await store.workspaces.get(made.id)

    assert kept == made
    assert (kept.web_search_enabled, kept.web_fetch_enabled) == (True, True)
    assert kept.web_allowed_domains == DEFAULT_DOMAINS == ("help.sap.com",)


async def test_a_deleted_personal_workspace_is_not_made_again_while_there_are_others(
    url: str,
) -> None:
    async with Store.open(url) as store:
        team = await store.workspaces.create(Workspace(name="Team"))
        await store.workspaces.delete(PERSONAL)

    async with Store.open(url) as store:
        assert await store.workspaces.list() == (team,)


async def test_an_update_is_read_back_at_once(store: Store) -> None:
    made = await store.workspaces.create(Workspace(name="Team"))

    changed = await store.workspaces.update(
        replace(made, web_allowed_domains=("*.Wikipedia.org", "sap.com"), web_fetch_enabled=False)
    )

    assert await store.workspaces.get(made.id) == changed
    assert changed.web_allowed_domains == ("*.wikipedia.org", "sap.com")
    assert changed.updated_at > made.updated_at


async def test_a_workspace_may_have_no_domain_at_all(store: Store) -> None:
    made = await store.workspaces.create(Workspace(name="Closed", web_allowed_domains=()))

    assert (await store.workspaces.get(made.id)).web_allowed_domains == ()


BAD = ("https://sap.com", "good.org", "bücher.de", "a.*.org", "-a.org", "")
PROBLEMS = (
    ("https://sap.com", "'https://sap.com' has a scheme: write sap.com"),
    ("bücher.de", "'bücher.de' is not ASCII: write xn--bcher-kva.de"),
    ("a.*.org", "'a.*.org' has a * elsewhere than in front: write *.example.com"),
    ("-a.org", "'-a.org' has the part '-a', which begins or ends with a hyphen"),
    ("", "'' is empty: write a domain such as example.com"),
)


async def test_bad_domains_are_refused_with_a_reason_each_on_create(store: Store) -> None:
    with pytest.raises(InvalidDomainsError) as refused:
        await store.workspaces.create(Workspace(name="Team", web_allowed_domains=BAD))

    assert refused.value.problems == PROBLEMS
    assert len(await store.workspaces.list()) == 1


async def test_bad_domains_are_refused_with_a_reason_each_on_update(store: Store) -> None:
    personal = await store.workspaces.get(PERSONAL)

    with pytest.raises(InvalidDomainsError) as refused:
        await store.workspaces.update(replace(personal, web_allowed_domains=BAD))

    assert refused.value.problems == PROBLEMS
    assert await store.workspaces.get(PERSONAL) == personal


async def test_a_workspace_goes_with_all_that_is_in_it(
    store: Store, agent: Agent, session: Session
) -> None:
    message = await store.messages.add(answer(session.id))
    team = await store.workspaces.create(Workspace(name="Team"))

    await store.workspaces.delete(PERSONAL)

    assert await store.workspaces.list() == (team,)
    assert await store.agents.list(PERSONAL) == ()
    for reading in (
        store.agents.get(agent.id),
        store.sessions.get(session.id),
        store.messages.get(message.id),
    ):
        with pytest.raises(NotFoundError):
            await reading


async def test_of_two_who_delete_the_last_two_workspaces_at_once_one_is_refused(
    store: Store,
) -> None:
    team = await store.workspaces.create(Workspace(name="Team"))

    ended = await asyncio.gather(
        *(store.workspaces.delete(key) for key in (PERSONAL, team.id)), return_exceptions=True
    )

    assert sorted(str(each) for each in ended) == [
        "None",
        "the last workspace stays: add another one first",
    ]
    assert len(await store.workspaces.list()) == 1


async def test_a_workspace_that_is_not_there_is_not_found(store: Store) -> None:
    for attempt in (
        store.workspaces.get("nowhere"),
        store.workspaces.update(Workspace(id="nowhere", name="x")),
        store.workspaces.delete("nowhere"),
    ):
        with pytest.raises(NotFoundError, match="no workspace 'nowhere'"):
            await attempt
