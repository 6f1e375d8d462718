"""Quotas: the rule, the day, and many who want the last answer at once, on both databases."""

from __future__ import annotations

import asyncio
from datetime import UTC, date, datetime, timedelta

import pytest
from bench.statements import counted as statements_of

from groundwire import Settings
from groundwire.chat.quotas import QuotaHolder
from groundwire.config.settings.quota_tables import QuotaSettings
from groundwire.conversation import Workspace
from groundwire.conversation.quota import NAMES, Quota, QuotaLevel, QuotaUse, Wish, refused
from groundwire.errors import QuotaExceededError
from groundwire.model import Json
from groundwire.service.counted_tools import WISHES
from groundwire.service.quotas import StoredQuotas
from groundwire.store import Store
from tests.store.conftest import cleared, store, url

__all__ = ["cleared", "store", "url"]

NOON = datetime(2026, 3, 4, 12, tzinfo=UTC)
ANSWER = Wish(answers=1, asks_model=True, may_search=True)
ANA = QuotaHolder(user_id="ana")


def quotas(store: Store, *, at: datetime = NOON, **tables: Json) -> StoredQuotas:
    settings = QuotaSettings.model_validate(tables)
    return StoredQuotas(lambda: settings, store.quota_uses, clock=lambda: at)


async def test_of_many_at_once_no_more_get_in_than_may(store: Store) -> None:
    limited = quotas(store, user={"answers": 5})

    replies = await asyncio.gather(
        *(limited.admit(ANA, ANSWER) for _ in range(40)), return_exceptions=True
    )

    refusals = [each for each in replies if isinstance(each, QuotaExceededError)]
    assert replies.count(None) == 5
    assert len(refusals) == 35
    assert {(each.quota, each.limit) for each in refusals} == {("user.answers", 5)}
    used = await store.quota_uses.of_day(NOON.date())
    assert used == {"user ana": QuotaUse(answers=5)}


async def test_whom_another_quota_refuses_takes_nothing_from_a_workspace(store: Store) -> None:
    team = Workspace(name="Team", quotas=Quota(answers=6))
    limited = quotas(store, user={"answers": 2})
    people = [QuotaHolder(user_id=f"u{n}", workspace=team) for n in range(3)]

    replies = await asyncio.gather(
        *(limited.admit(each, ANSWER) for each in people for _ in range(10)),
        return_exceptions=True,
    )

    assert replies.count(None) == 6
    used = await store.quota_uses.of_day(NOON.date())
    assert used[f"workspace {team.id}"] == QuotaUse(answers=6)
    assert [used[f"user u{n}"].answers for n in range(3)] == [2, 2, 2]


async def test_a_refusal_says_which_quota_how_much_and_until_when(store: Store) -> None:
    limited = quotas(store, user={"cost_usd": 0.5})
    await limited.add(ANA, QuotaUse(tokens=10, cost_usd=0.52))

    with pytest.raises(QuotaExceededError) as caught:
        await limited.admit(ANA, ANSWER)

    assert str(caught.value) == (
        "your quota of $0.50 a day is used up: it begins anew at 00:00 UTC, and the owner of this "
        "server can raise it"
    )
    assert caught.value.retry_after_seconds == 12 * 3600
    assert (caught.value.quota, caught.value.used) == ("user.cost_usd", 0.52)


async def test_a_day_ends_at_midnight_of_utc_and_what_was_before_is_forgotten(
    store: Store,
) -> None:
    last = datetime(2026, 3, 4, 23, 59, 59, tzinfo=UTC)
    await quotas(store, at=last, user={"answers": 1}).admit(ANA, ANSWER)
    with pytest.raises(QuotaExceededError) as caught:
        await quotas(store, at=last, user={"answers": 1}).admit(ANA, ANSWER)

    await quotas(store, at=last + timedelta(seconds=1), user={"answers": 1}).admit(ANA, ANSWER)

    assert caught.value.retry_after_seconds == 1
    assert await store.quota_uses.of_day(date(2026, 3, 4)) == {}
    assert await store.quota_uses.of_day(date(2026, 3, 5)) == {"user ana": QuotaUse(answers=1)}


@pytest.mark.parametrize(
    ("tables", "admitting"),
    [
        ({"user": {"answers": 9}}, 1),
        ({"workspace": {"tokens": 9_000, "cost_usd": 5.0}}, 1),
        ({"user": {"answers": 9}, "workspace": {"tokens": 9_000}}, 2),
    ],
)
async def test_letting_in_is_a_statement_for_each_kind_and_counting_one(
    store: Store, tables: Json, admitting: int
) -> None:
    limited = quotas(store, **tables)
    holder = QuotaHolder(user_id="ana", workspace=Workspace(name="Team"))
    await limited.admit(holder, ANSWER)
    await limited.add(holder, QuotaUse(tokens=1))

    with statements_of() as statements:
        await limited.admit(holder, ANSWER)
        await limited.add(holder, QuotaUse(tokens=5))

    assert dict(statements) == {"INSERT quota_uses": admitting + 1}


async def test_without_a_quota_nothing_is_asked_of_the_database(store: Store) -> None:
    free = quotas(store)

    with statements_of() as statements:
        await free.admit(ANA, ANSWER)
        await free.add(ANA, QuotaUse(tokens=5))
        levels = await free.levels(ANA)

    assert (dict(statements), levels) == ({}, ())


async def test_a_workspace_can_have_its_own_quotas_and_none(store: Store) -> None:
    limited = quotas(store, workspace={"answers": 10, "searches": 3})
    own = Workspace(name="Own", quotas=Quota(answers=1, searches=0))

    found = await limited.levels(QuotaHolder(workspace=own))

    assert [(each.whose, each.quota, each.limit) for each in found] == [("workspace", "answers", 1)]


async def test_standings_are_near_from_four_fifths_on(store: Store) -> None:
    limited = quotas(store, user={"tokens": 1_000})
    found: list[QuotaLevel] = []
    for _ in range(5):
        await limited.add(ANA, QuotaUse(tokens=200))
        found += await limited.levels(ANA)

    assert [each.is_near for each in found] == [False, False, False, True, True]
    assert found[-1].words == "You have used 1,000 of 1,000 tokens today"


@pytest.mark.parametrize(
    ("wish", "expected"),
    [
        (ANSWER, NAMES),
        (Wish(answers=1, asks_model=True), ("answers", "tokens", "cost_usd")),
        (Wish(asks_model=True, may_search=True), ("tokens", "cost_usd", "searches")),
        (Wish(searches=1), ("searches",)),
    ],
)
def test_a_wish_is_held_against_the_quotas_that_it_uses(
    wish: Wish, expected: tuple[str, ...]
) -> None:
    full = QuotaUse(answers=1 + wish.answers, tokens=1, cost_usd=1, searches=1 + wish.searches)

    against = [name for name in NAMES if refused(Quota(**{name: 1}), full, wish)]

    assert tuple(against) == expected


def test_the_last_of_a_quota_can_be_used() -> None:
    assert refused(Quota(answers=3), QuotaUse(answers=3), ANSWER) is None
    assert refused(Quota(searches=3), QuotaUse(searches=3), Wish(searches=1)) is None
    assert refused(Quota(tokens=3), QuotaUse(tokens=2), ANSWER) is None


def test_every_number_has_words() -> None:
    reset = NOON + timedelta(hours=12)
    said = [
        QuotaLevel(whose="workspace", quota=name, limit=20, used=1, resets_at=reset).words
        for name in NAMES
    ]

    assert said == [
        "This workspace has used 1 of 20 answers today",
        "This workspace has used 1 of 20 tokens today",
        "This workspace has used $1.00 of $20.00 today",
        "This workspace has used 1 of 20 searches today",
    ]


def test_every_tool_over_mcp_says_what_it_counts_as() -> None:
    from groundwire import service  # noqa: PLC0415 - as the command does
    from groundwire.client import Client  # noqa: PLC0415
    from groundwire.config.keys import Keys  # noqa: PLC0415

    settings, keys = Settings(), Keys(environment={})
    tools = service.tools(keys, service.search_context(settings, keys, Client(settings.network)))

    assert {tool.name for tool in tools} == {*WISHES}
