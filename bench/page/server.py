"""What a server pays: bench.relay, bench.gateway, bench.turns and bench.store."""

from __future__ import annotations

from collections.abc import Callable

from bench.tables import NOTHING, number, table, times
from groundwire.model import Json

RELAYS = {"bare": "bare Starlette, bytes copied", "ours": "**groundwire serve**"}
GATEWAYS = {
    "bare": "bare Starlette, bytes copied",
    "messages": "**groundwire gateway**, Messages",
    "chat": "**groundwire gateway**, Chat",
    "responses": "**groundwire gateway**, Responses",
    "messages-unchecked": "the same without checks, Messages",
    "chat-unchecked": "the same without checks, Chat",
    "responses-unchecked": "the same without checks, Responses",
    "litellm-messages": "LiteLLM's proxy, Messages",
    "litellm-chat": "LiteLLM's proxy, Chat",
}
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


def gateway(figures: Json) -> str:
    """Return what an event of the provider costs the gateway, the bare relay and LiteLLM."""
    costs = figures["events"]
    rows = [
        [
            name,
            *(
                f"{number(of[kind])} µs, {times(of[kind], of['bare'])}" if kind in of else NOTHING
                for of in costs.values()
            ),
        ]
        for kind, name in GATEWAYS.items()
    ]
    return table(("CPU of the server per event", *costs), rows)


def delays(figures: Json) -> str:
    """Return how far a reader of the gateway is behind the provider."""
    rows = [
        [name.title(), str(of["first_sentences"]), str(of["most_sentences"])]
        for name, of in figures["delays"].items()
    ]
    heads = ("client of", "whole sentences before the first words", "most behind, in sentences")
    return table(heads, rows)


def gateway_load(figures: Json) -> str:
    """Return what became of many streams of the gateway at once."""
    return _load(figures.get("load"), "streams")


def load(figures: Json) -> str:
    """Return what became of many chats at once."""
    return _load(figures.get("load"), "chats")


def _load(of: Json, what: str) -> str:
    if of is None:
        return f"*Many {what} at once were not measured in this run.*"
    heads = (f"{what} at once", "events", "broken or mixed up", "CPU", "wall time", "peak memory")
    row = [
        f"{of[what]:,}",
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
    "gateway": ("gateway", gateway),
    "gateway-delay": ("gateway", delays),
    "gateway-load": ("gateway", gateway_load),
    "turns": ("turns", turns),
    "store": ("store", store),
}
