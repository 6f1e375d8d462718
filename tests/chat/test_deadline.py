"""The end of a turn's time is told apart from somebody who cancels it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator

import pytest

from groundwire.chat.budgets import Deadline


async def _forever() -> AsyncGenerator[str, None]:
    yield "first"
    await asyncio.Event().wait()


async def test_a_deadline_ends_the_waiting_and_the_task_goes_on() -> None:
    deadline, stream = Deadline(0.01), _forever()
    task = asyncio.current_task()

    told = [await deadline.next(stream), await deadline.next(stream), await deadline.next(stream)]

    assert told == ["first", None, None]
    assert task is not None
    assert task.cancelling() == 0


async def test_a_turn_that_somebody_cancels_stays_cancelled() -> None:
    stream = _forever()
    await anext(stream)
    waiting = asyncio.ensure_future(Deadline(3_600).next(stream))
    await asyncio.sleep(0)

    waiting.cancel()

    with pytest.raises(asyncio.CancelledError):
        await waiting


async def test_a_turn_that_is_cancelled_as_its_time_ends_stays_cancelled() -> None:
    async def turn() -> str | None:
        task = asyncio.current_task()
        assert task is not None
        stream = _forever()
        await anext(stream)
        deadline = Deadline(0)
        asyncio.get_running_loop().call_later(0, task.cancel)
        return await deadline.next(stream)

    with pytest.raises(asyncio.CancelledError):
        await asyncio.ensure_future(turn())
