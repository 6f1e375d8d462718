"""Messages are kept whole, in order, once each."""

from __future__ import annotations

import asyncio
from dataclasses import replace

import pytest
from sqlalchemy import text

from groundwire.citations import Marked
from groundwire.conversation import (
    Agent,
    ChatMessage,
    Choices,
    Session,
    Status,
    TurnState,
    new_id,
)
from groundwire.errors import ConflictError, NotFoundError
from groundwire.model import Attachment, Usage
from groundwire.store import ALL, PERSONAL, Store
from tests.store.examples import (
    FIRST_ROUND,
    OTTER,
    READ,
    SEARCH,
    STATE,
    answer,
    beginning,
    question,
)


async def test_a_message_comes_back_as_it_was_given(store: Store, session: Session) -> None:
    given = answer(session.id)

    await store.messages.add(given)

    assert await store.messages.get(given.id) == given
    assert await store.messages.history(session.id) == (given,)


async def test_messages_keep_the_order_in_which_they_were_added(
    store: Store, session: Session
) -> None:
    first = question(session.id, "one")
    # A clock that was set back does not change what came after what.
    second = replace(question(session.id, "two"), created_at=first.created_at.replace(year=2000))

    await store.messages.add(first)
    await store.messages.add(second)

    assert await store.messages.history(session.id) == (first, second)


async def test_many_senders_at_once_get_one_place_each(store: Store, session: Session) -> None:
    messages = [question(session.id, str(number)) for number in range(20)]

    await asyncio.gather(*map(store.messages.add, messages))

    kept = await store.messages.history(session.id)
    assert sorted(kept, key=lambda message: message.id) == sorted(
        messages, key=lambda message: message.id
    )


async def test_a_message_sent_again_is_the_same_message(store: Store, session: Session) -> None:
    first = replace(question(session.id), client_id="sent-1")
    again = replace(question(session.id, "another text"), client_id="sent-1")

    await store.messages.add(first)
    kept = await store.messages.add(again)

    assert kept == first
    assert await store.messages.history(session.id) == (first,)
    assert await store.messages.by_client_id(session.id, "sent-1") == first
    assert await store.messages.by_client_id(session.id, "sent-2") is None


async def test_a_message_sent_twice_at_once_is_kept_once(store: Store, session: Session) -> None:
    sent = [replace(question(session.id), client_id="sent-1") for _ in range(10)]

    kept = await asyncio.gather(*map(store.messages.add, sent))

    assert len({message.id for message in kept}) == 1
    assert await store.messages.history(session.id) == (kept[0],)


async def test_a_turn_begins_with_both_messages(store: Store, session: Session) -> None:
    asked = replace(question(session.id), client_id="sent-1")
    begun = replace(beginning(session.id), parent_id=asked.id)

    await store.messages.begin(asked, begun)

    assert await store.messages.history(session.id) == (asked, begun)


async def test_a_turn_whose_question_was_sent_before_does_not_begin(
    store: Store, session: Session
) -> None:
    asked = await store.messages.add(replace(question(session.id), client_id="sent-1"))
    again = replace(question(session.id), client_id="sent-1")

    with pytest.raises(ConflictError, match=f"sent before, as '{asked.id}'"):
        await store.messages.begin(again, beginning(session.id))

    assert await store.messages.history(session.id) == (asked,)


async def test_a_turn_begins_with_both_messages_or_none(store: Store, session: Session) -> None:
    begun = await store.messages.add(beginning(session.id))

    with pytest.raises(ConflictError) as refused:
        await store.messages.begin(question(session.id), begun)

    assert "was sent before" not in str(refused.value)
    assert await store.messages.history(session.id) == (begun,)


async def test_an_answer_is_tried_again_without_a_question(store: Store, session: Session) -> None:
    begun = beginning(session.id)

    await store.messages.begin(None, begun)

    assert await store.messages.history(session.id) == (begun,)


async def test_the_same_client_id_in_another_session_is_another_message(
    store: Store, session: Session, agent: Agent
) -> None:
    other = await store.sessions.create(Session(workspace_id=PERSONAL, agent_id=agent.id))
    here = replace(question(session.id), client_id="sent-1")
    there = replace(question(other.id), client_id="sent-1")

    await store.messages.add(here)
    await store.messages.add(there)

    assert await store.messages.by_client_id(other.id, "sent-1") == there


async def test_adding_a_message_makes_its_session_the_newest(
    store: Store, session: Session, agent: Agent
) -> None:
    newer = await store.sessions.create(Session(workspace_id=PERSONAL, agent_id=agent.id))

    await store.messages.add(question(session.id))

    listed = (await store.sessions.list(PERSONAL, user_id=ALL)).sessions
    assert [each.id for each in listed] == [session.id, newer.id]


async def test_an_update_replaces_the_whole_message(store: Store, session: Session) -> None:
    begun = await store.messages.add(beginning(session.id))
    done = replace(answer(session.id), id=begun.id, parent_id=None, created_at=begun.created_at)

    await store.messages.save(done)
    await store.messages.save(done)

    assert await store.messages.get(begun.id) == done


async def test_parts_that_an_update_leaves_out_are_gone(store: Store, session: Session) -> None:
    whole = await store.messages.add(answer(session.id))
    less = replace(whole, tool_runs=(READ,), rounds=(), attachments=(), citations=None, usage=None)

    await store.messages.save(less)

    assert await store.messages.get(whole.id) == less


async def test_parts_are_replaced_while_an_answer_grows(store: Store, session: Session) -> None:
    begun = await store.messages.add(beginning(session.id))
    running = replace(begun, tool_runs=(replace(SEARCH, status="running", output=""),))
    further = replace(running, tool_runs=(SEARCH, READ), rounds=(FIRST_ROUND,), content="Otters")
    shorter = replace(further, tool_runs=(SEARCH,))

    for state in (running, further, shorter):
        await store.messages.save(state)
        assert await store.messages.get(begun.id) == state


async def test_a_message_of_a_session_that_was_deleted_cannot_be_updated(
    store: Store, session: Session
) -> None:
    begun = await store.messages.add(beginning(session.id))
    await store.sessions.delete(session.id)

    with pytest.raises(NotFoundError, match=begun.id):
        await store.messages.save(replace(begun, tool_runs=(SEARCH,)))


async def test_a_message_cannot_be_added_to_a_session_that_is_not_there(store: Store) -> None:
    with pytest.raises(NotFoundError, match="no session 'nowhere'"):
        await store.messages.add(question("nowhere"))


async def test_an_id_is_used_once(store: Store, session: Session) -> None:
    first = await store.messages.add(question(session.id))

    with pytest.raises(ConflictError):
        await store.messages.add(replace(question(session.id, "other"), id=first.id))

    assert await store.messages.get(first.id) == first


async def test_a_message_that_is_not_there_is_not_found(store: Store) -> None:
    with pytest.raises(NotFoundError, match="no message 'nothing'"):
        await store.messages.get("nothing")


async def test_what_a_page_shows_comes_without_what_is_large(
    store: Store, session: Session
) -> None:
    whole = await store.messages.add(answer(session.id))

    shown = await store.messages.shown(session.id)

    light = replace(
        whole,
        rounds=(),
        attachments=(replace(whole.attachments[0], base64_data=""),),
        tool_runs=(replace(SEARCH, output=""), READ),
        state=replace(STATE, citations=(), known={}, pages=()),
    )
    assert shown == (light,)


async def test_an_attachment_is_read_by_its_place(store: Store, session: Session) -> None:
    whole = await store.messages.add(answer(session.id))

    attachment = await store.messages.attachment(whole.id, 0)

    assert attachment == Attachment(
        type="image", mime_type="image/png", base64_data="aGk=", file_name="a.png"
    )
    with pytest.raises(NotFoundError):
        await store.messages.attachment(whole.id, 1)


@pytest.mark.parametrize(
    ("given", "kept"),
    [
        ("a\x00b", "a\N{REPLACEMENT CHARACTER}b"),
        ("half \ud83d of a pair", "half \N{REPLACEMENT CHARACTER} of a pair"),
        ("\ud83e\udda6 in two halves", "\N{OTTER} in two halves"),
        ("\N{OTTER} ß 漢 \u202e", "\N{OTTER} ß 漢 \u202e"),
    ],
)
async def test_text_that_no_database_holds_is_kept_as_well_as_possible(
    store: Store, session: Session, given: str, kept: str
) -> None:
    message = replace(
        question(session.id, given),
        marked=Marked(text=given),
        state=TurnState(reason=given, choices=Choices()),
        rounds=(replace(FIRST_ROUND, text=given),),
        citations=(replace(OTTER, quote=given),),
    )

    await store.messages.add(message)

    found = await store.messages.get(message.id)
    assert (found.content, found.rounds[0].text) == (kept, kept)
    # JSON can say a NUL in words.
    in_json = given if "\x00" in given else kept
    assert found.marked == Marked(text=in_json)
    assert found.state == TurnState(reason=in_json, choices=Choices())
    assert found.citations == (replace(OTTER, quote=in_json),)


async def test_one_of_several_goes_on_with_an_approved_answer(
    store: Store, session: Session, url: str
) -> None:
    waiting = replace(answer(session.id), status=Status.AWAITING_APPROVAL)
    await store.messages.add(waiting)

    async with Store.open(url) as other:
        claims = await asyncio.gather(
            *(each.messages.claim(waiting.id, {}) for each in (store, other, store, other))
        )

        assert sorted(claims) == [False, False, False, True]
        assert (await store.messages.get(waiting.id)).status == Status.STREAMING


async def test_what_was_decided_of_calls_is_kept_with_the_claim(
    store: Store, session: Session
) -> None:
    runs = tuple(
        replace(SEARCH, id=name, status=status)
        for name, status in (
            ("yes", "waiting"),
            ("no", "waiting"),
            ("open", "waiting"),
            ("over", "done"),
        )
    )
    mine, other = [
        replace(answer(session.id), status=Status.AWAITING_APPROVAL, tool_runs=runs)
        for _ in range(2)
    ]
    for each in (mine, other):
        await store.messages.add(each)
    decisions = {"yes": True, "no": False, "over": False}

    assert await store.messages.claim(mine.id, decisions)
    assert not await store.messages.claim(mine.id, {"open": True})

    claimed = await store.messages.get(mine.id)
    assert [run.status for run in claimed.tool_runs] == ["running", "declined", "waiting", "done"]
    assert (await store.messages.get(other.id)).tool_runs == runs


async def test_a_usage_report_that_says_nothing_is_none(store: Store, session: Session) -> None:
    message = await store.messages.add(replace(answer(session.id), usage=Usage()))

    assert (await store.messages.get(message.id)).usage is None


async def test_malformed_json_in_the_database_reads_as_none(store: Store, session: Session) -> None:
    message = await store.messages.add(answer(session.id))

    await store._database.write(
        lambda connection: connection.execute(
            text("UPDATE messages SET citations = '[{', answer = 'x'")
        )
    )
    await store._database.write(
        lambda connection: connection.execute(text("UPDATE tool_calls SET results = '{}'"))
    )

    found: ChatMessage = await store.messages.get(message.id)
    assert (found.citations, found.marked, found.tool_runs[0].results) == (None, None, ())


async def test_a_turn_stands_behind_what_was_added_before(store: Store, session: Session) -> None:
    first = await store.messages.add(question(session.id, "first"))
    asked, begun = question(session.id, "second"), beginning(session.id)
    await store.messages.begin(asked, begun)
    last = await store.messages.add(question(session.id, "last"))

    kept = await store.messages.history(session.id)

    assert [each.id for each in kept] == [first.id, asked.id, begun.id, last.id]
    async with store._database.read() as connection:
        numbers = await connection.execute(text("SELECT sequence FROM messages ORDER BY sequence"))
    assert numbers.scalars().all() == [1, 2, 3, 4]


async def test_a_turn_begins_with_all_parts_of_both_messages(
    store: Store, session: Session
) -> None:
    whole = answer(session.id)
    asked = replace(question(session.id), attachments=whole.attachments)
    begun = replace(
        beginning(session.id), tool_runs=whole.tool_runs, rounds=whole.rounds, parent_id=asked.id
    )

    await store.messages.begin(asked, begun)

    assert await store.messages.history(session.id) == (asked, begun)
    # What grows from there is written beside it.
    grown = replace(begun, tool_runs=(SEARCH, READ, READ), rounds=(FIRST_ROUND,))
    await store.messages.save(grown)
    assert await store.messages.get(begun.id) == grown


async def test_a_wish_for_another_answer_that_was_sent_before_is_refused(
    store: Store, session: Session
) -> None:
    first = replace(beginning(session.id), client_id="again-1")
    await store.messages.begin(None, first)

    with pytest.raises(ConflictError, match=f"sent before, as '{first.id}'"):
        await store.messages.begin(None, replace(beginning(session.id), client_id="again-1"))

    assert await store.messages.history(session.id) == (first,)


async def test_a_message_that_was_sent_before_takes_no_number(
    store: Store, session: Session
) -> None:
    sent = replace(question(session.id), client_id="sent-1")
    for _ in range(3):
        await store.messages.add(replace(sent, id=new_id()))
    await store.messages.add(question(session.id, "next"))

    async with store._database.read() as connection:
        numbers = await connection.execute(text("SELECT sequence FROM messages ORDER BY sequence"))
    assert len(numbers.scalars().all()) == 2
