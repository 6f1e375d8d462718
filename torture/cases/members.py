"""Somebody who tries everything: each route, with each id that is not theirs, all at once."""

from __future__ import annotations

import asyncio
import os
import random
import sqlite3
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass

from tests.library.folders import OTTER, add, write
from tests.web.access_table import Row, filled, ids_for, read_table, request_of
from tests.web.town import Town, built

from groundwire.library import library_path
from groundwire.model import Json
from torture.client import CANARY
from torture.registry import case
from torture.report import expect
from torture.stage import Stage

TRYING = ("nobody", "member", "other member", "other admin", "member token", "maker demoted")
SECRETS = ("zebra", "ibex")
"""What stands in the answers of others."""
AT_ONCE = 8
# When a person or a server was last seen is no change.
_PASSING = tuple(f'INSERT INTO "{name}"' for name in ("web_sessions", "api_tokens", "owners"))


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """A request that the table of docs/access.md refuses to whoever makes it."""

    caller: str
    row: Row
    path: str
    body: Json
    refusal: str

    @property
    def method(self) -> str:
        """Return what is to be done."""
        return self.row[0].partition(" ")[0]


def _attempts(town: Town) -> list[Attempt]:
    """Return all that is refused to somebody, in a different order from the table's."""
    found = []
    for row, answers in read_table("Routes").items():
        asked = request_of(row)
        for caller in TRYING:
            if answers[caller] == "yes":
                continue
            ids = ids_for(town, caller, asked)
            path, body = filled(asked.path, ids), filled(asked.body, ids)
            refusal = answers[caller]
            found.append(Attempt(caller=caller, row=row, path=path, body=body, refusal=refusal))
    random.Random(25).shuffle(found)
    return found


def _kept(town: Town) -> list[str]:
    """Return all that the database has."""
    with closing(sqlite3.connect(town.web.database)) as database:
        return [line for line in database.iterdump() if not line.startswith(_PASSING)]


def _at_rest(town: Town) -> list[str]:
    """Return all that it has when the files that were uploaded for the attempts are read."""
    before, now = [""], _kept(town)
    while before != now:
        time.sleep(1)
        before, now = now, _kept(town)
    return now


def _made(town: Town, attempt: Attempt) -> str:
    """Make an attempt; return what is wrong with the answer, "" if it is refused as it should."""
    with town.web.new_client() as client:
        reply = client.request(
            attempt.method,
            attempt.path,
            json=attempt.body,
            headers=town.credentials[attempt.caller],
        )
    is_login = reply.status_code == 303 and reply.headers["location"].startswith("/login")
    status = 401 if is_login else reply.status_code
    if str(status) != attempt.refusal:
        return f"{status} instead of {attempt.refusal}: {reply.text[:200]}"
    seen = [word for word in (*SECRETS, CANARY) if word in reply.text]
    return f"the refusal says {seen}" if seen else ""


def _try_everything(stage: Stage, town: Town) -> None:
    add(library_path({}), write(stage.folder / "notes", {"otter.md": OTTER}))
    attempts = _attempts(town)
    before = _at_rest(town)
    with ThreadPoolExecutor(AT_ONCE) as crowd:
        answers = [*crowd.map(lambda attempt: _made(town, attempt), attempts)]
    for attempt, problem in zip(attempts, answers, strict=True):
        with stage.tally.fault(f"{attempt.caller}: {attempt.row}"):
            expect(not problem, problem)
    with stage.tally.fault("what is kept"):
        new = [line[:200] for line in _at_rest(town) if line not in {*before}]
        expect(not new, f"something was changed: {new[:3]}")


@case("member", "whoever tries every route with every id of others is refused, and changes nothing")
async def member(stage: Stage) -> None:
    os.environ["GROUNDWIRE_HOME"] = str(stage.folder)

    def run() -> None:
        with built(stage.providers.server, stage.folder) as town:
            _try_everything(stage, town)

    try:
        await asyncio.to_thread(run)
    finally:
        del os.environ["GROUNDWIRE_HOME"]
