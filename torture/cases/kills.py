"""What ends servers: kill -9 in the middle of streams, and SIGTERM while they run."""

from __future__ import annotations

import asyncio
import random
import signal

import aiohttp

from torture.checks import check_sound, plain
from torture.client import LONG, Asker, Told
from torture.registry import case
from torture.report import BrokenPromiseError, expect
from torture.server import until
from torture.stage import Stage

TURNS_AT_ONCE = 6
PACE_SECONDS = 0.01
END = "Goodbye."
GRACE_SECONDS = 10.0


async def _ask_until_killed(asker: Asker, begun: asyncio.Event) -> None:
    """Ask one question after the other until nobody answers."""
    try:
        while True:
            async with asker.asking(LONG, search="off") as (told, events):
                async for _ in events:
                    begun.set()
                expect(told.is_done, "cut")
    except (aiohttp.ClientError, BrokenPromiseError):
        pass  # It was killed.


async def _kill_once(stage: Stage, seconds: float) -> None:
    server = stage.server()
    await server.start()
    asker = Asker(server.url, stage.turns)
    begun = asyncio.Event()
    asking = [asyncio.create_task(_ask_until_killed(asker, begun)) for _ in range(TURNS_AT_ONCE)]
    try:
        async with asyncio.timeout(30):
            await begun.wait()
        await asyncio.sleep(seconds)
    finally:
        await server.kill()
        await asyncio.gather(*asking)
        await asker.close()


async def _kill_often(stage: Stage) -> None:
    generator = random.Random(stage.scale.kills)
    with stage.paced(PACE_SECONDS):
        for number in range(stage.scale.kills):
            with stage.tally.fault(f"kill {number + 1}"):
                before = len(stage.turns)
                await _kill_once(stage, generator.uniform(0.05, 0.9))
                expect(len(stage.turns) > before, "nothing was asked")
        async with stage.serve() as (_, asker):
            cut = [told for told in stage.turns if told.events and not told.is_done]
            behind = [await _behind(asker, told) for told in cut]
    stage.tally.figures |= {
        "turns": len(stage.turns),
        "cut in the middle": len(cut),
        "characters behind at most": max(behind, default=0),
    }


async def _behind(asker: Asker, told: Told) -> int:
    """Check an answer that was cut, and return how many characters that were shown it lacks."""
    kept = await asker.get(f"/api/sessions/{told.started['session_id']}")
    answer = next(each for each in kept["messages"] if each["id"] == told.started["message_id"])
    text, status = plain(answer), answer["status"]
    is_whole = text.rstrip().endswith(END)
    expect(status in ("interrupted", "complete"), f"a killed answer is {status}")
    expect(is_whole or status != "complete", "half an answer pretends to be whole")
    return max(0, len(told.text) - len(text))


@case("kill-sqlite", "kill -9 while streaming: 0 acknowledged messages lost, none seems to go on")
async def kill_sqlite(stage: Stage) -> None:
    path = stage.folder / "store.sqlite3"
    stage.database = str(path)
    await _kill_often(stage)
    check_sound(path)


@case("kill-postgresql", "the same on PostgreSQL")
async def kill_postgresql(stage: Stage) -> None:
    await stage.use_postgresql()
    await _kill_often(stage)


@case("terminate", "SIGTERM: every stream ends with its answer, interrupted, within the grace")
async def terminate(stage: Stage) -> None:
    with stage.paced(PACE_SECONDS):
        async with stage.serve() as (server, asker):
            asking = [asyncio.create_task(asker.ask(LONG, search="off")) for _ in range(20)]
            loop = asyncio.get_running_loop()
            await until(lambda: sum(bool(told.text) for told in stage.turns[1:]) == 20, 30)
            began = loop.time()
            server.send(signal.SIGTERM)
            all_told = await asyncio.gather(*asking, return_exceptions=True)
            await server.ended()
            stage.tally.figures["seconds to end"] = round(loop.time() - began, 2)
            for told in all_told:
                with stage.tally.fault("a stream when the server ends"):
                    if isinstance(told, BaseException):
                        raise told
                    status, is_whole = told.message["status"], told.text.endswith(END)
                    expect(status == "interrupted" or is_whole, f"it is {status}")
                    expect(status in ("interrupted", "complete"), f"it is {status}")
                    expect(loop.time() - began < GRACE_SECONDS, "it took too long")
            stage.check_files(server)
        # Another one finds it all as it was streamed.
        async with stage.serve():
            pass
