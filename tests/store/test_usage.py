"""What answers used, added up."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, date, datetime

from groundwire.conversation import SearchMode, Session, Status, UsageLine, Workspace
from groundwire.model import Usage
from groundwire.store import ALL, PERSONAL, Store
from tests.store.examples import READ, SEARCH, answer, question

MONDAY = datetime(2026, 3, 2, 23, 59, 59, 999_999, tzinfo=UTC)
TUESDAY = datetime(2026, 3, 3, tzinfo=UTC)
ON_MONDAY = UsageLine(
    day=date(2026, 3, 2),
    provider="anthropic",
    model="claude",
    answers=2,
    input_tokens=100,
    output_tokens=20,
    searches=1,
    client_searches=1,
    pages_read=5,
    cost_usd=0.012,
)
ON_TUESDAY = UsageLine(
    day=date(2026, 3, 3),
    provider="gemini",
    model="gemini",
    answers=1,
    input_tokens=7,
    output_tokens=0,
    searches=0,
    client_searches=0,
    pages_read=2,
    cost_usd=None,
    cost_is_partial=True,
)


async def test_usage_is_added_up_by_day_provider_and_model(store: Store, session: Session) -> None:
    whole = replace(answer(session.id), created_at=MONDAY, pages_read=5)
    silent = replace(
        whole,
        id="silent",
        usage=None,
        cost_usd=None,
        status=Status.CANCELLED,
        tool_runs=(),
        pages_read=0,
    )
    other = replace(
        whole,
        id="other",
        model="gemini",
        provider="gemini",
        created_at=TUESDAY,
        usage=Usage(input_tokens=7, fetches=2),
        cost_usd=None,
        cost_is_partial=True,
        pages_read=2,
        tool_runs=(),
    )
    for message in (whole, silent, other, replace(question(session.id), created_at=MONDAY)):
        await store.messages.add(message)

    report = await store.usage.report(
        since=date(2026, 3, 2), until=date(2026, 3, 3), workspace_id=ALL
    )

    assert report == (ON_MONDAY, ON_TUESDAY)


async def test_usage_is_of_the_days_and_the_workspace_that_were_asked_for(
    store: Store, session: Session
) -> None:
    team = await store.workspaces.create(Workspace(name="Team"))
    await store.messages.add(replace(answer(session.id), created_at=MONDAY))
    monday, tuesday = MONDAY.date(), TUESDAY.date()

    assert len(await store.usage.report(since=monday, until=monday, workspace_id=ALL)) == 1
    assert len(await store.usage.report(since=monday, until=monday, workspace_id=PERSONAL)) == 1
    assert await store.usage.report(since=tuesday, until=tuesday, workspace_id=ALL) == ()
    assert await store.usage.report(since=monday, until=monday, workspace_id=team.id) == ()


async def test_searches_that_we_ran_are_counted_apart_and_days_are_those_of_utc(
    store: Store, session: Session
) -> None:
    runs = (
        SEARCH,
        replace(SEARCH, id="second", query="more otters"),
        replace(SEARCH, id="of the provider", mode=SearchMode.HOSTED),
        replace(SEARCH, id="without words", query=""),
        READ,
    )
    first, last = datetime.min.time(), datetime.max.time()
    days = [date(2026, 3, day) for day in (1, 2, 2, 3)]
    times = [last, first, last, first]
    for day, time in zip(days, times, strict=True):
        at = datetime.combine(day, time, UTC)
        await store.messages.add(
            replace(answer(session.id), created_at=at, tool_runs=runs, usage=None)
        )

    report = await store.usage.report(since=days[1], until=days[1], workspace_id=ALL)

    assert report == (
        UsageLine(
            day=days[1],
            provider="anthropic",
            model="claude",
            answers=2,
            input_tokens=0,
            output_tokens=0,
            searches=0,
            client_searches=4,
            pages_read=0,
            cost_usd=0.024,
        ),
    )
    lines = await store.usage.report(since=days[0], until=days[3], workspace_id=PERSONAL)
    assert [(each.day, each.answers) for each in lines] == [
        (days[0], 1),
        (days[1], 2),
        (days[3], 1),
    ]
