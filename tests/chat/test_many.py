"""Many turns at once in one process: every one gets its own answer, and all are kept."""

from __future__ import annotations

import asyncio

from groundwire.conversation import MessageKind, Status
from groundwire.sandbox import SandboxServer
from tests.chat.program import Talk, Told, opened

TURNS = 200
TOPICS = ("sea otters", "volcanoes", "sourdough", "chess")


async def _asked(talk: Talk, topic: str) -> Told:
    told = await talk.turn(f"Tell me about {topic}")
    assert told.message.status is Status.COMPLETE
    return told


async def test_two_hundred_turns_at_once_are_all_answered_and_kept(
    sandbox: SandboxServer, empty_url: str
) -> None:
    topics = [TOPICS[number % len(TOPICS)] for number in range(TURNS)]

    # However slow the machine is, nobody is sent away.
    async with opened(sandbox, empty_url, store={"pool_wait_seconds": 600}) as talk:
        alone = {topic: (await _asked(talk, topic)).message.content for topic in TOPICS}
        done = await asyncio.gather(*(_asked(talk, topic) for topic in topics))

        for topic, told in zip(topics, done, strict=True):
            question, answer = await talk.program.store.messages.history(told.started.session_id)
            assert (question.kind, question.content) == (
                MessageKind.USER,
                f"Tell me about {topic}",
            )
            assert (answer.status, answer.content) == (Status.COMPLETE, alone[topic])
    assert len(set(alone.values())) == len(TOPICS)
    assert len({told.started.session_id for told in done}) == TURNS
