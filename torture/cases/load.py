"""A thousand at once, and one more than allowed."""

from __future__ import annotations

import asyncio

from torture.client import Asker, Told
from torture.registry import case
from torture.report import expect
from torture.server import Wish, until
from torture.stage import Stage

MOST_MEGABYTES = 300.0
PACE_SECONDS = 0.02


@case("many-streams", "1,000 streams at once: each whole and its own, server below 300 MB")
async def many_streams(stage: Stage) -> None:
    with stage.paced(PACE_SECONDS):
        async with stage.serve(Wish(logs_all=False)) as (server, asker):

            async def one(number: int) -> None:
                with stage.tally.fault(f"stream {number}"):
                    told = await asker.ask(f"Tell me of number {number} at length", search="off")
                    message = told.message
                    expect(message["status"] == "complete", f"it is {message['error']!r}")
                    expect(f"number {number} " in told.text, "the answer is another's")

            await asyncio.gather(*map(one, range(stage.scale.streams)))
            peak = server.megabytes(peak=True)
            stage.tally.figures["MB at most"] = round(peak)
            with stage.tally.fault("memory"):
                expect(peak < MOST_MEGABYTES, f"the server had {peak:.0f} MB")


@case("too-many", "over the limit: 503 with Retry-After, nothing kept of it; then there is room")
async def too_many(stage: Stage) -> None:
    limit = 4
    async with stage.serve(Wish(options={"max_answers": limit})) as (_, asker):
        base_url = stage.providers.url("anthropic", "silence;after=3")
        provider = await asker.add_provider("anthropic", base_url)
        running = [
            asyncio.create_task(asker.ask(search="off", provider_id=provider)) for _ in range(limit)
        ]
        await until(lambda: sum(bool(told.text) for told in stage.turns[1:]) == limit, 30)
        for number in range(10):
            with stage.tally.fault(f"one too many, number {number + 1}"):
                refused = await asker.ask("Me too", search="off")
                expect(refused.status == 503, f"it answers {refused.status}")
                expect(refused.refusal["error"]["code"] == "busy", f"{refused.refusal}")
                expect(refused.retry_after == "2", f"Retry-After is {refused.retry_after!r}")
        begun = stage.turns[1 : limit + 1]
        await asyncio.gather(*map(asker.stop, begun))
        await asyncio.gather(*running)
        with stage.tally.fault("room again"):
            await _is_answered(asker)
            sessions = (await asker.get("/api/sessions"))["sessions"]
            expect(len(sessions) == limit + 2, f"there are {len(sessions)} sessions")


async def _is_answered(asker: Asker) -> Told:
    told = await asker.ask("Me too", search="off")
    expect(told.message["status"] == "complete", f"it is {told.message['error']!r}")
    return told
