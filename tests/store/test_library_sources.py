"""Sources of a library: who reads one next, and how far it is."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import update

from groundwire.conversation import Workspace, now
from groundwire.errors import ConflictError, NotFoundError
from groundwire.store import PERSONAL, Store
from groundwire.store.library_tables import library_sources
from groundwire.store.source_records import LibrarySource, SourceKind, SourceState
from groundwire.system.determinism import fixed

NOON = datetime(2026, 11, 18, 12, tzinfo=UTC)
MOMENT = timedelta(microseconds=1)


async def _made(store: Store, location: str = "notes") -> LibrarySource:
    source = LibrarySource(workspace_id=PERSONAL, kind=SourceKind.FOLDER, location=location)
    return await store.library_sources.create(source)


async def test_a_new_source_waits_and_nothing_of_it_is_read(store: Store) -> None:
    made = await _made(store)

    assert await store.library_sources.list(PERSONAL) == (made,)
    assert (made.state, made.done, made.total, made.refresh_hours) == (
        SourceState.WAITING, 0, 0, 0,
    )  # fmt: skip
    with pytest.raises(ConflictError, match="the library has notes already"):
        await _made(store)


async def test_a_source_that_is_read_again_begins_anew(store: Store) -> None:
    sources, made = store.library_sources, await _made(store)
    await sources.claim()
    assert await sources.progress(made.id, 3, 4)
    await sources.finish(replace(made, state=SourceState.READY, done=4, total=4))
    await sources.want(made.id)

    claimed = await sources.claim()

    (kept,) = await sources.list(PERSONAL)
    assert claimed is not None
    for each in (claimed, kept):
        assert (each.state, each.done, each.total) == (SourceState.WORKING, 0, 0)
    assert await sources.claim([made.id]) is None


async def test_a_source_that_was_wanted_while_it_was_read_waits_again(store: Store) -> None:
    sources, made = store.library_sources, await _made(store)
    await sources.claim()
    await sources.want(made.id)

    await sources.finish(replace(made, state=SourceState.READY, done=4, total=4))

    (kept,) = await sources.list(PERSONAL)
    assert (kept.state, kept.done, kept.total) == (SourceState.WAITING, 4, 4)


async def test_a_source_is_due_so_many_hours_after_it_was_taken(store: Store) -> None:
    sources, made = store.library_sources, await _made(store)
    await sources.schedule(made.id, 5)
    claimed = await sources.claim()

    assert claimed is not None
    assert claimed.due_at is not None
    assert timedelta(hours=4) < claimed.due_at - now() <= timedelta(hours=5)
    await sources.finish(replace(claimed, state=SourceState.READY))
    await sources.schedule(made.id, 0)
    (kept,) = await sources.list(PERSONAL)
    assert (kept.state, kept.due_at, kept.refresh_hours) == (SourceState.READY, None, 0)


async def test_a_source_that_is_gone_is_neither_read_nor_finished(store: Store) -> None:
    sources, made = store.library_sources, await _made(store)
    await sources.delete(made.id)

    assert await sources.claim() is None
    assert not await sources.progress(made.id, 1, 2)
    assert not await sources.finish(made)
    assert await sources.at(PERSONAL, SourceKind.FOLDER, "notes") is None
    with pytest.raises(NotFoundError):
        await sources.delete(made.id)


async def _due(store: Store, made: LibrarySource, hours: float) -> None:
    """Have a source be due so many hours from now."""
    due = update(library_sources).where(library_sources.c.id == made.id)
    await store._database.execute(due.values(due_at=now() + timedelta(hours=hours)))


async def test_a_source_is_read_again_when_its_time_has_come(store: Store) -> None:
    sources, made = store.library_sources, await _made(store)
    claimed = await sources.claim()
    assert claimed is not None
    await sources.finish(replace(claimed, state=SourceState.READY))
    await sources.schedule(made.id, 3)

    assert await sources.claim() is None
    await _due(store, made, -1)
    again = await sources.claim()

    assert again is not None
    assert again.id == made.id
    assert again.due_at is not None
    assert timedelta(hours=2) < again.due_at - now() <= timedelta(hours=3)


async def test_what_is_due_earlier_is_read_earlier(store: Store) -> None:
    sources = store.library_sources
    made = [await _made(store, name) for name in ("a", "b", "c")]
    for source, hours in zip(made, (-1, -3, -2), strict=True):
        await _due(store, source, hours)

    claimed: list[LibrarySource] = []
    while (taken := await sources.claim([each.id for each in claimed])) is not None:
        claimed.append(taken)

    assert [each.location for each in claimed] == ["b", "c", "a"]
    # One that this server reads already, and forgot, is taken once more.
    assert await sources.claim() is not None


async def test_what_was_just_added_is_read_before_what_is_due_again(store: Store) -> None:
    sources = store.library_sources
    again, new = await _made(store, "again"), await _made(store, "new")
    await _due(store, again, -1)

    first = await sources.claim()
    second = await sources.claim([new.id])

    assert [each.id for each in (first, second) if each] == [new.id, again.id]


async def test_one_server_at_a_time_reads_a_source(store: Store, url: str) -> None:
    async with Store.open(url) as other:
        made = await _made(store)
        claimed = await other.library_sources.claim()

        assert claimed is not None
        assert await store.library_sources.claim() is None
        assert await other.library_sources.claim([made.id]) is None
        assert not await store.library_sources.progress(made.id, 1, 2)
        assert await other.library_sources.progress(made.id, 1, 2)

    # Who read it is gone.
    taken = await store.library_sources.claim()
    assert taken is not None
    assert await store.library_sources.progress(made.id, 1, 2)
    await store.library_sources.finish(replace(taken, state=SourceState.FAILED, error="no"))
    assert await store.library_sources.claim() is None
    (kept,) = await store.library_sources.list(PERSONAL)
    assert (kept.state, kept.error) == (SourceState.FAILED, "no")


async def test_uploads_are_named_where_they_are_there_already(store: Store) -> None:
    uploads = LibrarySource(workspace_id=PERSONAL, kind=SourceKind.UPLOADS)
    await store.library_sources.create(uploads)

    with pytest.raises(ConflictError, match=r"^the library has uploads already"):
        await store.library_sources.create(replace(uploads, id="another"))
    found = await store.library_sources.at(PERSONAL, SourceKind.UPLOADS, "")
    assert found == uploads


@pytest.mark.parametrize(
    ("due_in", "is_claimed"),
    [(-timedelta(hours=1), True), (-MOMENT, True), (timedelta(0), True), (MOMENT, False)],
)
async def test_a_source_is_due_from_its_very_moment_on(
    store: Store, due_in: timedelta, is_claimed: bool
) -> None:
    sources, made = store.library_sources, await _made(store)
    await sources.finish(replace(made, state=SourceState.READY))
    due = update(library_sources).where(library_sources.c.id == made.id)
    await store._database.execute(due.values(due_at=NOON + due_in))

    with fixed(NOON, "seed"):
        claimed = await sources.claim()

    assert (claimed is not None) == is_claimed


@pytest.mark.parametrize(
    ("due_in", "state"),
    [
        (None, SourceState.READY),
        (-MOMENT, SourceState.WAITING),
        (timedelta(0), SourceState.WAITING),
        (MOMENT, SourceState.READY),
    ],
)
async def test_a_source_that_is_due_when_its_reading_ends_waits_again(
    store: Store, due_in: timedelta | None, state: SourceState
) -> None:
    sources, made = store.library_sources, await _made(store)
    other = await _made(store, "other")
    due = update(library_sources).where(library_sources.c.id == made.id)
    await store._database.execute(due.values(due_at=None if due_in is None else NOON + due_in))

    read = replace(
        made,
        state=SourceState.READY,
        address="notes",
        done=3,
        total=4,
        counts={"new": 3},
        failures=[["a.pdf", "it is empty"]],
        error="one was left out",
    )

    with fixed(NOON, "seed"):
        assert await sources.finish(read)

    kept = {each.location: each for each in await sources.list(PERSONAL)}
    assert kept["other"] == other
    assert kept["notes"] == replace(
        read, state=state, due_at=kept["notes"].due_at, finished_at=NOON
    )


async def test_what_is_done_to_a_source_is_done_to_no_other(store: Store) -> None:
    sources = store.library_sources
    team = await store.workspaces.create(Workspace(name="Team"))
    mine = await _made(store)
    others = [
        await _made(store, "other"),
        await sources.create(replace(mine, id="theirs", workspace_id=team.id)),
        await sources.create(replace(mine, id="page", kind=SourceKind.URL)),
    ]
    with fixed(NOON, "seed"):
        await sources.want(mine.id)
        await sources.schedule(mine.id, 3)
    assert await sources.at(PERSONAL, SourceKind.FOLDER, "notes") == replace(
        mine, refresh_hours=3, due_at=NOON + timedelta(hours=3)
    )
    with fixed(NOON + timedelta(hours=3), "seed"):
        claimed: list[LibrarySource] = []
        while (taken := await sources.claim([each.id for each in claimed])) is not None:
            claimed.append(taken)
    assert {each.id for each in claimed[:3]} == {each.id for each in others}
    assert [(each.id, each.due_at) for each in claimed[3:]] == [
        (mine.id, NOON + timedelta(hours=6))
    ]
    assert await sources.progress(mine.id, 1, 2)

    kept = {each.id: each for each in await sources.list(PERSONAL)}
    (theirs,) = await sources.list(team.id)

    assert (kept[mine.id].done, kept[mine.id].total) == (1, 2)
    assert {*kept} == {mine.id, others[0].id, "page"}
    for each in (kept[others[0].id], theirs, kept["page"]):
        assert (each.state, each.done, each.total, each.due_at) == (SourceState.WORKING, 0, 0, None)
    assert await sources.at(team.id, SourceKind.FOLDER, "notes") == theirs
    assert await sources.at(PERSONAL, SourceKind.URL, "notes") == kept["page"]
    assert await sources.at(PERSONAL, SourceKind.FOLDER, "elsewhere") is None


async def test_a_source_that_failed_waits_again_without_its_error_when_it_is_wanted(
    store: Store,
) -> None:
    sources, made = store.library_sources, await _made(store)
    failed = replace(made, state=SourceState.FAILED, error="no such folder")
    with fixed(NOON, "seed"):
        await sources.finish(failed)

        await sources.want(made.id)

    assert await sources.list(PERSONAL) == (
        replace(made, state=SourceState.WAITING, finished_at=NOON),
    )
