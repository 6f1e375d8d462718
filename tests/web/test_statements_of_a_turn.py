"""How many statements a turn costs: a count, which no busy machine changes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from bench.statements import counted

from groundwire.chat import checkpoint
from groundwire.conversation import new_id
from groundwire.model import Json
from groundwire.sandbox import SandboxServer
from groundwire.service import library_worker, open_checks
from groundwire.store import store
from groundwire.web import site
from tests.web.server import Event, Web, set_up, with_users

MOST = 12
TRIES = 3
"""What the server does beside a turn, at its start above all, can only add to its statements."""

REGULARLY = (
    (checkpoint, "SAVE_SECONDS"),
    (store, "RENEW_SECONDS"),
    (library_worker, "EVERY_SECONDS"),
    (open_checks, "EVERY_SECONDS"),
    (site, "USERS_KNOWN_SECONDS"),
)


@pytest.fixture(params=["sqlite", "postgresql"])
def database(request: pytest.FixtureRequest) -> Iterator[str]:
    """Give a database by URL, "" for SQLite."""
    if request.param == "sqlite":
        yield ""
        return
    server = request.getfixturevalue("postgresql")
    yield server.create("turns")
    server.drop("turns")


def test_a_turn_costs_at_most_twelve_statements(
    sandbox: SandboxServer, tmp_path: Path, database: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A busy machine takes so long that a turn is saved on its way, and that a lease is renewed
    # or work looked for beside it.
    for module, name in REGULARLY:
        monkeypatch.setattr(module, name, 3600.0)
    unchecked = Web(sandbox, tmp_path, database=database, checks={"pages": "off"})
    with counted() as statements, unchecked as web:
        first, again = [], []
        for _ in range(TRIES):
            count, events = _count(web, statements)
            first.append(count)
            again.append(_count(web, statements, session_id=_session(events))[0])

    # Everything is in it: also what begins and ends transactions, and who is asking.
    assert min(count.total() for count in first) <= MOST, first
    assert min(count.total() for count in again) <= MOST, again


def test_nothing_is_deleted_that_was_never_written(sandbox: SandboxServer, tmp_path: Path) -> None:
    with counted() as statements, Web(sandbox, tmp_path) as web:
        web.ask()
        seen = [words for words in statements if words.startswith("DELETE ")]

    # At its start a server lets go of the leases of those that are gone.
    assert seen == ["DELETE owners"]


def test_who_is_signed_in_is_found_with_one_statement(
    sandbox: SandboxServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(site, "USERS_KNOWN_SECONDS", 3600.0)
    with counted() as statements, with_users(sandbox, tmp_path) as web:
        client = set_up(web)
        client.get("/api/me")
        statements.clear()
        client.get("/api/me")

        assert statements["SELECT users"] + statements["SELECT web_sessions"] == 1


def _count(web: Web, statements: Counter[str], **body: Json) -> tuple[Counter[str], list[Event]]:
    web.get("/api/me")  # How many users there are is asked now and then.
    statements.clear()
    events = web.ask(**body, client_id=new_id())
    return statements.copy(), events


def _session(events: list[Event]) -> str:
    return str(events[0].data["session_id"])
