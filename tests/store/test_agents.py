"""Agents, providers and models."""

from __future__ import annotations

from dataclasses import replace

import pytest

from groundwire.conversation import Agent, ModelRecord, ProviderRecord, Session, Workspace
from groundwire.errors import ConflictError, NotFoundError
from groundwire.store import ALL, PERSONAL, Store


async def test_an_agent_with_web_search_persists_and_loads(url: str) -> None:
    async with Store.open(url) as store:
        made = await store.agents.create(
            Agent(
                workspace_id=PERSONAL,
                name="Finder",
                description="finds",
                system_prompt="Find.",
                preferred_model_id="claude",
                temperature=0.5,
                is_built_in=True,
                web_search_enabled=True,
            )
        )

    async with Store.open(url) as store:
        assert await store.agents.get(made.id) == made
        assert await store.agents.list(PERSONAL) == (made,)


async def test_a_new_agent_does_not_search(store: Store, agent: Agent) -> None:
    assert (await store.agents.get(agent.id)).web_search_enabled is False


async def test_an_agents_switch_is_turned(store: Store, agent: Agent) -> None:
    changed = await store.agents.update(replace(agent, web_search_enabled=True))

    assert await store.agents.get(agent.id) == changed
    assert changed.web_search_enabled


async def test_an_agent_needs_a_workspace_and_a_provider_that_are_there(store: Store) -> None:
    for agent in (
        Agent(workspace_id="nowhere", name="x"),
        Agent(workspace_id=PERSONAL, name="x", preferred_provider_id="nobody"),
    ):
        with pytest.raises(NotFoundError):
            await store.agents.create(agent)


async def test_agents_of_another_workspace_are_not_listed(store: Store, agent: Agent) -> None:
    team = await store.workspaces.create(Workspace(name="Team"))

    assert await store.agents.list(team.id) == ()
    assert await store.agents.list(PERSONAL) == (agent,)


async def test_an_agent_with_sessions_stays(store: Store, agent: Agent, session: Session) -> None:
    with pytest.raises(ConflictError, match="has sessions"):
        await store.agents.delete(agent.id)

    assert await store.agents.list(PERSONAL) == (agent,)
    assert (await store.sessions.get(session.id)).agent_id == agent.id


async def test_an_agent_without_sessions_is_deleted(store: Store, agent: Agent) -> None:
    await store.agents.delete(agent.id)

    with pytest.raises(NotFoundError, match="no agent"):
        await store.agents.delete(agent.id)


async def test_a_provider_is_kept_without_its_key(store: Store) -> None:
    made = await store.providers.create(
        ProviderRecord(name="Mine", type="openai", base_url="http://127.0.0.1:8080/v1")
    )

    assert await store.providers.get(made.id) == made
    assert await store.providers.by_name("Mine") == made
    assert await store.providers.by_name("Yours") is None
    assert await store.providers.list() == (made,)


async def test_two_providers_do_not_share_a_name(store: Store) -> None:
    await store.providers.create(ProviderRecord(name="Mine", type="openai"))
    yours = await store.providers.create(ProviderRecord(name="Yours", type="openai"))

    with pytest.raises(ConflictError, match="'Mine' already"):
        await store.providers.create(ProviderRecord(name="Mine", type="gemini"))
    with pytest.raises(ConflictError, match="'Mine' already"):
        await store.providers.update(replace(yours, name="Mine"))


async def test_agents_outlive_the_provider_that_they_preferred(store: Store) -> None:
    provider = await store.providers.create(ProviderRecord(name="Mine", type="openai"))
    await store.models.replace(provider.id, [ModelRecord(provider_id=provider.id, model="m")])
    agent = await store.agents.create(
        Agent(workspace_id=PERSONAL, name="x", preferred_provider_id=provider.id)
    )

    await store.providers.delete(provider.id)

    assert (await store.agents.get(agent.id)).preferred_provider_id is None
    assert await store.models.list(ALL) == ()


async def test_models_are_replaced_as_a_whole(store: Store) -> None:
    provider = await store.providers.create(ProviderRecord(name="Mine", type="openai"))
    old, kept, new = (
        ModelRecord(provider_id=provider.id, model=name, title=name.upper())
        for name in ("a", "b", "c")
    )
    await store.models.replace(provider.id, [old, kept])

    await store.models.replace(provider.id, [new, kept, kept])

    assert await store.models.list(provider.id) == (kept, new)
    assert await store.models.list("another") == ()


async def test_models_of_a_provider_that_is_not_there_are_refused(store: Store) -> None:
    with pytest.raises(NotFoundError):
        await store.models.replace("nobody", [ModelRecord(provider_id="nobody", model="m")])


async def test_the_provider_that_becomes_the_default_is_given_back(store: Store) -> None:
    mine, yours = [
        await store.providers.create(ProviderRecord(name=name, type="openai"))
        for name in ("Mine", "Yours")
    ]
    await store.providers.set_default(yours.id)

    chosen = await store.providers.set_default(mine.id)

    assert chosen == replace(mine, is_default=True)
    assert [each.is_default for each in await store.providers.list()] == [True, False]


async def test_a_default_has_to_be_there_and_the_one_before_stays(store: Store) -> None:
    mine = await store.providers.create(ProviderRecord(name="Mine", type="openai"))
    await store.providers.set_default(mine.id)

    with pytest.raises(NotFoundError, match="no provider 'nobody'"):
        await store.providers.set_default("nobody")

    assert (await store.providers.get(mine.id)).is_default


async def test_a_provider_is_changed_at_a_new_time(store: Store) -> None:
    mine = await store.providers.create(ProviderRecord(name="Mine", type="openai"))

    changed = await store.providers.update(replace(mine, base_url="http://127.0.0.1:1/"))

    assert await store.providers.get(mine.id) == changed
    assert (changed.name, changed.base_url) == ("Mine", "http://127.0.0.1:1/")
    assert changed.updated_at > mine.updated_at
    for attempt in (
        store.providers.update(replace(mine, id="nobody", name="New")),
        store.providers.get("nobody"),
        store.providers.delete("nobody"),
    ):
        with pytest.raises(NotFoundError, match="no provider 'nobody'"):
            await attempt


async def test_a_provider_may_offer_no_models(store: Store) -> None:
    mine, yours = [
        await store.providers.create(ProviderRecord(name=name, type="openai"))
        for name in ("Mine", "Yours")
    ]
    kept = ModelRecord(provider_id=yours.id, model="a")
    await store.models.replace(yours.id, [kept])
    await store.models.replace(mine.id, [ModelRecord(provider_id=mine.id, model="b")])
    assert [each.model for each in await store.models.list(ALL)] == ["a", "b"]

    await store.models.replace(mine.id, [])

    assert await store.models.list(ALL) == (kept,)


async def test_an_agent_is_changed_at_a_new_time(store: Store, agent: Agent) -> None:
    changed = await store.agents.update(replace(agent, name="Seeker"))

    assert changed == replace(agent, name="Seeker", updated_at=changed.updated_at)
    assert changed.updated_at > agent.updated_at
    with pytest.raises(NotFoundError, match="no agent 'nobody'"):
        await store.agents.update(replace(agent, id="nobody"))


async def test_what_is_done_to_one_agent_provider_or_workspace_is_done_to_no_other(
    store: Store,
) -> None:
    team = await store.workspaces.create(Workspace(name="Team"))
    third = await store.workspaces.create(Workspace(name="Third"))
    mine, other, theirs = [
        await store.agents.create(Agent(workspace_id=key, name=name))
        for key, name in ((PERSONAL, "mine"), (PERSONAL, "other"), (team.id, "theirs"))
    ]
    first, second, last = [
        await store.providers.create(ProviderRecord(name=name, type="openai"))
        for name in ("first", "second", "last")
    ]

    changed = await store.agents.update(replace(mine, name="new"))
    renamed = await store.providers.update(replace(first, name="new"))
    moved = await store.workspaces.update(replace(third, name="new"))
    assert await store.agents.list(PERSONAL) == (changed, other)
    assert await store.providers.list() == (renamed, second, last)
    assert await store.workspaces.get(third.id) == moved
    assert await store.workspaces.get(team.id) == team

    await store.agents.delete(mine.id)
    await store.providers.delete(first.id)
    await store.workspaces.delete(third.id)
    assert await store.agents.list(PERSONAL) == (other,)
    assert await store.agents.list(team.id) == (theirs,)
    assert await store.providers.list() == (second, last)
    assert [each.id for each in await store.workspaces.list()] == [PERSONAL, team.id]
    assert await store.providers.by_name("last") == last


async def test_sessions_of_one_agent_keep_no_other_from_being_deleted(
    store: Store, agent: Agent, session: Session
) -> None:
    other = await store.agents.create(Agent(workspace_id=PERSONAL, name="Other"))

    await store.agents.delete(other.id)

    with pytest.raises(ConflictError, match=f"^the agent '{agent.id}' has sessions"):
        await store.agents.delete(agent.id)
    await store.sessions.delete(session.id)
    await store.agents.delete(agent.id)
    assert await store.agents.list(PERSONAL) == ()
