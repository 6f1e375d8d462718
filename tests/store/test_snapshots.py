"""Pages are kept as they were read, each content once, and go with what they were read for."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256

import pytest

from groundwire.checks.records import Purpose, Snapshot, SourcePage
from groundwire.conversation import Agent, ChatMessage, Session, Workspace
from groundwire.errors import NotFoundError
from groundwire.model import Fetched
from groundwire.store import PERSONAL, Store
from groundwire.store.snapshots import SnapshotSizes
from groundwire.system.compression import pack
from tests.store.examples import beginning

WHEN = datetime(2026, 11, 17, 8, 30, tzinfo=UTC)
TEXT = "# Otter\n\nOtters hold **hands**. 海獺\x00"
BODY = b"<h1>Otter</h1><p>Otters hold <b>hands</b>.</p>\xff"


def _fetched(body: bytes = BODY) -> Fetched:
    return Fetched(
        status=200,
        headers={"content-type": "text/html"},
        packed=pack(body),
        size=len(body),
        body_hash=sha256(body).hexdigest(),
    )


def _snapshot(message: ChatMessage, number: int = 1, text: str = TEXT) -> Snapshot:
    return Snapshot(
        message_id=message.id,
        url=f"https://example.org/{number}",
        asked_url=f"http://example.org/{number}",
        title="Otter",
        service="local",
        purpose=Purpose.CHECKED,
        text=text,
        text_hash=sha256(text.encode()).hexdigest(),
        is_cut=True,
        about={"authors": ["A. Otter"], "published": "2026-01-02"},
        fetched=_fetched(),
        read_at=WHEN + timedelta(seconds=number),
    )


async def _message(store: Store, session: Session) -> ChatMessage:
    return await store.messages.add(beginning(session.id))


async def test_a_page_comes_back_as_it_was_read(store: Store, session: Session) -> None:
    message = await _message(store, session)
    whole = _snapshot(message)
    bare = Snapshot(message_id=message.id, url="https://b.example/", text_hash=sha256().hexdigest())

    await store.snapshots.save([whole, bare])

    found = await store.snapshots.of_message(message.id)
    assert {each.url: each for each in found} == {
        whole.url: whole,
        bare.url: replace(bare, asked_url=""),
    }


async def test_equal_content_is_kept_once(store: Store, session: Session) -> None:
    first, second = await _message(store, session), await _message(store, session)

    await store.snapshots.save([_snapshot(first, number) for number in range(20)])
    await store.snapshots.save([_snapshot(second, number) for number in range(20)])
    await store.snapshots.save([_snapshot(second, number) for number in range(20)])

    text, body = TEXT.encode(), BODY
    assert await store.snapshots.sizes() == SnapshotSizes(
        snapshots=40,
        contents=2,
        bytes=len(text) + len(body),
        packed_bytes=len(pack(text)) + len(pack(body)),
    )


async def test_a_page_that_changed_is_kept_beside_the_first(store: Store, session: Session) -> None:
    message = await _message(store, session)

    await store.snapshots.save([_snapshot(message)])
    await store.snapshots.save([_snapshot(message, text="Otters let go.")])

    found = await store.snapshots.of_message(message.id)
    assert {each.text for each in found} == {TEXT, "Otters let go."}


async def test_content_goes_with_the_last_session_that_has_it(
    store: Store, agent: Agent, session: Session
) -> None:
    other = await store.sessions.create(Session(workspace_id=PERSONAL, agent_id=agent.id))
    mine, others = await _message(store, session), await _message(store, other)
    await store.snapshots.save([_snapshot(mine), _snapshot(mine, 2, "Mine alone.")])
    await store.snapshots.save([_snapshot(others)])

    await store.sessions.delete(session.id)

    assert (await store.snapshots.sizes()).contents == 2
    (kept,) = await store.snapshots.of_message(others.id)
    assert (kept.text, kept.fetched) == (TEXT, _fetched())
    await store.sessions.delete(other.id)
    nothing = SnapshotSizes(snapshots=0, contents=0, bytes=0, packed_bytes=0)
    assert await store.snapshots.sizes() == nothing


async def test_pages_go_with_their_workspace(store: Store) -> None:
    workspace = await store.workspaces.create(Workspace(name="Team"))
    agent = await store.agents.create(Agent(workspace_id=workspace.id, name="Finder"))
    session = await store.sessions.create(Session(workspace_id=workspace.id, agent_id=agent.id))
    await store.snapshots.save([_snapshot(await _message(store, session))])

    await store.workspaces.delete(workspace.id)

    assert (await store.snapshots.sizes()).contents == 0


async def test_what_is_older_than_its_time_goes(store: Store, session: Session) -> None:
    message = await _message(store, session)
    await store.snapshots.save([_snapshot(message, number, f"{number}") for number in range(10)])

    await store.snapshots.sweep(before=WHEN + timedelta(seconds=7))

    found = await store.snapshots.of_message(message.id)
    assert [each.text for each in found] == ["7", "8", "9"]


async def test_over_the_limit_the_oldest_go(store: Store, session: Session) -> None:
    message = await _message(store, session)
    texts = [f"{number} {'otter ' * number}" for number in range(250)]
    await store.snapshots.save(
        [_snapshot(message, number, text) for number, text in enumerate(texts)]
    )
    packed = (await store.snapshots.sizes()).packed_bytes

    await store.snapshots.sweep(max_bytes=packed - 1)

    found = await store.snapshots.of_message(message.id)
    assert [each.text for each in found] == texts[100:]
    await store.snapshots.sweep(max_bytes=1)
    assert await store.snapshots.of_message(message.id) == ()


async def test_pages_of_an_answer_that_is_not_kept_are_refused(
    store: Store, session: Session
) -> None:
    with pytest.raises(NotFoundError):
        await store.snapshots.save([_snapshot(beginning(session.id))])

    assert (await store.snapshots.sizes()).contents == 0


async def test_a_checked_page_has_the_text_of_its_snapshot(store: Store, session: Session) -> None:
    message = await _message(store, session)
    snapshot = _snapshot(message)
    page = SourcePage(
        message_id=message.id,
        number=1,
        url=snapshot.url,
        text="",
        text_hash=snapshot.text_hash,
        read_at=WHEN,
    )

    await store.citation_checks.save([], [page], [snapshot])

    assert await store.citation_checks.page(message.id, 1) == replace(page, text=TEXT)


async def test_what_is_just_within_the_limit_stays(store: Store, session: Session) -> None:
    message = await _message(store, session)
    await store.snapshots.save([_snapshot(message), _snapshot(message, 2, "Another.")])
    packed = (await store.snapshots.sizes()).packed_bytes

    await store.snapshots.sweep(max_bytes=packed)
    await store.snapshots.sweep()

    assert (await store.snapshots.sizes()).snapshots == 2
    await store.snapshots.save([])
    assert await store.snapshots.of_message("nobody") == ()


async def test_many_contents_are_read_some_at_a_time(
    store: Store, session: Session, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("groundwire.store.snapshots._ASKED_AT_ONCE", 2)
    message = await _message(store, session)
    texts = [f"otter {number}" for number in range(5)]
    await store.snapshots.save([_snapshot(message, *each) for each in enumerate(texts)])

    found = await store.snapshots.of_message(message.id)

    assert [each.text for each in found] == texts
    assert [each.fetched for each in found] == [_fetched()] * 5


async def test_pages_of_one_moment_come_by_their_ids_and_those_of_others_not_at_all(
    store: Store, session: Session
) -> None:
    mine, others = await _message(store, session), await _message(store, session)
    pages = [replace(_snapshot(mine), url=f"https://{name}.example/") for name in "abc"]
    await store.snapshots.save([*reversed(pages), _snapshot(others, 2)])

    found = await store.snapshots.of_message(mine.id)

    assert [each.id for each in found] == sorted(each.id for each in pages)
    assert {each.url for each in found} == {each.url for each in pages}
    (theirs,) = await store.snapshots.of_message(others.id)
    assert theirs == _snapshot(others, 2)


async def test_what_is_read_at_the_very_time_stays(store: Store, session: Session) -> None:
    message = await _message(store, session)
    await store.snapshots.save([_snapshot(message)])
    at = WHEN + timedelta(seconds=1)

    await store.snapshots.sweep(before=at)
    kept = await store.snapshots.sizes()
    await store.snapshots.sweep(before=at + timedelta(microseconds=1))

    assert (kept.snapshots, (await store.snapshots.sizes()).snapshots) == (1, 0)
