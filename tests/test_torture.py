"""A few of the faults of `make torture`, and that its report tells what is not as promised."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from torture.checks import alarms_in, leaks_below, lost, wrong_events, wrong_markers
from torture.client import CANARY, Event, Told
from torture.registry import cases
from torture.report import BrokenPromiseError, Tally, as_json, expect, table

ROOT = Path(__file__).parent.parent


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    variables = {**os.environ, "PYTHONPATH": str(ROOT)}
    command = [sys.executable, "-m", "torture", "--quick", "--json", *arguments]
    return subprocess.run(
        command, env=variables, cwd=ROOT, capture_output=True, text=True, check=False, timeout=300
    )


def answer(text: str, markers: list[tuple[int, str, list[int]]]) -> dict[str, object]:
    shown = [
        {"position": place, "label": label, "numbers": numbers, "supports": []}
        for place, label, numbers in markers
    ]
    sources = [{"number": 1, "spans": [[0, 3]]}]
    kept = {"text": text, "markers": shown, "sources": sources}
    return {"content": text, "answer": kept, "citations": None}


def told(*events: tuple[str, dict[str, object]]) -> Told:
    numbered = [Event(id=n, type=kind, data=data) for n, (kind, data) in enumerate(events, 1)]
    return Told(question="Why?", events=numbered)


def test_faults_are_survived_and_nothing_is_lost_wrong_leaked_or_left() -> None:
    done = run("--only", "stop", "too-many")

    report = json.loads(done.stdout)
    assert done.returncode == 0, (report, done.stderr)
    assert {name: each["tried"] for name, each in report["cases"].items()} == {
        "stop": 12,
        "too-many": 11,
    }
    del report["total"]["seconds"]
    assert report["total"] == {
        "tried": 23,
        "survived": 23,
        "lost": 0,
        "wrong": 0,
        "leaked": 0,
        "tasks": 0,
        "connections": 0,
    }


def test_an_unknown_case_is_named() -> None:
    done = run("--only", "earthquake")

    assert done.returncode == 1
    assert done.stderr.startswith("no case earthquake; there are: refusals, ")


def test_every_case_stands_in_the_documentation() -> None:
    page = (ROOT / "docs" / "torture.md").read_text()

    assert [each.name for each in cases() if f"| `{each.name}` |" not in page] == []


def test_a_broken_promise_is_counted_and_told() -> None:
    tally = Tally(name="flood")
    with tally.fault("a small one"):
        pass
    with tally.fault("a large one"):
        expect(False, "it is wet")

    assert not tally.is_good
    assert (tally.tried, tally.survived, tally.problems) == (2, 1, ["a large one: it is wet"])
    assert "| flood | 2 | 1 | 0 | 0 | 0 | 0 | 0 | 0 |" in table([tally])
    assert as_json([tally])["is_good"] is False
    with pytest.raises(BrokenPromiseError):
        expect([], "empty")


@pytest.mark.parametrize("column", ["lost", "wrong", "leaked", "tasks", "connections"])
def test_whatever_is_not_nothing_is_not_good(column: str) -> None:
    tally = Tally(name="flood", tried=1, survived=1)
    was_good = tally.is_good

    setattr(tally, column, 1)

    assert (was_good, tally.is_good) == (True, False)


@pytest.mark.parametrize(
    ("text", "markers", "wrong"),
    [
        ("Yes.[1]", [(4, "[1]", [1])], []),
        ("Yes.[2]", [(4, "[2]", [2])], ["[2] has no source"]),
        ("Yes.[1]", [(3, "[1]", [1])], ["no '[1]' at 3"]),
        ("Yes. [7]", [], ["[7] at 5 has no source"]),
        ("No", [], ["0-3 is not in the text"]),
    ],
)
def test_wrong_markers_are_found(
    text: str, markers: list[tuple[int, str, list[int]]], wrong: list[str]
) -> None:
    assert wrong_markers(answer(text, markers)) == wrong


def test_a_marker_before_its_source_and_a_gap_between_events_are_found() -> None:
    early = told(("marker", {"numbers": [1]}), ("source", {"source": {"number": 1}}))

    assert wrong_events(early.events) == ["[1] was streamed first"]
    assert wrong_events(early.events[1:]) == ["events are missing, come twice or out of order"]


def test_what_is_not_kept_as_it_was_streamed_is_lost() -> None:
    question = {"id": "q", "content": "Why?"}
    streamed = {"id": "a", "status": "complete", "content": "So.", "answer": None}
    ended = told(
        ("turn_started", {"question_id": "q", "message_id": "a"}), ("done", {"message": streamed})
    )

    assert lost(ended, [question, streamed]) == ""
    assert lost(ended, None) == "'Why?': its question is gone"
    assert lost(ended, [question]) == "'Why?': its answer is gone"
    assert lost(ended, [question, {**streamed, "content": "No."}]) == (
        "'Why?' is not kept as it was streamed: content is 'No.', not 'So.'"
    )


def test_a_key_in_a_file_and_a_traceback_in_a_log_are_found(tmp_path: Path) -> None:
    (tmp_path / "keys.json").write_text(CANARY)
    (tmp_path / "server.log").write_text(f"x{CANARY}y")

    assert leaks_below(tmp_path) == ["server.log: 1 ×"]
    assert alarms_in(b"INFO all is well") == []
    assert len(alarms_in(b"Traceback (most recent call last):\n")) == 1
