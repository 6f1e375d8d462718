"""The live pages of an answer, read again: what stands, what moved, what changed, what is gone."""

from __future__ import annotations

import json
import os
import subprocess
from dataclasses import replace
from pathlib import Path

from groundwire.checks import CitationCheck, check_claim, hash_of, index_page, to_json
from groundwire.checks.records import CheckRecord
from groundwire.guard import ANYWHERE, DomainPolicy
from groundwire.service.recheck import PassageChange, Rechecked, Rechecker, counted
from tests.chat.cited_web import OTTER, SITE, serving
from tests.evidence.dossiers import dossier, snapshot
from tests.forked import groundwire

CLAIM = "Resting sea otters wrap themselves in kelp, so that the current does not carry them away."
PAGES = {
    "/same": OTTER,
    "/moved": f"# News\n\nSomething else comes first today.\n\n{OTTER}",
    "/changed": OTTER.replace("wrap themselves in kelp", "wrap themselves in brown seaweed"),
    "/blocked": "# Just a moment\n\nPlease verify you are human to go on to the page.",
    "/rewritten": "# Badger\n\nBadgers live in setts, which they dig into slopes and under hedges.",
}


def _record(position: int, path: str) -> CheckRecord:
    check = CitationCheck(
        number=position,
        position=position,
        claim=CLAIM,
        url=f"{SITE}{path}",
        check=check_claim(CLAIM, index_page(OTTER, SITE)),
        page_hash=hash_of(OTTER),
    )
    return CheckRecord(message_id="m2", position=position, number=position, data=to_json(check))


async def _rechecked(policy: DomainPolicy = ANYWHERE) -> list[Rechecked]:
    paths = [*PAGES, "/gone"]
    whole = replace(
        dossier(),
        checks=tuple(_record(number, path) for number, path in enumerate(paths, 1)),
        snapshots=(snapshot("m2", f"{SITE}/same", OTTER),),
        source_pages=(),
    )
    async with serving(PAGES) as (search_context, _):
        return [each async for each in Rechecker(search_context, policy).recheck(whole)]


async def test_every_passage_is_said_to_stand_or_how_it_changed() -> None:
    found = await _rechecked()
    changed, blocked, rewritten, gone = found[2:]

    assert [each.change for each in found] == [
        PassageChange.SAME,
        PassageChange.MOVED,
        PassageChange.CHANGED,
        PassageChange.UNREAD,
        PassageChange.CHANGED,
        PassageChange.GONE,
    ]
    assert changed.difference == ("- kelp,", "+ brown seaweed,")
    assert (rewritten.now, rewritten.difference[0][0]) == ("", "-")
    assert "404" in gone.reason
    assert (blocked.difference, "block notice" in blocked.reason) == ((), True)
    assert counted(found)[PassageChange.CHANGED] == 2


async def test_a_page_that_a_policy_forbids_is_not_read_again() -> None:
    found = await _rechecked(DomainPolicy(allowed=("b.example",)))

    assert {each.change for each in found} == {PassageChange.UNREAD}
    assert all("a.example" in each.reason for each in found)


def test_documents_that_a_plain_install_quotes_are_found_again(tmp_path: Path) -> None:
    def run(*words: str) -> str:
        environment = {**os.environ, "GROUNDWIRE_HOME": str(tmp_path)}
        done = subprocess.run(
            groundwire(*words),
            env=environment,
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
        return done.stdout

    events = map(json.loads, run("ask", "--json", "Who places the citations?").splitlines())
    message_id = next(each["message_id"] for each in events if "message_id" in each)

    found = run("recheck", message_id)

    assert "still there" in found
    assert "page gone" not in found
