"""Sources of a library: who reads one next, and how far it is."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

import pytest

from groundwire.conversation import now
from groundwire.errors import ConflictError, NotFoundError
from groundwire.store import PERSONAL, Store
from groundwire.store.source_records import LibrarySource, SourceKind, SourceState


async def _made(store: Store, location: str = "notes") -> LibrarySource:
    source = LibrarySource(workspace_id=PERSONAL, kind=SourceKind.FOLDER, location=location)
    return await store.library_sources.create(source)


async def test_a_new_source_waits_and_nothing_of_it_is_read(store: Store) -> None:
    made = await _made(store)

    assert await store.library_sources.list(PERSONAL) == (made,)
    assert (made.state, made.done, made.total, made.refresh_hours) == (
        SourceState.WAITING, 0, 0, 0,
    )  # fmt: skip
    with pytest.raises(ConflictError, match="notes is in the library already"):
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
