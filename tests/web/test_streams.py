"""A turn over HTTP: every event once, whoever reads it, however slowly, and however often."""

from __future__ import annotations

import socket
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pytest

from groundwire.sandbox import SandboxServer
from groundwire.web import Options
from tests.chat.program import OTTERS
from tests.web.server import HANGING, Event, Web, events_of, text_of, until

LONG = "Tell me of otters at length"


def numbered(events: list[Event]) -> list[int]:
    return [event.id for event in events]


def test_a_turn_is_a_stream_of_numbered_events_that_ends_with_the_answer(web: Web) -> None:
    events = web.ask()

    assert numbered(events) == list(range(1, len(events) + 1))
    assert [events[0].type, events[-1].type] == ["turn_started", "done"]
    message = events[-1].data["message"]
    assert message["id"] == events[0].data["message_id"]
    assert message["status"] == "complete"
    assert message["answer"]["text"].count("[1]") >= 1
    assert text_of(events) in message["answer"]["text"].replace("[1]", "").replace("[2]", "")


def test_markers_of_the_answer_stand_where_their_labels_are(web: Web) -> None:
    answer = web.ask()[-1].data["message"]["answer"]

    places = [
        answer["text"][each["position"] :].startswith(each["label"]) for each in answer["markers"]
    ]
    assert places == [True] * len(answer["markers"])
    assert answer["markers"]
    assert {s["number"] for s in answer["sources"] if s["is_marked"]} == {
        number for each in answer["markers"] for number in each["numbers"]
    }


def test_the_session_has_what_was_streamed(web: Web) -> None:
    events = web.ask()

    kept = web.get(f"/api/sessions/{events[0].data['session_id']}")
    assert [each["kind"] for each in kept["messages"]] == ["USER", "AI_RESPONSE"]
    assert kept["messages"][1] == events[-1].data["message"]
    assert kept["leaf_id"] == events[-1].data["message"]["id"]
    assert kept["session"]["title"] == OTTERS


@pytest.mark.parametrize("fault", ["unauthorized", "cut_in_event", "end_without_terminal"])
def test_the_session_has_what_was_streamed_of_an_answer_that_failed(
    sandbox: SandboxServer, tmp_path: Path, fault: str
) -> None:
    with Web(sandbox, tmp_path, faults={"anthropic": fault, "openai-responses": fault}) as web:
        for provider in ("anthropic", "openai-responses"):
            streamed = web.ask(provider_id=provider)[-1].data["message"]

            kept = web.get(f"/api/sessions/{streamed['session_id']}")["messages"][1]
            assert streamed["status"] == ("interrupted" if streamed["content"] else "failed")
            assert kept == streamed


def test_a_cut_connection_goes_on_with_each_event_exactly_once(tmp_path: Path) -> None:
    with SandboxServer(pace_seconds=0.01) as paced, Web(paced, tmp_path) as web:
        with web.asking(LONG) as events:
            first = [next(events) for _ in range(4)]
        message_id = first[0].data["message_id"]
        with web.client.stream(
            "GET", f"/api/messages/{message_id}/events", headers={"Last-Event-ID": "4"}
        ) as reply:
            events = events_of(reply)
            second = [next(events) for _ in range(3)]
        third = web.events(message_id, after=7)

        whole = [*first, *second, *third]
        assert numbered(whole) == list(range(1, len(whole) + 1))
        assert whole == web.events(message_id)
        assert third[-1].data["message"]["status"] == "complete"


def test_a_turn_can_be_read_from_every_place(web: Web) -> None:
    whole = web.ask()
    message_id = whole[0].data["message_id"]

    parts = [web.events(message_id, after=number) for number in range(len(whole) + 1)]
    # Somebody who has more than was kept read from a server that died: they get the end.
    (beyond,) = web.events(message_id, after=len(whole) + 1)

    assert parts == [whole[number:] for number in range(len(whole))] + [[]]
    assert beyond == replace(whole[-1], id=len(whole) + 2)


def test_two_readers_get_the_same_events(tmp_path: Path) -> None:
    with SandboxServer(pace_seconds=0.002) as paced, Web(paced, tmp_path) as web:
        with web.asking(LONG) as events:
            started = next(events)
            with ThreadPoolExecutor() as pool:
                other = pool.submit(web.events, started.data["message_id"])
                mine = [started, *events]

        assert other.result() == mine


def test_the_same_client_id_again_is_the_same_turn(tmp_path: Path) -> None:
    with SandboxServer(pace_seconds=0.002) as paced, Web(paced, tmp_path) as web:
        with ThreadPoolExecutor() as pool:
            asked = [pool.submit(web.ask, LONG, client_id="once") for _ in range(4)]
            told = [each.result() for each in asked]

        assert told[1:] == told[:1] * 3
        assert [each.path for each in paced.requests] == ["/anthropic/v1/messages"]
        assert len(web.get("/api/sessions")["sessions"]) == 1


def test_a_reader_that_leaves_does_not_end_the_turn(tmp_path: Path) -> None:
    with SandboxServer(pace_seconds=0.002) as paced, Web(paced, tmp_path) as web:
        with web.asking(LONG) as events:
            message_id = next(events).data["message_id"]

        assert web.events(message_id)[-1].data["message"]["status"] == "complete"
        assert paced.wait_for_end(0).ended == "complete"


def test_stop_reaches_the_provider_and_keeps_what_there_is(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    with Web(sandbox, tmp_path, faults=HANGING) as web, web.asking() as events:
        begun = until(events, "text")

        stopped = web.client.post(f"/api/messages/{begun[0].data['message_id']}/stop", json={})
        entry = sandbox.wait_for_end(0)

        rest = list(events)
        message = rest[-1].data["message"]
        assert stopped.status_code == 204
        assert entry.ended == "closed by the client"
        assert (rest[-1].type, message["status"]) == ("done", "cancelled")
        assert message["content"].startswith(text_of([*begun, *rest]))
        assert web.get(f"/api/sessions/{message['session_id']}")["messages"][1] == message


def test_stopping_what_has_ended_changes_nothing(web: Web) -> None:
    message = web.ask()[-1].data["message"]

    stopped = web.client.post(f"/api/messages/{message['id']}/stop", json={})

    assert stopped.status_code == 204
    assert web.get(f"/api/sessions/{message['session_id']}")["messages"][1] == message


def test_a_session_says_that_it_runs(sandbox: SandboxServer, tmp_path: Path) -> None:
    with Web(sandbox, tmp_path, faults=HANGING) as web:
        with web.asking() as events:
            started = next(events)
            running = web.get("/api/sessions")["sessions"][0]["is_running"]
            web.client.post(f"/api/messages/{started.data['message_id']}/stop", json={})

        assert (running, web.get("/api/sessions")["sessions"][0]["is_running"]) == (True, False)


def test_deleting_a_session_stops_its_turn(sandbox: SandboxServer, tmp_path: Path) -> None:
    with Web(sandbox, tmp_path, faults=HANGING) as web, web.asking() as events:
        begun = until(events, "text")

        gone = web.client.delete(f"/api/sessions/{begun[0].data['session_id']}")

        assert gone.status_code == 204
        assert sandbox.wait_for_end(0).ended == "closed by the client"


def test_a_stopping_server_ends_streams_as_interrupted(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    with Web(sandbox, tmp_path, faults=HANGING) as web, web.asking() as events:
        begun = until(events, "text")
        stopping = threading.Thread(target=web.stop)
        stopping.start()

        last = list(events)[-1]

        stopping.join()
        assert (last.type, last.data["message"]["status"]) == ("done", "interrupted")
    with Web(sandbox, tmp_path) as again:
        kept = again.get(f"/api/sessions/{begun[0].data['session_id']}")["messages"][1]
        assert kept == last.data["message"]


def test_more_turns_than_allowed_are_told_to_come_back(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    options = Options(max_answers=1)
    with Web(sandbox, tmp_path, faults=HANGING, options=options) as web, web.asking() as events:
        next(events)

        refused = web.client.post("/api/agents/assistant/message", json={"text": "Me too"})

        assert (refused.status_code, refused.headers["retry-after"]) == (503, "2")
        assert refused.json()["error"]["code"] == "busy"
        assert len(web.get("/api/sessions")["sessions"]) == 1


def test_a_silent_stream_is_kept_alive(sandbox: SandboxServer, tmp_path: Path) -> None:
    options = Options(keep_alive_seconds=0.05)
    with Web(sandbox, tmp_path, faults=HANGING, options=options) as web:
        body = {"text": OTTERS, "provider_id": "anthropic"}
        with web.client.stream("POST", "/agents/assistant/message", json=body) as reply:
            lines = reply.iter_lines()

            assert next(line for line in lines if line.startswith(":")) == ": still here"


@contextmanager
def raw_request(web: Web, path: str, body: bytes) -> Iterator[socket.socket]:
    """Send a request and read nothing until asked."""
    host, port = web.url.removeprefix("http://").split(":")
    with socket.socket() as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.connect((host, int(port)))
        head = (
            f"POST {path} HTTP/1.1\r\nHost: {host}:{port}\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(body)}\r\n\r\n"
        )
        connection.sendall(head.encode() + body)
        yield connection


def test_a_reader_who_takes_nothing_holds_up_nobody_and_is_cut(
    tmp_path: Path,
) -> None:
    options = Options(keep_alive_seconds=0.05, stalled_seconds=3)
    body = b'{"text":"endless","provider_id":"anthropic","client_id":"slow"}'
    endless = {"anthropic": "endless;after=1"}
    with (
        SandboxServer(pace_seconds=0.0005) as paced,
        Web(paced, tmp_path, faults=endless, options=options) as web,
        raw_request(web, "/api/agents/assistant/message", body) as slow,
    ):
        slow.recv(100)
        with web.asking("endless", client_id="slow") as events:
            seen = [next(events)]
            message_id = seen[0].data["message_id"]
            run = web.app.state.site.live_turns.of_message(message_id)
            while len(run.readers) > 1:
                seen.append(next(events))

            assert numbered(seen) == list(range(1, len(seen) + 1))
            assert run.size <= 2_000_000
            web.client.post(f"/api/messages/{message_id}/stop", json={})


def test_a_turn_that_is_over_and_forgotten_has_no_events(
    sandbox: SandboxServer, tmp_path: Path
) -> None:
    options = Options(kept_seconds=0, keep_alive_seconds=0.03)
    with Web(sandbox, tmp_path, options=options) as web:
        message_id = web.ask()[0].data["message_id"]
        while web.app.state.site.live_turns.of_message(message_id):
            web.get("/api/health")

        reply = web.client.get(f"/api/messages/{message_id}/events")

        assert (reply.status_code, reply.content) == (204, b"")
