"""How long a request is told to wait for a connection, by a clock that the test turns."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from contextlib import AsyncExitStack, ExitStack
from contextvars import Context, copy_context

import pytest

from groundwire.errors import StoreBusyError
from groundwire.store.database import Line, patience, saving

LONG = 3_600.0


class _Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> _Clock:
    return _Clock()


async def _use(line: Line) -> None:
    async with line.place():
        pass


def _wait(line: Line, context: Context | None = None) -> asyncio.Task[None]:
    return asyncio.create_task(_use(line), context=context)


async def _settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def _take_seconds(line: Line, clock: _Clock, seconds: float) -> None:
    async with line.place():
        clock.now += seconds


async def test_a_line_counts_who_uses_a_connection_and_who_waits(clock: _Clock) -> None:
    line = Line(2, LONG, clock=clock)

    async with AsyncExitStack() as stack:
        seen = [(line.free, line.used, line.waiting)]
        for _ in range(2):
            await stack.enter_async_context(line.place())
            seen.append((line.free, line.used, line.waiting))
        waiting = [_wait(line) for _ in range(2)]
        await _settle()
        seen.append((line.free, line.used, line.waiting))
    await asyncio.gather(*waiting)

    assert seen == [(2, 0, 0), (1, 1, 0), (0, 2, 0), (0, 2, 2)]
    assert (line.free, line.used, line.waiting) == (2, 0, 0)


async def test_the_wait_follows_from_how_long_others_took_and_who_is_ahead(clock: _Clock) -> None:
    line = Line(2, LONG, clock=clock)
    for seconds in (10.0, 20.0):  # A tenth of each new one: 1, then 2.9 in the mean.
        await _take_seconds(line, clock, seconds)

    async with AsyncExitStack() as stack:
        for _ in range(2):
            assert line.expected_wait_seconds() == 0
            await stack.enter_async_context(line.place())
        alone = line.expected_wait_seconds()
        with patience():
            early = copy_context()
        waiting = [_wait(line, early), _wait(line)]
        await _settle()
        behind_both = line.expected_wait_seconds()
        before_all = line.expected_wait_seconds(since=-1.0)
    await asyncio.gather(*waiting)

    assert (alone, behind_both, before_all) == pytest.approx((1.45, 3 * 1.45, 1.45))


async def test_who_began_at_the_same_moment_is_ahead(clock: _Clock) -> None:
    line = Line(1, LONG, clock=clock)
    await _take_seconds(line, clock, 10.0)

    async with line.place():
        waiting = _wait(line)
        await _settle()
        expected = [line.expected_wait_seconds(since) for since in (clock.now - 1, clock.now)]
    await waiting

    assert expected == pytest.approx([1.0, 2.0])


async def test_the_wait_is_as_long_as_nobody_gave_a_connection_back(clock: _Clock) -> None:
    line = Line(2, LONG, clock=clock)
    clock.now += 50.0  # Nobody was there: that is no sign of a line that stands still.

    async with line.place():
        clock.now += 5.0
        async with line.place():
            taken = line.expected_wait_seconds()
            clock.now += 7.0
            later = line.expected_wait_seconds()
    await line.place().__aenter__()
    await line.place().__aenter__()

    assert (taken, later) == (0.0, 7.0)
    # By now those who used it give an idea of how long one takes.
    assert line.expected_wait_seconds() == pytest.approx((0.7 + 0.1 * (12.0 - 0.7)) / 2)


@pytest.mark.parametrize(
    ("stood_still", "told"), [(2.1, 3), (3.0, 3), (29.5, 30), (30.5, 30), (500.0, 30)]
)
async def test_who_is_refused_is_told_when_to_come_again(
    clock: _Clock, stood_still: float, told: int
) -> None:
    line = Line(1, 2.0, clock=clock)

    async with line.place():
        clock.now += stood_still
        with pytest.raises(StoreBusyError) as refused:
            await line.place().__aenter__()

    assert refused.value.retry_after_seconds == told


@pytest.mark.parametrize("stood_still", [0.0, 0.5])
async def test_nobody_is_told_to_come_again_at_once(clock: _Clock, stood_still: float) -> None:
    line = Line(1, 0.0 if not stood_still else 0.25, clock=clock)

    async with line.place():
        clock.now += stood_still
        with pytest.raises(StoreBusyError) as refused:
            await line.place().__aenter__()

    assert refused.value.retry_after_seconds == 1


async def test_a_wait_of_just_what_is_allowed_is_waited_for(clock: _Clock) -> None:
    line = Line(1, 2.0, clock=clock)

    async with line.place():
        clock.now += 2.0
        waiting = _wait(line)
        await _settle()
        assert line.waiting == 1
    await waiting


async def test_what_is_saved_is_waited_for_however_long_the_line_stood_still(
    clock: _Clock,
) -> None:
    line = Line(1, 0.0, clock=clock)

    async with line.place():
        clock.now += 1_000.0
        with saving():
            waiting = _wait(line)
        await _settle()
        assert line.waiting == 1
        with pytest.raises(StoreBusyError):
            await line.place().__aenter__()
    await waiting


@pytest.mark.parametrize(("stands", "is_refused"), [(5.5, False), (6.5, True)])
async def test_what_was_waited_is_taken_off_the_patience(
    clock: _Clock, stands: float, is_refused: bool
) -> None:
    line = Line(1, LONG, clock=clock)

    with patience(10.0):
        async with line.place():
            first = _wait(line)
            await _settle()
            clock.now += 4.0
        await first
        async with line.place():
            clock.now += stands
            second = _wait(line)
            await _settle()
            assert second.done() == is_refused
    (ended,) = await asyncio.gather(second, return_exceptions=True)
    assert isinstance(ended, StoreBusyError) == is_refused


async def test_who_waited_longer_than_the_patience_waits_no_more(clock: _Clock) -> None:
    line = Line(1, LONG, clock=clock)

    with patience(2.0):
        async with line.place():
            first = _wait(line)
            await _settle()
            clock.now += 3.0
        await first
        async with line.place():
            clock.now += 0.5
            with pytest.raises(StoreBusyError):
                await line.place().__aenter__()


async def test_patience_within_patience_keeps_the_place_of_the_first(clock: _Clock) -> None:
    line = Line(1, LONG, clock=clock)
    served: list[str] = []

    async def use(name: str) -> None:
        async with line.place():
            served.append(name)

    with patience():
        outer = copy_context()
    with patience():
        later = copy_context()

    def inner() -> Context:
        with patience(LONG):
            return copy_context()

    async with line.place():
        late = asyncio.create_task(use("later"), context=later)
        await _settle()
        early = asyncio.create_task(use("first"), context=outer.run(inner))
        await _settle()
    await asyncio.gather(late, early)

    assert served == ["first", "later"]


def _leaves_while_waiting(task: asyncio.Task[None], release: Callable[[], None]) -> None:
    task.cancel()
    release()


def _leaves_when_served(task: asyncio.Task[None], release: Callable[[], None]) -> None:
    release()
    task.cancel()


@pytest.mark.parametrize("leave", [_leaves_while_waiting, _leaves_when_served])
async def test_every_connection_is_free_after_somebody_left(
    clock: _Clock,
    leave: Callable[[asyncio.Task[None], Callable[[], None]], None],
) -> None:
    line = Line(1, LONG, clock=clock)
    holding = line.place()
    await holding.__aenter__()
    gone, stays = _wait(line), _wait(line)
    await _settle()

    # Both in the same moment, before anyone else runs.
    leave(gone, line._give_back)
    await asyncio.gather(gone, stays, return_exceptions=True)

    assert gone.cancelled()
    assert (line.free, line.used, line.waiting) == (1, 0, 0)


async def test_patience_ends_with_what_it_was_for(clock: _Clock) -> None:
    line = Line(1, LONG, clock=clock)
    with patience(0.0):
        pass

    async with line.place():
        clock.now += 5.0
        waiting = _wait(line)
        await _settle()
        assert line.waiting == 1
    await waiting


async def test_whoever_left_the_line_is_not_counted_any_more(clock: _Clock) -> None:
    line = Line(1, LONG, clock=clock)
    await _take_seconds(line, clock, 10.0)

    async with line.place():
        waiting = [_wait(line) for _ in range(3)]
        await _settle()
        before = (line.waiting, line.expected_wait_seconds())
        for gone in waiting[:2]:
            gone.cancel()
        await _settle()
        after = (line.waiting, line.expected_wait_seconds())
    await waiting[2]

    assert [number for number, _ in (before, after)] == [3, 1]
    assert [seconds for _, seconds in (before, after)] == pytest.approx([4.0, 2.0])


def _is_refused_at_once(line: Line) -> bool:
    """Tell whether who comes now is refused, and does not wait for it."""
    try:
        line.place().__aenter__().send(None)
    except StoreBusyError:
        return True
    return False


async def test_who_saves_has_precedence_no_longer_than_that(clock: _Clock) -> None:
    line = Line(1, 2.0, clock=clock)

    async with line.place():
        clock.now += 2.5
        with saving():
            pass
        refused = [_is_refused_at_once(line)]
        with saving():
            with saving():
                pass
            waiting = _wait(line)
            await _settle()
            refused.append(waiting.done())
    await waiting

    assert refused == [True, False]


@pytest.mark.parametrize(
    ("line_seconds", "patience_seconds", "saves", "waited"),
    [
        (15.0, None, False, 15.0),
        (15.0, 4.0, False, 4.0),
        (15.0, 40.0, False, 15.0),
        (15.0, None, True, 30.0),
        (15.0, 4.0, True, 30.0),
        (60.0, 50.0, True, 30.0),
    ],
)
async def test_a_request_waits_as_long_as_line_and_patience_allow_and_a_save_half_a_minute(
    clock: _Clock,
    monkeypatch: pytest.MonkeyPatch,
    line_seconds: float,
    patience_seconds: float | None,
    saves: bool,
    waited: float,
) -> None:
    line = Line(1, line_seconds, clock=clock)
    timeout, allowed = asyncio.timeout, []

    def note(seconds: float) -> asyncio.Timeout:
        allowed.append(seconds)
        return timeout(seconds)

    monkeypatch.setattr("groundwire.store.database.asyncio.timeout", note)
    with ExitStack() as stack:
        if patience_seconds is not None:
            stack.enter_context(patience(patience_seconds))
        if saves:
            stack.enter_context(saving())
        async with line.place():
            waiting = _wait(line)
            await _settle()
    await waiting

    assert allowed == [waited]
