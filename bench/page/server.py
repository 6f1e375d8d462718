"""What a server pays: bench.relay, bench.turns and bench.store."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from bench.tables import number, table, times

Json: TypeAlias = Any

RELAYS = {"bare": "bare Starlette, bytes copied", "ours": "**groundwire serve**"}
WAYS = {"alone": "one turn alone", "together": "each of 200 turns at once"}


def relay(figures: Json) -> str:
    """Return what an event and a chat cost both relays."""
    of = figures["relay"]
    bare = of["bare"]["event_microseconds"]
    rows = [
        [
            name,
            f"{number(of[kind]['event_microseconds'])} µs",
            times(of[kind]["event_microseconds"], bare),
            f"{number(of[kind]['chat_milliseconds'])} ms",
        ]
        for kind, name in RELAYS.items()
    ]
    return table(("CPU of the server", "per event", "ratio", "and per chat"), rows)


def load(figures: Json) -> str:
    """Return what became of many chats at once."""
    of = figures.get("load")
    if of is None:
        return "*Many chats at once were not measured in this run.*"
    heads = ("chats at once", "events", "broken or mixed up", "CPU", "wall time", "peak memory")
    row = [
        f"{of['chats']:,}",
        f"{of['events']:,}",
        str(len(of["faults"])),
        f"{number(of['cpu_seconds'])} s",
        f"{number(of['seconds'])} s",
        f"{number(of['peak_megabytes'])} MB",
    ]
    return table(heads, [row])


def turns(figures: Json) -> str:
    """Return what a turn costs, kept and not kept."""
    costs = figures["cpu_seconds"]
    rows = [
        [name, f"{number(cost * 1000)} ms", times(cost, costs["not kept"])]
        for name, cost in costs.items()
    ]
    heads = (f"{figures['turns']} turns at once", "CPU per turn", "ratio")
    return (
        f"{table(heads, rows)}\n\nThe process had {number(figures['peak_megabytes'])} MB at most."
    )


def store(figures: Json) -> str:
    """Return what a save costs."""
    rows = [[name, *(f"{number(of[way])} µs" for way in WAYS)] for name, of in figures.items()]
    return table(("CPU per save", *WAYS.values()), rows)


TABLES: dict[str, tuple[str, Callable[[Json], str]]] = {
    "relay": ("relay", relay),
    "load": ("relay", load),
    "turns": ("turns", turns),
    "store": ("store", store),
}
