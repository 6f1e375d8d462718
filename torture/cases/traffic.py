"""A day in fast motion: chats of every kind, with faults, deletions and people who leave."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Awaitable, Callable
from statistics import median
from typing import TypeAlias

from torture.client import LONG, OTTERS, Asker, Told
from torture.registry import case
from torture.report import expect
from torture.server import Served, Wish
from torture.stage import MODELS, Stage

Kind: TypeAlias = Callable[[], Awaitable[None]]

PEOPLE = 12
SAMPLES = 60
MOST_GROWTH = 1.10
FAULTS = ("cut_in_event", "overloaded_after_text", "garbage_json", "unauthorized", "huge_event")


class Day:
    """What people do with one server."""

    def __init__(self, stage: Stage, asker: Asker, faulty: list[str]) -> None:
        self._asker = asker
        self._faulty = faulty
        self._generator = random.Random(7)
        self._sessions: list[str] = []
        self._turns = stage.turns
        self.kinds: dict[str, tuple[int, Kind]] = {
            "plain": (20, self.plain),
            "cited": (25, self.cited),
            "by tools": (10, self.by_tools),
            "going on": (15, self.going_on),
            "faulty": (10, self.faulty),
            "stopped": (5, self.stopped),
            "left": (5, self.left),
            "again": (3, self.again),
            "deleted": (5, self.deleted),
            "looking": (2, self.looking),
        }

    def next(self) -> tuple[str, Kind]:
        """Return what somebody does next."""
        weights = [weight for weight, _ in self.kinds.values()]
        [name] = self._generator.choices([*self.kinds], weights)
        return name, self.kinds[name][1]

    async def plain(self) -> None:
        """Ask without search."""
        self._whole(await self._asker.ask(LONG, search="off"))

    async def cited(self) -> None:
        """Ask a provider that searches."""
        name = self._generator.choice([*MODELS])
        told = await self._asker.ask(OTTERS, provider_id=name, model=MODELS[name])
        self._whole(told)
        expect(told.message["citations"], "nothing is cited")

    async def by_tools(self) -> None:
        """Ask a model that calls our tools."""
        body = {"provider_id": "openai", "model": "gpt-4o", "search": "client"}
        self._whole(await self._asker.ask("Use web_search for sea otters", **body))

    async def going_on(self) -> None:
        """Ask a second question in an earlier session."""
        if not self._sessions:
            return await self.plain()
        session_id = self._generator.choice(self._sessions[-50:])
        self._whole(await self._asker.ask("And tides?", session_id=session_id, search="off"))
        return None

    async def faulty(self) -> None:
        """Ask a provider that fails."""
        provider = self._generator.choice(self._faulty)
        told = await self._asker.ask(OTTERS, provider_id=provider, model=MODELS["anthropic"])
        expect(told.is_done, "the stream did not end")

    async def stopped(self) -> None:
        """Stop an answer."""
        async with self._asker.asking(LONG, search="off") as (told, events):
            async for event in events:
                if event.type == "text":
                    break
            expect(await self._asker.stop(told) == 204, "it could not be stopped")
            async for _ in events:
                pass

    async def left(self) -> None:
        """Close the tab, and come back for the end."""
        async with self._asker.asking(LONG, search="off") as (told, events):
            async for _ in events:
                break
        told.events += await self._asker.resume(told.started["message_id"], 1)

    async def again(self) -> None:
        """Click twice."""
        body = {"client_id": f"click-{self._generator.random()}", "search": "off"}
        both = await asyncio.gather(*(self._asker.ask(OTTERS, **body) for _ in range(2)))
        expect(both[0].events == both[1].events, "two clicks are two turns")

    async def deleted(self) -> None:
        """Delete a session, with all that was said in it."""
        told = await self._asker.ask(OTTERS)
        session_id = told.started["session_id"]
        status, _ = await self._asker.call("DELETE", f"/api/sessions/{session_id}")
        expect(status == 204, f"deleting answers {status}")
        told.is_deleted = True

    async def looking(self) -> None:
        """Look around."""
        for path in ("/api/sessions?query=otters", "/api/usage", "/"):
            await self._asker.get(path)

    def _whole(self, told: Told) -> None:
        expect(told.message["status"] == "complete", f"it is {told.message['error']!r}")
        self._sessions.append(told.started["session_id"])


@case("day", "a day's traffic in fast motion: every chat as it should be, memory flat")
async def day(stage: Stage) -> None:
    # Five minutes for which an ended turn can be read again are a second of such a day.
    wish = Wish(options={"kept_seconds": 1.0}, logs_all=False)
    async with stage.serve(wish, network__retries=0) as (server, asker):
        urls = [stage.providers.url("anthropic", f"{fault};size=2000000") for fault in FAULTS]
        faulty = [await asker.add_provider("anthropic", url) for url in urls]
        doings = Day(stage, asker, faulty)
        samples = await _live(stage, server, doings)
        third = len(samples) // 3
        middle, last = median(samples[third : 2 * third]), median(samples[2 * third :])
        stage.tally.figures |= {
            "MB in the middle third": round(middle, 1),
            "MB in the last": round(last, 1),
        }
        with stage.tally.fault("memory"):
            expect(last <= middle * MOST_GROWTH, f"it grew from {middle:.0f} to {last:.0f} MB")


async def _live(stage: Stage, server: Served, doings: Day) -> list[float]:
    """Let people do what they do, and return the server's memory over time."""
    samples: list[float] = []
    left = stage.scale.chats
    every = max(1, stage.scale.chats // SAMPLES)

    async def person() -> None:
        nonlocal left
        while left > 0:
            left -= 1
            if left % every == 0:
                samples.append(server.megabytes())
            name, do = doings.next()
            with stage.tally.fault(name):
                await do()

    await asyncio.gather(*(person() for _ in range(PEOPLE)))
    return samples
