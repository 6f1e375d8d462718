"""Every fault of the sandbox, with every provider: its own error, nothing lost, nothing left."""

from __future__ import annotations

import asyncio
import logging
import sys
import traceback
from collections.abc import Iterator
from contextlib import aclosing, contextmanager
from dataclasses import replace

import pytest

from groundwire.client import Client
from groundwire.config.settings import NetworkSettings
from groundwire.errors import GroundwireError
from groundwire.events import Done, Error, StreamEvent, TextDelta
from groundwire.model import Usage
from groundwire.sandbox import FaultName
from groundwire.sandbox.faults import SERVICE_FAULTS
from groundwire.wire.contract import Question
from tests.adapters.outcomes import BROKEN, PASSING, REFUSED, SHORT_LIMITS, STOPPED, SURVIVED
from tests.adapters.questions import (
    CANARY,
    WAY,
    WAYS,
    Service,
    Way,
    citations_in,
    errors_in,
    question,
    text_in,
    warnings_in,
)

# Pages in three scripts, so that a cut inside a character has one to cut wherever it looks.
ASKED = "Umlaute, 新幹線 and emoji"

# What had to be skipped is told.
WARNED: dict[str, dict[str, set[str]]] = {
    "garbage_json": {way.name: {"malformed_event"} for way in WAYS},
    "dangling_indices": {
        "gemini": {"dangling_citation"},
        "openai": {"malformed_event"},
        "openrouter": {"malformed_event"},
        "openrouter-server": {"malformed_event"},
    },
}

each_way = pytest.mark.parametrize("way", WAYS, ids=str)


def _asked(way: Way) -> Question:
    return question(way, ASKED, web_search=True)


@contextmanager
def _nothing_abandoned() -> Iterator[None]:
    """See to it that no task is left, and no generator for the loop to close some time later."""
    hooks, tasks = sys.get_asyncgen_hooks(), asyncio.all_tasks()
    abandoned: list[object] = []
    sys.set_asyncgen_hooks(firstiter=hooks.firstiter, finalizer=abandoned.append)
    try:
        yield
    finally:
        sys.set_asyncgen_hooks(*hooks)
    assert abandoned == []
    assert asyncio.all_tasks() == tasks


async def _answer(service: Service, way: Way, fault: str = "") -> list[StreamEvent]:
    """Return all events of an answer, and see to it that nothing of it is left."""
    service.sandbox.reset()
    with _nothing_abandoned():
        events = await service.ask(way, ASKED, web_search=True, fault=fault)
    for index in range(len(service.sandbox.requests)):
        await asyncio.to_thread(service.sandbox.wait_for_end, index)
    return events


def _endings(service: Service) -> list[str]:
    return [entry.ended for entry in service.sandbox.requests]


def _keeps_the_secret(events: list[StreamEvent], caplog: pytest.LogCaptureFixture) -> bool:
    logged = [f"{vars(record)} {record.getMessage()}" for record in caplog.records]
    return CANARY not in f"{events} {logged} {caplog.text}"


def test_every_fault_has_its_place_in_a_table() -> None:
    named = {fault.partition(";")[0] for fault in (*REFUSED, *BROKEN, *STOPPED, *SURVIVED)}

    assert named == set(FaultName) - SERVICE_FAULTS


@each_way
@pytest.mark.parametrize("fault", REFUSED)
async def test_a_refusal_is_one_error(
    service: Service, caplog: pytest.LogCaptureFixture, way: Way, fault: str
) -> None:
    caplog.set_level(logging.DEBUG)

    events = await _answer(service, way, fault)

    assert errors_in(events) == [REFUSED[fault]]
    assert text_in(events) == ""
    assert "open" not in _endings(service)
    assert _keeps_the_secret(events, caplog)


@each_way
@pytest.mark.parametrize("fault", BROKEN)
async def test_what_came_before_a_break_is_kept(
    service: Service, caplog: pytest.LogCaptureFixture, way: Way, fault: str
) -> None:
    caplog.set_level(logging.DEBUG)
    whole = await _answer(service, way)

    events = await _answer(service, way, fault)

    kept = text_in(events)
    place = next(i for i, event in enumerate(events) if isinstance(event, Error))
    assert errors_in(events) == [BROKEN[fault]]
    assert all(isinstance(event, Usage | Done) for event in events[place + 1 :])
    assert kept
    assert text_in(whole).startswith(kept)
    # An interaction tells its searches after the text, and their words may be what is cut.
    assert len(kept) < len(text_in(whole)) or way.name == "gemini-interactions"
    assert len(service.sandbox.requests) == 1
    assert _keeps_the_secret(events, caplog)


@pytest.mark.parametrize("fault", STOPPED)
async def test_what_does_not_stop_is_stopped(
    service: Service, caplog: pytest.LogCaptureFixture, fault: str
) -> None:
    """All providers at once, because silence takes its time."""
    caplog.set_level(logging.DEBUG)
    # Anthropic alone allows large events, for the papers that it reads.
    ways = [way for way in WAYS if way.name != "anthropic" or "huge" not in fault]
    async with Client(NetworkSettings.model_validate(SHORT_LIMITS)) as client:
        hasty = replace(service, client=client)
        answers = await asyncio.gather(
            *(hasty.ask(way, ASKED, web_search=True, fault=fault) for way in ways)
        )
        for index in range(len(ways)):
            await asyncio.to_thread(service.sandbox.wait_for_end, index)

    assert [errors_in(events) for events in answers] == [[STOPPED[fault]]] * len(ways)
    assert all(text_in(events) for events in answers)
    assert not {"open", "stopped with the server"} & set(_endings(service))
    assert all(_keeps_the_secret(events, caplog) for events in answers)


@each_way
@pytest.mark.parametrize("fault", SURVIVED)
async def test_what_can_be_survived_is(
    service: Service, caplog: pytest.LogCaptureFixture, way: Way, fault: str
) -> None:
    caplog.set_level(logging.DEBUG)
    whole = await _answer(service, way)

    events = await _answer(service, way, fault)

    text, cited = text_in(events), citations_in(events)
    places = [(c.start, c.end) for c in cited]
    assert errors_in(events) == []
    assert set(warnings_in(events)) == WARNED.get(fault, {}).get(way.name, set())
    assert text == text_in(whole)
    assert sum(isinstance(event, Done) for event in events) == 1
    assert _endings(service) == ["complete"]
    assert all(s is None or e is None or 0 <= s < e <= len(text) for s, e in places)
    if (way.name, fault) == ("gemini", "dangling_indices"):
        assert cited == []
    elif fault in {"offsets_out_of_range", "dangling_indices"}:
        assert {c.domain for c in cited} == {c.domain for c in citations_in(whole)}
    else:
        assert {(c.domain, c.start) for c in cited} == {
            (c.domain, c.start) for c in citations_in(whole)
        }
    assert _keeps_the_secret(events, caplog)


@each_way
@pytest.mark.parametrize("fault", sorted(PASSING))
async def test_a_passing_failure_before_any_output_is_tried_again(
    service: Service, way: Way, fault: str
) -> None:
    events = await _answer(service, way, f"{fault};times=1")

    assert errors_in(events) == []
    assert text_in(events).startswith("Here is what the pages say")
    assert _endings(service) == ["refused", "complete"]
    assert len(service.pauses) == 1


@each_way
async def test_an_error_before_anything_is_said_is_tried_again(service: Service, way: Way) -> None:
    events = await _answer(service, way, "error_in_200;times=1")

    assert errors_in(events) == []
    assert text_in(events).startswith("Here is what the pages say")
    assert len(service.sandbox.requests) == 2


@each_way
@pytest.mark.parametrize("fault", sorted(PASSING))
async def test_a_failure_that_stays_is_tried_three_times(
    service: Service, way: Way, fault: str
) -> None:
    events = await _answer(service, way, fault)

    assert errors_in(events) == [REFUSED[fault]]
    assert len(service.sandbox.requests) == 3
    assert len(service.pauses) == 2


@each_way
@pytest.mark.parametrize("fault", ["overloaded_after_text", "cut_in_event", "end_without_terminal"])
async def test_nothing_is_tried_again_once_output_has_begun(
    service: Service, way: Way, fault: str
) -> None:
    events = await _answer(service, way, f"{fault};times=1")

    assert errors_in(events) == [BROKEN[fault]]
    assert len(service.sandbox.requests) == 1
    assert service.pauses == []


@each_way
@pytest.mark.parametrize("fault", ["quota", "unauthorized", "forbidden", "wrong_content_type"])
async def test_what_asking_again_cannot_help_is_asked_once(
    service: Service, way: Way, fault: str
) -> None:
    await _answer(service, way, fault)

    assert len(service.sandbox.requests) == 1
    assert service.pauses == []


@each_way
async def test_the_time_that_the_service_asks_for_is_waited(service: Service, way: Way) -> None:
    events = await _answer(service, way, "rate_limit;retry_after=7.5;times=1")

    assert errors_in(events) == []
    assert service.pauses == [7.5]


@each_way
async def test_too_long_a_wait_is_left_to_the_caller(service: Service, way: Way) -> None:
    events = await _answer(service, way, "rate_limit;retry_after=61")

    (error,) = [event for event in events if isinstance(event, Error)]
    assert (error.code, error.retry_after_seconds) == ("rate_limit", 61)
    assert service.pauses == []


@each_way
async def test_a_reader_who_leaves_closes_the_connection_at_once(
    service: Service, way: Way
) -> None:
    answer = service.adapter(way, fault="silence").answer(_asked(way))

    with _nothing_abandoned():
        async with aclosing(answer) as events:
            async for event in events:
                if isinstance(event, TextDelta):
                    break

    entry = await asyncio.to_thread(service.sandbox.wait_for_end)
    assert entry.ended == "closed by the client"


@each_way
async def test_a_cancelled_reader_closes_the_connection_at_once(service: Service, way: Way) -> None:
    has_begun = asyncio.Event()

    async def read() -> None:
        async for event in service.adapter(way, fault="silence").answer(_asked(way)):
            if isinstance(event, TextDelta):
                has_begun.set()

    with _nothing_abandoned():
        reader = asyncio.create_task(read())
        await has_begun.wait()
        reader.cancel()
        await asyncio.wait([reader])

    assert reader.cancelled()
    entry = await asyncio.to_thread(service.sandbox.wait_for_end)
    assert entry.ended == "closed by the client"


@pytest.mark.parametrize("fault", ["unauthorized", "cut_in_event", "rate_limit", "garbage_json"])
async def test_no_exception_shows_the_key_not_even_with_its_variables(
    service: Service, fault: str
) -> None:
    way = WAY["openai"]
    shown = ""
    try:
        await service.adapter(way, fault=fault).generate_simple_completion(way.model, "Hello")
    except GroundwireError as error:
        report = traceback.TracebackException.from_exception(error, capture_locals=True)
        shown = "".join(report.format(chain=True))

    assert bool(shown) == (fault != "garbage_json")
    assert CANARY not in shown
