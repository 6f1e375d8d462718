"""Turns that another process runs: of the same server, or of one that shares its database."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundwire.sandbox import SandboxServer
from groundwire.web import Options
from tests.web.serving import HANGING, Event, Web, events_of, until


def test_what_another_process_makes_ends_with_its_answer(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    with (
        Web(sandbox, tmp_path, faults=HANGING) as one,
        Web(sandbox, tmp_path) as other,
        one.asking(client_id="twice") as events,
    ):
        message_id = until(events, "text")[0].data["message_id"]
        resuming = other.client.stream("GET", f"/api/messages/{message_id}/events?after=7")
        with other.asking(client_id="twice") as again, resuming as resumed:
            one.client.post(f"/api/messages/{message_id}/stop", json={})
            last = list(events)[-1]

            assert [(event.id, event.type) for event in again] == [(1, "turn_started"), (2, "done")]
            assert list(events_of(resumed)) == [Event(id=8, type="done", data=last.data)]
        assert len(sandbox.requests) == 1


def test_processes_of_one_server_hand_on_each_others_turns(
    sandbox: SandboxServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    options = Options(folder=str(tmp_path))
    with Web(sandbox, tmp_path, faults=HANGING, options=options) as one:
        # Two servers of one process would have the same socket.
        monkeypatch.setattr("groundwire.web.siblings.os.getpid", lambda: 1)
        with Web(sandbox, tmp_path, options=options) as other, one.asking() as events:
            begun = until(events, "text")
            message_id = begun[0].data["message_id"]
            with other.client.stream("GET", f"/api/messages/{message_id}/events?after=2") as reply:
                resumed = events_of(reply)
                third = next(resumed)
                stopped = other.client.post(f"/api/messages/{message_id}/stop", json={})
                whole = [*begun, *events]
                rest = [third, *resumed]

            assert stopped.status_code == 204
            assert whole[-1].data["message"]["status"] == "cancelled"
            assert rest == whole[2:]
            assert sandbox.wait_for_end(0, timeout_seconds=1).ended == "closed by the client"
