"""Kill -9 in the middle of streams: nothing that was acknowledged is lost."""

from __future__ import annotations

import multiprocessing
import os
import random
import signal
import threading
from collections.abc import Iterator
from contextlib import suppress
from multiprocessing.connection import Connection

import pytest

from groundwire.conversation import MessageKind, Status
from groundwire.sandbox import SandboxServer
from groundwire.store import Store
from tests.chat import killed

# One warm process from which all others fork: a fresh interpreter for each would take minutes.
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["tests.chat.killed", "groundwire.service.program"])
_WHOLE = {Status.COMPLETE, Status.INTERRUPTED, Status.FAILED, Status.CANCELLED}


@pytest.fixture(scope="module")
def slow_sandbox() -> Iterator[SandboxServer]:
    """Run a sandbox that takes its time, so that most kills hit the middle of an answer."""
    with SandboxServer(pace_seconds=0.01) as server:
        yield server


@pytest.mark.parametrize("kills", [int(os.environ.get("KILLS", "6"))])
async def test_after_kills_every_question_is_there_and_no_answer_pretends_to_be_whole(
    slow_sandbox: SandboxServer, empty_url: str, kills: int
) -> None:
    generator = random.Random(kills)
    url = slow_sandbox.base_url("anthropic")
    acknowledged: list[tuple[str, str, str]] = []

    for _ in range(kills):
        acknowledged += _killed_after(generator.uniform(0.05, 0.6), url, empty_url)

    async with Store.open(empty_url) as store:
        health = await store.check()
        for session_id, question_id, answer_id in acknowledged:
            kept = {each.id: each for each in await store.messages.history(session_id)}
            assert kept[question_id].kind is MessageKind.USER
            assert kept[question_id].content == "Tell me of otters at length"
            answer = kept[answer_id]
            assert answer.status in _WHOLE
            is_whole = answer.plain_text.rstrip().endswith("That is all I found.")
            assert (answer.status is Status.COMPLETE) <= is_whole
    assert health.problems == ()
    assert len(acknowledged) >= kills


def _killed_after(seconds: float, url: str, database: str) -> list[tuple[str, str, str]]:
    """Run turns in a process, kill it, and return what it had acknowledged."""
    ours, theirs = multiprocessing.Pipe(duplex=False)
    process = _CONTEXT.Process(target=killed.run, args=(url, database, theirs))
    process.start()
    theirs.close()
    if not ours.poll(30):
        raise AssertionError("the process never began")
    threading.Event().wait(seconds)
    assert process.pid is not None
    os.kill(process.pid, signal.SIGKILL)
    process.join()
    return [*_received(ours)]


def _received(pipe: Connection) -> Iterator[tuple[str, str, str]]:
    with suppress(EOFError):
        while True:
            yield pipe.recv()
