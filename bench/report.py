"""The figures of bench.models as tables."""

from __future__ import annotations

from typing import Any

TITLES = {
    "fast": "fast, one stream after the other: CPU per event",
    "few": "paced, 5 streams of 200 events, one every 20 ms: CPU per event",
    "paced": "paced, 20 streams of 200 events, one every 20 ms: CPU per event",
}
NAMES = {
    "floor": "raw sockets (the floor)",
    "groundwire": "groundwire",
    "sdk": "official SDK",
    "pydantic-ai": "pydantic-ai",
    "litellm": "LiteLLM",
}
MEGABYTE = 1 << 20


def show(figures: dict[str, dict[str, Any]]) -> None:
    """Print a table per mode, then memory."""
    for mode, title in TITLES.items():
        if any(mode in (figure or {}) for peers in figures.values() for figure in peers.values()):
            print(f"\n{title}")
            for provider, peers in figures.items():
                _show_costs(provider, peers, mode)
    if any("memory" in (figure or {}) for peers in figures.values() for figure in peers.values()):
        print("\nmemory: resident when idle, and what 1 and 200 paced streams add at their peak")
        for provider, peers in figures.items():
            _show_memory(provider, peers)


def _show_costs(provider: str, peers: dict[str, Any], mode: str) -> None:
    print(f"  {provider}")
    floor = (peers.get("floor") or {}).get(mode, {}).get("microseconds")
    for name, figure in peers.items():
        if figure is None:
            print(f"    {NAMES[name]:24} not installed")
            continue
        cost, citations = figure[mode]["microseconds"], figure[mode]["citations"]
        times = f"{cost / floor:7.2f} × the floor" if floor else ""
        seen = "" if citations is None else f"  {citations} citations"
        rounds = figure[mode]["rounds"]
        spread = f"  ({min(rounds):.1f} to {max(rounds):.1f})" if len(rounds) > 1 else ""
        print(f"    {NAMES[name]:24} {cost:9.2f} µs {times}{spread}{seen}")


def _show_memory(provider: str, peers: dict[str, Any]) -> None:
    print(f"  {provider}")
    for name, figure in peers.items():
        if figure is None:
            print(f"    {NAMES[name]:24} not installed")
            continue
        idle, one, many = (figure["memory"][key] / MEGABYTE for key in ("idle", "one", "many"))
        print(f"    {NAMES[name]:24} {idle:7.1f} MB  +{one:5.2f} MB  +{many:6.1f} MB")
