"""What happens to checks, kept pages and bundles: kills, services that fail, strangers' files."""

from __future__ import annotations

import asyncio
import os
import random
import signal
import sys
from itertools import islice
from pathlib import Path

from tests.evidence.test_bundle import HOSTILE, damaged

from groundwire.checks import hash_of
from groundwire.model import Json
from groundwire.sandbox.played_citations import PLAYED
from torture.checks import check_sound
from torture.client import CANARY, Asker, Told
from torture.registry import case
from torture.report import expect
from torture.server import Served
from torture.stage import Stage

CITED = f"Windmills: {', '.join(each.words for each in PLAYED)}"
AFTER_SECONDS = 1.0
"""How long after an answer its server may still live: its checks take about as long."""
READING_FAULTS = (
    "server_error",
    "rate_limit",
    "silence;late",
    "cut_in_event",
    "wrong_content_type",
)
DAMAGES_EVERY = 10


def _kill_all(server: Served) -> None:
    """Kill a server with the processes that read and compare for it."""
    for pid in (server.pid, *server.children()):
        os.kill(pid, signal.SIGKILL)


async def _ask_cited(asker: Asker) -> Told:
    status, said = await asker.call(
        "PATCH", "/api/workspaces/personal", {"web_allowed_domains": ["*"]}
    )
    expect(status == 200, f"the workspace answers {status}: {said}")
    told = await asker.ask(CITED, search="hosted")
    expect(told.message["status"] == "complete", f"it is {told.message['error']!r}")
    return told


async def _settled(asker: Asker, told: Told) -> list[Json]:
    """Return what the citations of an answer came to, once all of them are compared."""
    path = f"/api/messages/{told.started['message_id']}/checks"
    found: Json = {"state": ""}
    async with asyncio.timeout(60):
        while found["state"] != "done":
            found = await asker.get(path)
            await asyncio.sleep(0.1)
    checks: list[Json] = found["checks"]
    keys = [(each["position"], each["number"]) for each in checks]
    expect(len(checks) == len(PLAYED), f"{len(checks)} checks of {len(PLAYED)} citations")
    expect(len({*keys}) == len(keys), "a citation was compared twice")
    return checks


async def _check_kept_pages(asker: Asker, told: Told, checks: list[Json]) -> None:
    """Check that every page that was compared is kept as it was compared, to the letter."""
    for check in (each for each in checks if each["page_hash"]):
        path = f"/api/messages/{told.started['message_id']}/sources/{check['number']}"
        page = await asker.get(path)
        expect(page["page_hash"] == check["page_hash"], "another page is kept")
        expect(hash_of(page["text"]) == page["page_hash"], "the kept page is not whole")


@case("checks-kill", "kill -9 while citations are compared: another start goes on, pages are whole")
async def checks_kill(stage: Stage) -> None:
    path = stage.folder / "store.sqlite3"
    stage.database = str(path)
    chance = random.Random(20)
    asked: list[Told] = []
    for number in range(max(2, stage.scale.kills // 2)):
        with stage.tally.fault(f"kill {number + 1}"):
            server = stage.server()
            await server.start()
            asker = Asker(server.url, stage.turns)
            try:
                asked.append(await _ask_cited(asker))
                await asyncio.sleep(chance.uniform(0, AFTER_SECONDS))
            finally:
                _kill_all(server)
                await server.kill()
                await asker.close()
    async with stage.serve() as (_, asker):
        for told in asked:
            with stage.tally.fault("the checks of an answer whose server was killed"):
                await _check_kept_pages(asker, told, await _settled(asker, told))
    check_sound(path)


@case("checks-faults", "a reader that fails while citations are compared delays and breaks nothing")
async def checks_faults(stage: Stage) -> None:
    limits: Json = {"network__idle_timeout_seconds": 2, "checks__seconds": 5}
    for fault in READING_FAULTS:
        url = stage.providers.url("jina", fault)
        async with stage.serve(providers__jina__base_url=url, **limits) as (_, asker):
            with stage.tally.fault(fault):
                told = await _ask_cited(asker)
                checks = await _settled(asker, told)
                reasons = [each["not_compared"] for each in checks]
                expect(all(reasons), f"something was compared with nothing: {reasons}")


async def _command(stage: Stage, *words: str) -> tuple[int, str]:
    """Run one of our commands, and return its code and what it said."""
    process = await asyncio.create_subprocess_exec(
        sys.executable,
        "-m",
        "groundwire",
        *words,
        env=stage.environment(),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.STDOUT,
    )
    said, _ = await process.communicate()
    expect(CANARY.encode() not in said, "a key is in what it says")
    assert process.returncode is not None
    return process.returncode, said.decode("utf-8", "replace")


def _files_below(folder: Path) -> set[str]:
    return {str(each.relative_to(folder)) for each in folder.rglob("*")}


@case("hostile-bundles", "strangers' bundles are refused with a reason; nothing is written or kept")
async def hostile_bundles(stage: Stage) -> None:
    strangers = [*HOSTILE.items(), *islice(damaged(), 0, None, DAMAGES_EVERY)]
    home = stage.folder / "home"
    for name, body in strangers[: 6 if stage.scale.is_quick else None]:
        with stage.tally.fault(f"a bundle that {name}"):
            home.mkdir(exist_ok=True)
            place = home / "stranger.wacz"
            place.write_bytes(body)
            before = _files_below(stage.folder)
            for words in (["bundle", "verify"], ["import"]):
                code, said = await _command(stage, *words, str(place))
                expect(code == 1, f"{words} ended with {code}: {said[-300:]}")
                expect(said.strip() and "Traceback" not in said, f"{words} said {said[-300:]!r}")
            new = {each for each in _files_below(stage.folder) - before if "evil" in each}
            expect(not new, f"it wrote {new}")
    with stage.tally.fault("nothing was kept"):
        code, said = await _command(stage, "sessions", "--json")
        expect(code == 0 and said.strip() in ("[]", ""), f"it has {said[:200]}")
