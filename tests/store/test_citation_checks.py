"""What citations came to is kept with the message, and what is open belongs to one process."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy import insert, update

from groundwire.checks.records import CheckRecord, SourcePage
from groundwire.conversation import Agent, ChatMessage, ChecksState, Session, Status
from groundwire.errors import NotFoundError
from groundwire.model import Usage
from groundwire.store import PERSONAL, Store, tables
from tests.store.examples import answer, beginning

WHEN = datetime(2026, 11, 17, 8, 30, tzinfo=UTC)


def _check(message: ChatMessage, position: int = 18, number: int = 1) -> CheckRecord:
    data = {"claim": "Otters hold hands."}
    return CheckRecord(
        message_id=message.id, position=position, number=number, data=data, checked_at=WHEN
    )


def _page(message: ChatMessage, text: str = "# Otter\n\nOtters hold hands.") -> SourcePage:
    return SourcePage(
        message_id=message.id,
        number=1,
        url="https://example.org/otter",
        title="Otter",
        text=text,
        text_hash="cafe",
        read_at=WHEN,
    )


async def _pending(store: Store, session: Session) -> ChatMessage:
    """Return an answer whose checks are open, here."""
    message = await store.messages.add(beginning(session.id))
    ended = replace(message, status=Status.COMPLETE, checks_state=ChecksState.PENDING)
    await store.messages.save(ended)
    return ended


async def _leave_to(store: Store, message: ChatMessage, owner: str) -> None:
    changed = update(tables.messages).where(tables.messages.c.id == message.id)
    await store._database.write(
        lambda connection: connection.execute(changed.values(checks_owner=owner))
    )


async def test_checks_and_pages_come_back_as_they_were_given(
    store: Store, session: Session
) -> None:
    message = await _pending(store, session)
    checks = [_check(message, 18, 2), _check(message, 18, 1), _check(message, 4, 1)]

    await store.citation_checks.save(checks, [_page(message)])

    kept = await store.citation_checks.of_message(message.id)
    assert kept == (checks[2], checks[1], checks[0])
    assert await store.citation_checks.of_session(session.id) == {message.id: [*kept]}
    assert await store.citation_checks.page(message.id, 1) == _page(message)


async def test_a_check_takes_the_place_of_an_earlier_one(store: Store, session: Session) -> None:
    message = await _pending(store, session)
    await store.citation_checks.save([_check(message)], [_page(message)])
    newer = replace(_check(message), data={"claim": "They do."})

    await store.citation_checks.save([newer], [_page(message, "Gone.")])

    assert await store.citation_checks.of_message(message.id) == (newer,)
    assert (await store.citation_checks.page(message.id, 1)).text == "Gone."


async def test_text_that_no_database_can_hold_keeps_its_places(
    store: Store, session: Session
) -> None:
    message = await _pending(store, session)

    await store.citation_checks.save([], [_page(message, "a\x00b\ud83dc")])

    assert (await store.citation_checks.page(message.id, 1)).text == "a\ufffdb\ufffdc"


async def test_checks_go_with_their_session(store: Store, session: Session) -> None:
    message = await _pending(store, session)
    await store.citation_checks.save([_check(message)], [_page(message)])

    await store.sessions.delete(session.id)

    assert await store.citation_checks.of_message(message.id) == ()
    assert await store.citation_checks.pages(message.id) == ()


async def test_a_check_of_a_message_that_is_gone_is_refused(store: Store, session: Session) -> None:
    message = await _pending(store, session)
    await store.sessions.delete(session.id)

    with pytest.raises(NotFoundError):
        await store.citation_checks.save([_check(message)])


async def test_a_page_that_was_not_read_is_not_found(store: Store, session: Session) -> None:
    message = await _pending(store, session)

    with pytest.raises(NotFoundError):
        await store.citation_checks.page(message.id, 1)


async def test_the_state_of_checks_is_kept_with_the_end_of_the_answer(
    store: Store, session: Session
) -> None:
    message = await _pending(store, session)
    before = (await store.messages.get(message.id)).checks_state

    await store.citation_checks.finish(message.id)

    kept = await store.messages.get(message.id)
    assert (before, kept.checks_state) == (ChecksState.PENDING, ChecksState.DONE)
    assert kept.updated_at == message.updated_at


async def test_to_begin_again_forgets_checks_and_keeps_pages(
    store: Store, session: Session
) -> None:
    message = await _pending(store, session)
    await store.citation_checks.save([_check(message)], [_page(message)])
    await store.citation_checks.finish(message.id)

    await store.citation_checks.begin_again(message.id)

    assert (await store.messages.get(message.id)).checks_state is ChecksState.AGAIN
    assert await store.citation_checks.of_message(message.id) == ()
    assert await store.citation_checks.pages(message.id) == (_page(message),)


async def test_open_checks_of_a_living_process_are_left_to_it(
    store: Store, session: Session, url: str
) -> None:
    await _pending(store, session)

    async with Store.open(url) as other:
        assert await other.citation_checks.claim(limit=20) == ()


async def test_open_checks_of_a_process_that_is_gone_are_taken_over_once(
    store: Store, session: Session, url: str
) -> None:
    messages = [await _pending(store, session) for _ in range(5)]
    for message in messages:
        await _leave_to(store, message, "gone")

    async with Store.open(url) as other:
        taken = await asyncio.gather(
            store.citation_checks.claim(limit=20), other.citation_checks.claim(limit=20)
        )

    assert sorted([*taken[0], *taken[1]]) == sorted(message.id for message in messages)


async def test_what_a_process_left_open_when_it_closed_is_taken_over(
    store: Store, session: Session, url: str
) -> None:
    async with Store.open(url) as other:
        message = await _pending(other, session)

    assert await store.citation_checks.claim(limit=20) == (message.id,)


async def test_what_is_being_compared_here_is_not_taken_again(
    store: Store, session: Session
) -> None:
    message = await _pending(store, session)

    assert await store.citation_checks.claim(busy=[message.id], limit=20) == ()
    assert await store.citation_checks.claim(limit=20) == (message.id,)


async def test_only_ended_answers_with_open_checks_are_taken(
    store: Store, session: Session
) -> None:
    await store.messages.add(answer(session.id))
    done = await _pending(store, session)
    await store.citation_checks.finish(done.id)
    streaming = await store.messages.add(beginning(session.id))
    await store.messages.save(replace(streaming, checks_state=ChecksState.PENDING))

    assert await store.citation_checks.claim(limit=20) == ()


async def test_a_process_whose_lease_runs_elsewhere_keeps_its_checks(
    store: Store, session: Session
) -> None:
    message = await _pending(store, session)
    row = {"id": "there", "machine": "elsewhere", "process": 1, "expires_at": 1e12}
    await store._database.write(lambda connection: connection.execute(insert(tables.owners), row))
    await _leave_to(store, message, "there")

    assert await store.citation_checks.claim(limit=20) == ()


async def test_what_a_judge_used_is_added_to_what_the_message_did(
    store: Store, session: Session
) -> None:
    message = await store.messages.add(
        replace(answer(session.id), usage=Usage(input_tokens=10, output_tokens=None), cost_usd=0.5)
    )

    for usage, cost in ((Usage(input_tokens=3, output_tokens=2), 0.25), (Usage(), None)):
        await store.citation_checks.spend(message.id, usage, cost, is_partial=cost is None)

    kept = await store.messages.get(message.id)
    assert kept.usage == Usage(input_tokens=13, output_tokens=2)
    assert (kept.cost_usd, kept.cost_is_partial) == (0.75, True)


async def test_what_a_judge_cost_is_all_that_a_message_cost_whose_price_nobody_knew(
    store: Store, session: Session
) -> None:
    message = await store.messages.add(replace(answer(session.id), cost_usd=None, usage=Usage()))

    await store.citation_checks.spend(message.id, Usage(input_tokens=3), 0.25, is_partial=False)

    kept = await store.messages.get(message.id)
    assert (kept.cost_usd, kept.usage) == (0.25, Usage(input_tokens=3))


async def test_what_is_done_to_the_checks_of_one_message_is_done_to_no_other(
    store: Store, agent: Agent, session: Session
) -> None:
    elsewhere = await store.sessions.create(Session(workspace_id=PERSONAL, agent_id=agent.id))
    mine, other = [await _pending(store, session) for _ in range(2)]
    theirs = await _pending(store, elsewhere)
    for each in (mine, other, theirs):
        await store.citation_checks.save([_check(each)], [_page(each, each.id)])

    await store.citation_checks.finish(mine.id)
    await store.citation_checks.spend(mine.id, Usage(output_tokens=5), 0.5, is_partial=True)
    await store.citation_checks.begin_again(mine.id)

    kept = [await store.messages.get(each.id) for each in (mine, other, theirs)]
    assert [each.checks_state for each in kept] == [
        ChecksState.AGAIN,
        ChecksState.PENDING,
        ChecksState.PENDING,
    ]
    assert kept[1:] == [other, theirs]
    assert (kept[0].usage, kept[0].cost_usd, kept[0].cost_is_partial) == (
        Usage(output_tokens=5),
        0.5,
        True,
    )
    assert await store.citation_checks.of_session(session.id) == {other.id: [_check(other)]}
    assert await store.citation_checks.of_message(theirs.id) == (_check(theirs),)
    assert [await store.citation_checks.pages(each.id) for each in (mine, theirs)] == [
        (_page(mine, mine.id),),
        (_page(theirs, theirs.id),),
    ]


async def test_a_page_is_found_by_its_number(store: Store, session: Session) -> None:
    message = await _pending(store, session)
    pages = [replace(_page(message, f"page {number}"), number=number) for number in (3, 1, 2)]
    await store.citation_checks.save([], pages)

    assert await store.citation_checks.pages(message.id) == (pages[1], pages[2], pages[0])
    for each in pages:
        assert await store.citation_checks.page(message.id, each.number) == each
    with pytest.raises(NotFoundError, match=f"no page of source '4 of {message.id}'"):
        await store.citation_checks.page(message.id, 4)


async def test_the_oldest_open_checks_are_taken_first_and_no_more_than_wanted(
    store: Store, session: Session
) -> None:
    messages = []
    for day in (3, 1, 2):
        message = replace(
            beginning(session.id), status=Status.COMPLETE, checks_state=ChecksState.PENDING
        )
        messages.append(
            await store.messages.add(replace(message, created_at=WHEN.replace(day=day)))
        )
    for each in messages:
        await _leave_to(store, each, "gone")

    taken = await store.citation_checks.claim(limit=2)

    assert sorted(taken) == sorted([messages[1].id, messages[2].id])
    rest = await store.citation_checks.claim(busy=taken, limit=2)
    assert rest == (messages[0].id,)


@pytest.mark.parametrize(
    ("used", "cost", "is_partial", "expected"),
    [
        (
            Usage(input_tokens=3),
            None,
            False,
            (Usage(input_tokens=13, output_tokens=20), 0.5, False),
        ),
        (
            Usage(output_tokens=4),
            0.0,
            False,
            (Usage(input_tokens=10, output_tokens=24), 0.5, False),
        ),
        (Usage(searches=9), 0.25, False, (Usage(input_tokens=10, output_tokens=20), 0.75, False)),
        (Usage(), None, True, (Usage(input_tokens=10, output_tokens=20), 0.5, True)),
        (Usage(), None, False, (Usage(input_tokens=10, output_tokens=20), 0.5, False)),
    ],
)
async def test_tokens_and_cost_of_a_judge_are_added_and_nothing_else(
    store: Store,
    session: Session,
    used: Usage,
    cost: float | None,
    is_partial: bool,
    expected: tuple[Usage, float, bool],
) -> None:
    mine, other = [
        await store.messages.add(
            replace(
                answer(session.id),
                usage=Usage(input_tokens=10, output_tokens=20),
                cost_usd=0.5,
            )
        )
        for _ in range(2)
    ]

    await store.citation_checks.spend(mine.id, used, cost, is_partial=is_partial)

    kept = await store.messages.get(mine.id)
    assert (kept.usage, kept.cost_usd, kept.cost_is_partial) == expected
    assert await store.messages.get(other.id) == other
