"""Answers that an older revision of the database kept, over the API of today."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from sqlalchemy import text

from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from groundwire.store import PERSONAL
from groundwire.store.database import Database
from groundwire.store.database_url import address
from groundwire.store.migration import migrate
from groundwire.testing import sandbox
from tests.web.server import Web

__all__ = ["sandbox"]

WHEN = "2026-01-02 03:04:05.000000"
OTTER = {"url": "https://wiki.example.net/otter", "title": "Otter", "domain": "wiki.example.net"}
RIVER = {"url": "https://news.example.com/river", "title": "", "domain": "news.example.com"}
CONTENT = "They do [1], in matrix[0][1]."
TABLES: dict[str, dict[str, Json]] = {
    "workspaces": {"id": PERSONAL, "name": "Personal"},
    "agents": {
        "id": "a1",
        "workspace_id": PERSONAL,
        "name": "Finder",
        "description": "",
        "system_prompt": "",
        "is_built_in": 0,
        "web_search_enabled": 1,
    },
    "sessions": {"id": "s1", "workspace_id": PERSONAL, "agent_id": "a1", "title": "Otters"},
}


def _message(key: str, kind: str, content: str, citations: str | None) -> dict[str, Json]:
    told = {"provider": "anthropic", "model": "m", "thinking": "", "citations": citations}
    return {"id": key, "session_id": "s1", "kind": kind, "content": content, **told}


async def _as_revision_8_kept_it(path: Path) -> None:
    """Make a database of revision 8 with one session in it."""
    database = Database(address(str(path)))
    await migrate(database, "0008")
    messages = [
        _message("m1", "USER", "Do otters sleep?", None),
        _message("m2", "AI_RESPONSE", CONTENT, json.dumps([OTTER, RIVER])),
        _message("m3", "AI_RESPONSE", "No sources.", None),
        _message("m4", "AI_RESPONSE", "Broken.", "{not json"),
    ]
    rows = [*TABLES.items(), *(("messages", message) for message in messages)]
    for number, (table, row) in enumerate(rows):
        whole = {**row, "created_at": WHEN[:-1] + str(number), "updated_at": WHEN}
        names = ", ".join(whole)
        values = ", ".join(f":{name}" for name in whole)
        statement = text(f"INSERT INTO {table} ({names}) VALUES ({values})")
        await database.execute(statement, whole)
    await database.close()


def test_citations_that_revision_8_kept_are_sources_of_their_answer(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    path = tmp_path / "old.sqlite3"
    asyncio.run(_as_revision_8_kept_it(path))

    with Web(sandbox, tmp_path, database=str(path)) as web:
        shown = web.client.get("/api/sessions/s1").json()["messages"]
        exported = web.client.get("/api/sessions/s1/export").text
        page = web.client.get("/answers/m2").text

    by_id = {message["id"]: message for message in shown}
    answer = by_id["m2"]["answer"]
    assert (answer["text"], answer["markers"]) == (CONTENT, [])
    assert [
        (each["number"], each["url"], each["title"], each["domain"], each["evidence"])
        for each in answer["sources"]
    ] == [
        (1, OTTER["url"], "Otter", OTTER["domain"], "cited"),
        (2, RIVER["url"], RIVER["domain"], RIVER["domain"], "cited"),
    ]
    assert [by_id[key]["answer"] for key in ("m1", "m3", "m4")] == [None, None, None]
    assert f"Sources:\n[1] Otter ({OTTER['url']})" in exported
    assert "Sources (2)" in page
