"""What was used of quotas: added by whoever counts, told with all that was there before."""

from __future__ import annotations

from datetime import date, timedelta

from groundwire.conversation.quota import QuotaUse
from groundwire.store import Store

TODAY = date(2026, 11, 18)
ONE = QuotaUse(answers=1, tokens=200, cost_usd=0.25, searches=3)
TWO = QuotaUse(answers=2, tokens=400, cost_usd=0.5, searches=6)


async def test_what_is_added_is_told_with_what_was_there(store: Store) -> None:
    first = await store.quota_uses.add(TODAY, ["user b", "user a"], ONE)
    second = await store.quota_uses.add(TODAY, ["user a", "workspace w"], ONE)

    assert first == {"user a": ONE, "user b": ONE}
    assert second == {"user a": TWO, "workspace w": ONE}
    assert await store.quota_uses.of_day(TODAY) == {**first, **second}
    assert await store.quota_uses.of_day(TODAY, ["user b", "nobody"]) == {"user b": ONE}


async def test_what_is_taken_back_was_not_used(store: Store) -> None:
    await store.quota_uses.add(TODAY, ["user a"], TWO)

    assert await store.quota_uses.add(TODAY, ["user a"], ONE.negative) == {"user a": ONE}


async def test_each_day_counts_for_itself_and_earlier_ones_can_be_forgotten(store: Store) -> None:
    days = [TODAY - timedelta(days=back) for back in (2, 1, 0)]
    for day in days:
        await store.quota_uses.add(day, ["user a", "user b"], ONE)

    await store.quota_uses.forget_before(days[1], ["user a"])

    assert [[*await store.quota_uses.of_day(day)] for day in days] == [
        ["user b"],
        ["user a", "user b"],
        ["user a", "user b"],
    ]
