"""What must hold of every answer and every turn, whatever happened."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

from groundwire.model import Json
from torture.client import CANARY, Event, Told
from torture.report import expect

_WRITTEN = re.compile(r"\[(\d+)\]")
# Where a key that was entered belongs.
_KEY_PLACES = {"keys.json", "auth.json"}
_ALARMS = (
    b"Traceback (most recent call last)",
    b"never retrieved",
    b"was destroyed but it is pending",
    b"Unclosed ",
    b"was never awaited",
)


def wrong_markers(message: Json) -> list[str]:
    """Return what is wrong with the markers of a kept answer: places, numbers, spans."""
    answer = message["answer"]
    if answer is None:
        return [f"{n} without sources" for n in _WRITTEN.findall(message["content"])]
    text, known = answer["text"], {source["number"] for source in answer["sources"]}
    wrong = [] if message["content"] == text else ["content and answer differ"]
    marked: set[int] = set()
    for marker in answer["markers"]:
        place, label = marker["position"], marker["label"]
        marked.update(range(place, place + len(label)))
        if not label or text[place : place + len(label)] != label:
            wrong.append(f"no {label!r} at {place}")
        wrong += [f"[{n}] has no source" for n in marker["numbers"] if n not in known]
        wrong += [f"[{n}] is not shown" for n in marker["numbers"] if f"[{n}]" not in label]
        spans = [(each["start"], each["end"]) for each in marker["supports"]]
        wrong += _outside(spans, len(text))
    wrong += [
        f"{found[0]} at {found.start()} has no source"
        for found in _WRITTEN.finditer(text)
        # In code or in a tag it is no marker; what it seems to name must be there all the same.
        if found.start() not in marked and int(found[1]) not in known
    ]
    spans = [tuple(span) for source in answer["sources"] for span in source["spans"]]
    cited = [(each["start"], each["end"]) for each in message["citations"] or ()]
    places = [(s, e) for s, e in (*spans, *cited) if s is not None]
    return [*wrong, *_outside(places, len(text))]


def _outside(spans: Iterable[tuple[Any, ...]], length: int) -> list[str]:
    return [f"{s}-{e} is not in the text" for s, e in spans if not 0 <= s <= e <= length]


def wrong_events(events: Sequence[Event]) -> list[str]:
    """Return what is wrong with a stream: numbers of events, markers without a source."""
    wrong = []
    if [event.id for event in events] != [*range(1, len(events) + 1)]:
        wrong.append("events are missing, come twice or out of order")
    known: set[int] = set()
    for event in events:
        if event.type == "source":
            known.add(event.data["source"]["number"])
        elif event.type == "marker":
            wrong += [f"[{n}] was streamed first" for n in event.data["numbers"] if n not in known]
    return wrong


def plain(message: Json) -> str:
    """Return a kept answer without its markers."""
    if message["answer"] is None:
        return str(message["content"])
    text = message["answer"]["text"]
    for marker in reversed(message["answer"]["markers"]):
        place = marker["position"]
        text = text[:place] + text[place + len(marker["label"]) :]
    return str(text)


def lost(told: Told, kept: Sequence[Json] | None) -> str:
    """Return what of a turn is lost in what the session has now, "" if nothing is."""
    found = {each["id"]: each for each in kept or ()}
    question = found.get(told.started["question_id"])
    answer = found.get(told.started["message_id"])
    if question is None or answer is None:
        return f"{told.question!r}: its {'answer' if question else 'question'} is gone"
    if question["content"] != told.question:
        return f"{told.question!r} is kept as {question['content']!r}"
    if told.is_done:
        return _difference(told.question, told.message, answer)
    if answer["status"] == "streaming":
        return f"{told.question!r} seems to go on for ever"
    ours, theirs = told.text, plain(answer)
    if not (ours.startswith(theirs.rstrip()) or theirs.startswith(ours)):
        return f"{told.question!r}: {theirs[:60]!r} is not the beginning of what was streamed"
    return ""


def _difference(question: str, streamed: Json, kept: Json) -> str:
    if streamed.get("checks_state") == "pending":  # They end after the answer.
        streamed = {**streamed, "checks_state": kept.get("checks_state")}
    others = [f"{k} is {kept.get(k)!r}, not {v!r}" for k, v in streamed.items() if kept.get(k) != v]
    return f"{question!r} is not kept as it was streamed: {'; '.join(others)}" if others else ""


def check_sound(path: Path) -> None:
    """Check that a file of SQLite is whole.

    Raises:
        BrokenPromiseError: It is not.
    """
    with closing(sqlite3.connect(path)) as database:
        found = database.execute("PRAGMA integrity_check").fetchall()
    expect(found == [("ok",)], f"the file is damaged: {found[:3]}")


def leaks_in(name: str, raw: bytes) -> list[str]:
    """Return where the canary is."""
    return [f"{name}: {raw.count(CANARY.encode())} ×"] if CANARY.encode() in raw else []


def leaks_below(folder: Path) -> list[str]:
    """Return which files of a server have the canary, but for those that are made for keys."""
    files = [each for each in folder.rglob("*") if each.is_file() and each.name not in _KEY_PLACES]
    return [leak for each in files for leak in leaks_in(each.name, each.read_bytes())]


def alarms_in(log: bytes) -> list[str]:
    """Return what a server must never have to write."""
    return [
        f"the log has {alarm.decode()!r}: {log[log.index(alarm) :][:1500].decode(errors='replace')}"
        for alarm in _ALARMS
        if alarm in log
    ]
