"""What happens to databases: no room, locked, damaged, gone, and a clock that jumps."""

from __future__ import annotations

import asyncio
import shutil
import sqlite3
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, contextmanager, suppress
from pathlib import Path

from torture.checks import check_sound
from torture.client import LONG, Asker, Told
from torture.registry import case
from torture.report import BrokenPromiseError, SkippedError, expect
from torture.server import Wish
from torture.stage import Stage

_ROOM = "4m"
_LIBRARIES = ("libfaketimeMT.so.1", "libfaketime.so.1")


@contextmanager
def small_disk(place: Path) -> Iterator[Path]:
    """Mount a disk of some megabytes.

    Raises:
        SkippedError: Only root may do that.
    """
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", f"size={_ROOM}", "tmpfs", str(place)]
    done = subprocess.run(command, capture_output=True, check=False)
    if done.returncode != 0:
        raise SkippedError("a small disk can be mounted by root only")
    try:
        yield place
    finally:
        subprocess.run(["umount", "-l", str(place)], check=True)


def _fill(disk: Path) -> Path:
    """Take all the room that is left."""
    ballast = disk / "ballast"
    with ballast.open("wb", buffering=0) as file:
        try:
            while True:
                file.write(b"x" * 4096)
        except OSError:
            return ballast


def _is_unsaved(told: Told) -> bool:
    return "not_saved" in told.codes("warning")


async def _works(asker: Asker) -> None:
    told = await asker.ask("Is all well again?", search="off")
    expect(told.message["status"] == "complete", f"it is {told.message['error']!r}")
    expect(not _is_unsaved(told), "nothing is saved any more")
    status, _ = await asker.call("POST", "/api/sessions", {"title": "well"})
    expect(status == 201, f"a write answers {status}")


@case("disk-full", "answers stream on with `not_saved`, writes are 507, then work without restart")
async def disk_full(stage: Stage) -> None:
    with small_disk(stage.folder / "disk") as disk:
        stage.database = str(disk / "store.sqlite3")
        async with stage.serve() as (_, asker):
            for number in range(stage.scale.times):
                with stage.tally.fault(f"the disk is full, time {number + 1}"):
                    before = await asker.ask(LONG)
                    ballast = _fill(disk)
                    full = await _until_unsaved(asker, before.started["session_id"])
                    expect(full.message["status"] == "complete", "the answer did not stream on")
                    expect("That is all I found." in full.text, "the answer is not whole")
                    status, said = await asker.call("POST", "/api/sessions", {"title": "x" * 200})
                    expect(status == 507, f"a write answers {status}: {said}")
                    expect(said["error"]["code"] == "disk_full", f"its code is {said}")
                    ballast.unlink()
                    await _works(asker)
        check_sound(Path(stage.database))


async def _until_unsaved(asker: Asker, session_id: str) -> Told:
    """Ask until there is no room: at first the log has pages that it can use again."""
    for _ in range(200):
        told = await asker.ask("Otters?", session_id=session_id)
        if _is_unsaved(told):
            return told
    raise BrokenPromiseError("the disk never became full")


@asynccontextmanager
async def _locked(path: Path) -> AsyncIterator[None]:
    """Be another process that writes."""
    with closing(sqlite3.connect(path, isolation_level=None)) as other:
        other.execute("BEGIN IMMEDIATE")
        try:
            yield
        finally:
            other.execute("ROLLBACK")


@case("database-locked", "a short lock is waited for; a long one is 503 and `not_saved`, no more")
async def locked(stage: Stage) -> None:
    path = stage.folder / "store.sqlite3"
    stage.database = str(path)
    async with stage.serve() as (_, asker):
        with stage.tally.fault("locked for 2 s"):
            asking = asyncio.create_task(asker.ask(LONG, search="off"))
            async with _locked(path):
                await asyncio.sleep(2)
            told = await asking
            expect(told.message["status"] == "complete", f"it is {told.message['error']!r}")
            expect(not _is_unsaved(told), "it is not saved, though it could be")
        with stage.tally.fault("locked for longer than is waited"):
            kept = await asker.ask(LONG, search="off")
            session_id = kept.started["session_id"]
            async with _locked(path):
                asking = asyncio.create_task(
                    asker.ask("And now?", search="off", session_id=session_id)
                )
                status, said = await asker.call("POST", "/api/sessions", {"title": "x"})
                expect(status == 503, f"a write answers {status}: {said}")
                told = await asking
            expect(told.message["status"] == "complete", f"it is {told.message['error']!r}")
            expect(_is_unsaved(told), "its reader was not told that it is not saved")
            await _works(asker)


@case("database-corrupt", "a damaged file is refused at the start and left as it is")
async def corrupt(stage: Stage) -> None:
    path = stage.folder / "store.sqlite3"
    stage.database = str(path)
    async with stage.serve() as (_, asker):
        for _ in range(5):
            await asker.ask(LONG)
    sound = path.read_bytes()
    for place in (0, len(sound) // 2, 100, 4096)[: 1 + stage.scale.times]:
        with stage.tally.fault(f"damaged at byte {place}"):
            damaged = bytearray(sound)
            damaged[place : place + 3000] = b"\xff" * len(damaged[place : place + 3000])
            path.write_bytes(damaged)
            server = stage.server()
            with suppress(BrokenPromiseError):
                await server.start()
            is_running = server.is_running
            await server.kill()
            expect(not is_running, "it started all the same")
            code = await server.ended()
            expect(code == 1, f"it did not end with an error of its own but with {code}")
            said = server.log().decode().rpartition("groundwire: ")[2]
            expect("restore a backup" in said, f"it says {said[:200]!r}")
            expect(path.read_bytes() == damaged, "the file was changed")
    path.write_bytes(sound)


@case("postgresql-gone", "while the database is gone answers stream on; then all works, no restart")
async def postgresql_gone(stage: Stage) -> None:
    server = await stage.use_postgresql()
    with stage.paced(0.02):
        async with stage.serve() as (_, asker):
            for number in range(stage.scale.times):
                with stage.tally.fault(f"the database goes and comes back, time {number + 1}"):
                    told = await _gone_while_streaming(asker, server)
                    expect(told.message["status"] == "complete", f"it is {told.message['error']!r}")
                    await _works(asker)


async def _gone_while_streaming(asker: Asker, server: object) -> Told:
    """Let the database go in the middle of an answer, and come back before its end."""
    stopped = False
    async with asker.asking(LONG, search="off") as (told, events):
        async for _ in events:
            if len(told.events) == 10 and not stopped:
                stopped = True
                await asyncio.to_thread(server.stop)  # type: ignore[attr-defined]
                status, _ = await asker.call("POST", "/api/sessions", {"title": "x"})
                expect(status == 503, f"a write answers {status}")
                status, ready = await asker.call("GET", "/api/ready")
                code = ready["error"]["code"] if status == 503 else ""
                expect(code == "store_unavailable", f"its readiness is {status} {ready}")
                health, _ = await asker.call("GET", "/api/health")
                expect(health == 200, f"its health is {health}")
                refused = await asker.ask("Are you there?", search="off")
                expect(refused.status == 503, f"a question answers {refused.status}")
                await asyncio.to_thread(server.start)  # type: ignore[attr-defined]
    return told


def _faketime() -> str:
    """Return the library that tells a process another time.

    Raises:
        SkippedError: It is not installed.
    """
    found = [path for name in _LIBRARIES for path in Path("/usr/lib").glob(f"*/faketime/{name}")]
    if not found or shutil.which("faketime") is None:
        raise SkippedError("faketime is not installed")
    return str(found[0])


@case("clock-jump", "hours forth and back end no turn and no session: timeouts use another clock")
async def clock_jump(stage: Stage) -> None:
    library = _faketime()
    clock = stage.folder / "clock"
    clock.write_text("+0")
    faked = {
        "LD_PRELOAD": library,
        "FAKETIME_TIMESTAMP_FILE": str(clock),
        "FAKETIME_CACHE_DURATION": "1",  # seconds after which it looks for a jump
        "FAKETIME_DONT_FAKE_MONOTONIC": "1",
    }
    wish = Wish(database=str(stage.folder / "store.sqlite3"), variables=faked, logs_all=False)
    with stage.paced(0.02):
        async with stage.serve(wish) as (_, asker):
            for jump in ("+40d", "-6h", "+6h", "+0")[: 1 + stage.scale.times]:
                with stage.tally.fault(f"the clock jumps by {jump}"):
                    async with asker.asking(LONG, search="off") as (told, events):
                        async for _ in events:
                            if len(told.events) == 20:
                                clock.write_text(jump)
                    status = told.message["status"]
                    expect(status == "complete", f"it is {status} {told.message['error']!r}")
                    await _works(asker)
