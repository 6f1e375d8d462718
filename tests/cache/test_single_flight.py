"""One request for many who ask the same at once."""

from __future__ import annotations

import asyncio

import pytest

from groundwire.cache import SingleFlight


class Request:
    """A request that ends when a test says so."""

    def __init__(self) -> None:
        self.begun = 0
        self.cancelled = 0
        self.started = asyncio.Event()
        self.answer: asyncio.Future[str] = asyncio.get_running_loop().create_future()

    async def __call__(self) -> str:
        self.begun += 1
        self.started.set()
        try:
            return await asyncio.shield(self.answer)
        except asyncio.CancelledError:
            self.cancelled += 1
            raise


async def test_many_who_ask_at_once_share_one_request() -> None:
    flights, request = SingleFlight[str](), Request()
    asking = [asyncio.create_task(flights.join("a", request)) for _ in range(5)]
    await request.started.wait()

    request.answer.set_result("yes")

    assert await asyncio.gather(*asking) == ["yes"] * 5
    assert request.begun == 1


async def test_other_keys_and_later_calls_are_requests_of_their_own() -> None:
    flights, request = SingleFlight[str](), Request()
    request.answer.set_result("yes")

    await asyncio.gather(flights.join("a", request), flights.join("b", request))
    await flights.join("a", request)

    assert request.begun == 3


async def test_a_failure_is_everyones_and_is_not_kept() -> None:
    flights, request = SingleFlight[str](), Request()
    asking = [asyncio.create_task(flights.join("a", request)) for _ in range(2)]
    await request.started.wait()

    request.answer.set_exception(ValueError("no"))
    outcomes = await asyncio.gather(*asking, return_exceptions=True)

    assert [str(outcome) for outcome in outcomes] == ["no", "no"]
    again = Request()
    again.answer.set_result("yes")
    assert await flights.join("a", again) == "yes"


async def test_who_leaves_does_not_end_the_request_for_the_others() -> None:
    flights, request = SingleFlight[str](), Request()
    leaving, staying = (asyncio.create_task(flights.join("a", request)) for _ in range(2))
    await request.started.wait()

    leaving.cancel()
    with pytest.raises(asyncio.CancelledError):
        await leaving
    request.answer.set_result("yes")

    assert await staying == "yes"
    assert request.cancelled == 0


async def test_when_the_last_one_leaves_the_request_ends() -> None:
    flights, request = SingleFlight[str](), Request()
    asking = [asyncio.create_task(flights.join("a", request)) for _ in range(2)]
    await request.started.wait()

    for task in asking:
        task.cancel()
    await asyncio.gather(*asking, return_exceptions=True)
    await asyncio.sleep(0)

    assert request.cancelled == 1


async def test_who_comes_after_the_last_one_left_starts_anew() -> None:
    flights, abandoned = SingleFlight[str](), Request()
    leaving = asyncio.create_task(flights.join("a", abandoned))
    await abandoned.started.wait()
    leaving.cancel()
    await asyncio.gather(leaving, return_exceptions=True)

    fresh = Request()
    fresh.answer.set_result("yes")

    assert await flights.join("a", fresh) == "yes"
