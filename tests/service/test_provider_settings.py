"""Where providers are configured: for the owner alone, with who did what in the audit."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from dataclasses import replace
from pathlib import Path

import pytest

import groundwire
from groundwire import Keys, Settings
from groundwire.conversation import ProviderRecord
from groundwire.errors import ForbiddenError
from groundwire.model import Secret
from groundwire.service.actor import OWNER, Actor
from groundwire.service.agent_tools import provider_tools
from groundwire.service.program import Groundwire
from groundwire.service.provider_settings import ProviderSettings
from groundwire.store import ALL

MONA = Actor(name="mona", is_owner=False)
RECORD = ProviderRecord(id="p1", name="Mine", type="openai", base_url="http://127.0.0.1:9/v1")
# Of every public method what is done with it; those that read are for everybody.
READS = {"list", "get", "key_place"}
CHANGES: dict[str, Callable[[ProviderSettings], Awaitable[object]]] = {
    "add": lambda provider_settings: provider_settings.add(
        replace(RECORD, id="p2", name="Another")
    ),
    "update": lambda provider_settings: provider_settings.update(
        replace(RECORD, base_url="http://127.0.0.1:8/v1")
    ),
    "remove": lambda provider_settings: provider_settings.remove(RECORD),
    "set_key": lambda provider_settings: provider_settings.set_key(RECORD, Secret("k")),
    "remove_key": lambda provider_settings: provider_settings.remove_key(RECORD),
    "test": lambda provider_settings: provider_settings.test(RECORD),
    "fetch_models": lambda provider_settings: provider_settings.fetch_models(RECORD),
    "set_default": lambda provider_settings: provider_settings.set_default(RECORD),
    "set_default_model": lambda provider_settings: provider_settings.set_default_model(RECORD, "m"),
}


@pytest.fixture
async def program(tmp_path: Path) -> AsyncIterator[Groundwire]:
    keys = Keys(
        environment={"PROVIDER_KEY_P1": "of-the-environment"},
        dotenv=tmp_path / ".env",
        file=tmp_path / "keys.json",
    )
    database = str(tmp_path / "desk.sqlite3")
    async with groundwire.open(settings=Settings(), keys=keys, database=database) as program:
        await program.store.providers.create(RECORD)
        yield program


def test_every_method_of_the_desk_is_for_all_or_for_the_owner() -> None:
    methods = {name for name in vars(ProviderSettings) if not name.startswith("_")}

    assert methods == READS | {*CHANGES}


@pytest.mark.parametrize("name", CHANGES)
async def test_what_changes_a_provider_is_for_the_owner_alone(
    program: Groundwire, name: str
) -> None:
    with pytest.raises(ForbiddenError, match="only the owner"):
        await CHANGES[name](program.provider_settings_of(MONA))

    assert await program.store.providers.list() == (RECORD,)
    assert await program.store.audit.list(workspace_id=ALL) == ()


async def test_a_change_is_noted_with_who_made_it(program: Groundwire) -> None:
    olga = program.provider_settings_of(Actor(name="olga", is_owner=True))

    for name in ("add", "update", "set_key", "remove_key", "set_default_model", "remove"):
        await CHANGES[name](olga)

    entries = reversed(await program.store.audit.list(workspace_id=ALL))
    assert [(each.actor, each.action, each.subject) for each in entries] == [
        ("olga", "added", "provider Another"),
        ("olga", "changed", "provider Mine"),
        ("olga", "set the key of", "provider Mine"),
        ("olga", "removed the key of", "provider Mine"),
        # The address goes back to the one of the record as it was.
        ("olga", "changed", "provider Mine"),
        ("olga", "removed", "provider Mine"),
    ]


async def test_only_the_owner_gets_the_tools(program: Groundwire) -> None:
    assert provider_tools(program.provider_settings_of(MONA)) == ()
    assert len(provider_tools(program.provider_settings_of(OWNER))) == 3


async def test_a_key_of_the_environment_does_not_follow_to_another_address(
    program: Groundwire,
) -> None:
    """It cannot be removed; with another address it is not looked for."""
    before = await program.provider_settings.key_place(RECORD)

    moved = await program.provider_settings.update(
        replace(RECORD, base_url="http://127.0.0.1:8/v1")
    )
    # Whoever still has the record as it was brings the key's old name along.
    stale = await program.provider_settings.update(
        replace(RECORD, base_url=moved.base_url, name="Renamed")
    )
    back = await program.provider_settings.update(replace(moved, base_url=RECORD.base_url))

    assert before == "environment"
    assert [await program.provider_settings.key_place(each) for each in (moved, stale, back)] == [
        ""
    ] * 3
    assert program.chooser.of_record(moved).endpoint.access.key is None
