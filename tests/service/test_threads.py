"""One Groundwire for several threads; an asynchronous one for its own loop alone."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from threading import Event

import pytest

import groundwire
from groundwire.chat import Answer
from groundwire.chat.events import TextShown, TurnEnded
from groundwire.conversation import Status
from groundwire.errors import ConfigError
from groundwire.sandbox import SandboxServer
from groundwire.service.actor import OWNER
from groundwire.service.open import BlockingGroundwire
from groundwire.store import Store
from tests.chat.program import OTTERS, keys, settings
from tests.forked import python

MANY = 8


@contextmanager
def opened(
    sandbox: SandboxServer, folder: Path, *, fault: str = "", keep: bool = False
) -> Iterator[BlockingGroundwire]:
    faults = {"anthropic": fault}
    database = str(folder / "talk.sqlite3")
    with groundwire.open(
        settings=settings(sandbox, faults), keys=keys(folder), keep=keep, database=database
    ) as gw:
        yield gw


@pytest.mark.parametrize("keep", [True, False])
def test_eight_threads_ask_one_groundwire_at_once(
    sandbox: SandboxServer, tmp_path: Path, keep: bool
) -> None:
    arrived, all_there = [0], asyncio.Event()

    async def meet() -> str:
        """Wait until everybody is here."""
        arrived[0] += 1
        if arrived[0] == MANY:
            all_there.set()
        await all_there.wait()
        return "met"

    def ask(number: int) -> Answer:
        question = f"Call meet, please, number {number}"
        return gw.ask(question, provider="anthropic", search="off", tools=[meet])

    with opened(sandbox, tmp_path, keep=keep) as gw, ThreadPoolExecutor(MANY) as threads:
        ended = [*threads.map(ask, range(MANY))]

    assert {each.status for each in ended} == {Status.COMPLETE}
    assert len({each.message.session_id for each in ended}) == MANY
    assert all("met" in each.text for each in ended)


def test_threads_stream_at_once_each_its_own_answer(sandbox: SandboxServer, tmp_path: Path) -> None:
    def stream(question: str) -> tuple[str, str]:
        events = [*gw.stream(question, provider="anthropic")]
        last = events[-1]
        assert isinstance(last, TurnEnded)
        shown = "".join(event.text for event in events if isinstance(event, TextShown))
        return shown, last.message.plain_text

    questions = [OTTERS, "What is photosynthesis?"] * 4
    with opened(sandbox, tmp_path) as gw, ThreadPoolExecutor(MANY) as threads:
        told = [*threads.map(stream, questions)]

    assert all(shown == kept for shown, kept in told)
    assert len({shown for shown, _ in told}) == 2


def test_leaving_the_events_early_ends_the_turn(sandbox: SandboxServer, tmp_path: Path) -> None:
    with opened(sandbox, tmp_path, fault="silence;after=4", keep=True) as gw:
        events = gw.stream(OTTERS, provider="anthropic")
        next(event for event in events if isinstance(event, TextShown))
        events.close()

        assert sandbox.wait_for_end().ended == "closed by the client"

    assert _statuses(tmp_path) == [Status.CANCELLED]


def test_closing_ends_the_streams_that_were_left_open(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    with opened(sandbox, tmp_path, fault="silence;after=4", keep=True) as gw:
        events = gw.stream(OTTERS, provider="anthropic")
        next(event for event in events if isinstance(event, TextShown))

    assert _statuses(tmp_path) == [Status.CANCELLED]
    with pytest.raises(ConfigError, match="is closed"):
        next(events)


def test_closing_while_another_thread_asks_is_told_to_that_thread(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    is_waiting, is_over = Event(), Event()

    def wait() -> str:
        """Wait for the end."""
        is_waiting.set()
        is_over.wait()
        return ""

    with ThreadPoolExecutor(1) as threads:
        with opened(sandbox, tmp_path) as gw:
            asking = threads.submit(
                lambda: gw.ask("Call wait", provider="anthropic", search="off", tools=[wait])
            )
            assert is_waiting.wait(60)

        with pytest.raises(ConfigError, match="closed while this was asked"):
            asking.result(60)
    is_over.set()


def test_after_closing_every_use_says_so(sandbox: SandboxServer, tmp_path: Path) -> None:
    with opened(sandbox, tmp_path) as gw:
        pass

    uses: list[Callable[[], object]] = [lambda: gw.ask(OTTERS), lambda: gw.stream(OTTERS)]
    for use in uses:
        with pytest.raises(ConfigError, match="is closed"):
            use()
    gw.close()


def test_an_asynchronous_tool_that_would_wait_for_itself_is_told(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    async def again() -> str:
        """Ask once more."""
        return gw.ask(OTTERS).text

    with opened(sandbox, tmp_path) as gw:
        ended = gw.ask("Call again", provider="anthropic", search="off", tools=[again])

    assert "this would wait for itself" in ended.message.tool_runs[0].error


def test_a_function_that_is_a_tool_may_ask_again(sandbox: SandboxServer, tmp_path: Path) -> None:
    def again() -> str:
        """Ask once more."""
        return gw.ask(OTTERS, provider="anthropic").text

    with opened(sandbox, tmp_path) as gw:
        ended = gw.ask("Call again", provider="anthropic", search="off", tools=[again])

    assert ended.message.tool_runs[0].status == "done"
    assert "sea otters wrap themselves in kelp" in ended.message.tool_runs[0].output


INTERRUPTED = """
import groundwire
try:
    with groundwire.open() as gw:
        print("open", flush=True)
        {asking}
except KeyboardInterrupt:
    print("interrupted")
"""
ASKING = {
    "ask": 'gw.ask("How do sea otters sleep?")',
    "stream": 'print(*(0 for _ in gw.stream("How do sea otters sleep?")))',
}


@pytest.mark.parametrize("way", ASKING)
def test_an_interrupt_cancels_the_turn_which_is_kept_as_cancelled(
    sandbox: SandboxServer, tmp_path: Path, way: str
) -> None:
    process = subprocess.Popen(
        python("-c", INTERRUPTED.format(asking=ASKING[way])),
        env={**_environment(sandbox, tmp_path, fault="silence;after=4")},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    while not (sandbox.requests and _statuses(tmp_path, "groundwire.sqlite3")):
        assert process.poll() is None

    process.send_signal(signal.SIGINT)
    printed, said = process.communicate(timeout=120)

    assert (printed, said) == ("open\ninterrupted\n", "")
    assert sandbox.wait_for_end().ended == "closed by the client"
    assert _statuses(tmp_path, "groundwire.sqlite3") == [Status.CANCELLED]


FORKED = """
import os, groundwire
with groundwire.open(keep=False) as gw:
    child = os.fork()
    if child == 0:
        try:
            gw.ask("How do sea otters sleep?")
        except groundwire.GroundwireError as error:
            print(error, flush=True)
    else:
        os.waitpid(child, 0)
        print(gw.ask("How do sea otters sleep?").status, flush=True)
"""


def test_a_forked_process_is_told_and_its_parent_goes_on(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", FORKED],
        env=_environment(sandbox, tmp_path),
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )

    told, status = done.stdout.splitlines()
    assert told.endswith("opened in another process: open one after the fork")
    assert status == "complete"


async def test_an_asynchronous_groundwire_is_for_the_loop_that_opened_it(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    opening = groundwire.open(settings=settings(sandbox), keys=keys(tmp_path), keep=False)
    async with opening as gw:

        async def ask() -> None:
            with pytest.raises(ConfigError, match="another event loop"):
                gw.stream(OTTERS)
            with pytest.raises(ConfigError, match="another event loop"):
                await gw.ask(OTTERS)
            with pytest.raises(ConfigError, match="another event loop"):
                await gw.conversation(actor=OWNER)

        await asyncio.to_thread(asyncio.run, ask())
        with pytest.raises(ConfigError, match="another event loop"):
            await asyncio.to_thread(gw.stream, OTTERS)
    with pytest.raises(ConfigError, match="is not open"):
        gw.stream(OTTERS)


def _environment(sandbox: SandboxServer, home: Path, *, fault: str = "") -> dict[str, str]:
    return {
        "PATH": os.environ["PATH"],
        "HOME": str(home),
        "GROUNDWIRE_HOME": str(home),
        "GROUNDWIRE_PROVIDERS__ANTHROPIC__BASE_URL": sandbox.base_url("anthropic", fault=fault),
        "ANTHROPIC_API_KEY": "any",
    }


def _statuses(folder: Path, name: str = "talk.sqlite3") -> list[Status]:
    """Return how the answers are kept."""

    async def read() -> list[Status]:
        async with Store.open(str(folder / name)) as store:
            page = await store.sessions.list("personal", user_id=None)
            kept = [await store.messages.history(each.id) for each in page.sessions]
        return [message.status for messages in kept for message in messages[1:]]

    return asyncio.run(read())
