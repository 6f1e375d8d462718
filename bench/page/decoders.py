"""Stream decoding: bench.models and bench.streams."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from bench.plots import Bar, bars
from bench.report import MEGABYTE, NAMES, TITLES
from bench.tables import NOTHING, bold, number, table, times
from groundwire.model import Json

PROVIDERS = {
    "anthropic": "Anthropic Messages",
    "openai-responses": "OpenAI Responses",
    "openai": "OpenAI Chat",
    "gemini": "Gemini",
}
KINDS = {"floor": "floor", "groundwire": "ours"}


def costs(figures: Json, *, mode: str) -> str:
    """Return microseconds an event and how many times the floor, by provider and reader."""
    names = list(next(iter(figures.values())))
    rows = [
        [PROVIDERS[provider], *(_cost(peers, name, mode) for name in names)]
        for provider, peers in figures.items()
    ]
    return table(["CPU per event", *(NAMES[name] for name in names)], rows)


def _cost(peers: Json, name: str, mode: str) -> str:
    figure = (peers[name] or {}).get(mode)
    if figure is None:
        return NOTHING
    cost = f"{number(figure['microseconds'])} µs"
    if name == "floor":
        return cost
    said = f"{cost}, {times(figure['microseconds'], peers['floor'][mode]['microseconds'])}"
    return bold(said) if name == "groundwire" else said


def citations(figures: Json) -> str:
    """Return how many of the citations that were sent each reader shows."""
    names = [name for name in next(iter(figures.values())) if name != "floor"]
    rows = []
    for provider, peers in figures.items():
        sent = next(each["fast"]["citations_sent"] for each in peers.values() if each)
        seen = [((peers[name] or {}).get("fast") or {}).get("citations") for name in names]
        shown = [NOTHING if count is None else str(count) for count in seen]
        rows.append([PROVIDERS[provider], str(sent), *shown])
    return table(["citations", "sent", *(NAMES[name] for name in names)], rows)


def memory(figures: Json) -> str:
    """Return the memory of each reader when idle, and what streams add to it."""
    names = list(next(iter(figures.values())))
    rows = [
        [PROVIDERS[provider], *(_memory(peers[name], name) for name in names)]
        for provider, peers in figures.items()
        if any("memory" in (figure or {}) for figure in peers.values())
    ]
    if not rows:
        return "*Not measured in this run.*"
    return table(["idle; 1 stream; 200 streams, in MB", *(NAMES[name] for name in names)], rows)


def _memory(figure: Json, name: str) -> str:
    if not figure or "memory" not in figure:
        return NOTHING
    idle, one, many = (figure["memory"][key] / MEGABYTE for key in ("idle", "one", "many"))
    said = f"{number(idle)}; +{number(one)}; +{number(many)}"
    return bold(said) if name == "groundwire" else said


def parser(figures: Json) -> str:
    """Return what it costs to read an event stream and no more."""
    names = list(next(iter(figures.values())))
    rows = [
        [
            mode,
            *(
                f"{number(of[name])} µs, {times(of[name], of[names[0]])}" if name in of else NOTHING
                for name in names
            ),
        ]
        for mode, of in figures.items()
    ]
    return table(["CPU per event", *names], rows)


def cost_plot(figures: Json, *, mode: str) -> str | None:
    """Return the costs as bars, how many times the floor."""
    rows = [
        Bar(
            group=PROVIDERS[provider],
            label=NAMES[name],
            value=figure[mode]["microseconds"] / peers["floor"][mode]["microseconds"],
            text=times(figure[mode]["microseconds"], peers["floor"][mode]["microseconds"]),
            kind=KINDS.get(name, "peer"),
        )
        for provider, peers in figures.items()
        for name, figure in peers.items()
        if figure and mode in figure and mode in (peers["floor"] or {})
    ]
    if not rows:
        return None
    title = f"Decoding a stream, {TITLES[mode].partition(':')[0]}"
    return bars(title, "CPU time per event, times the floor (logarithmic)", rows, is_log=True)


def memory_plot(figures: Json) -> str | None:
    """Return what 200 streams add to each reader."""
    rows = [
        Bar(
            group=PROVIDERS[provider],
            label=NAMES[name],
            value=figure["memory"]["many"] / MEGABYTE,
            text=f"{number(figure['memory']['many'] / MEGABYTE)} MB",
            kind=KINDS.get(name, "peer"),
        )
        for provider, peers in figures.items()
        for name, figure in peers.items()
        if figure and "memory" in figure
    ]
    return bars("Memory that 200 streams add", "megabytes at the peak", rows) if rows else None


TABLES: dict[str, tuple[str, Callable[[Json], str]]] = {
    "decoding-fast": ("models", partial(costs, mode="fast")),
    "decoding-few": ("models", partial(costs, mode="few")),
    "decoding-paced": ("models", partial(costs, mode="paced")),
    "decoding-citations": ("models", citations),
    "decoding-memory": ("models", memory),
    "event-streams": ("streams", parser),
}
PLOTS: dict[str, tuple[str, Callable[[Json], str | None]]] = {
    "decoding-fast": ("models", partial(cost_plot, mode="fast")),
    "decoding-paced": ("models", partial(cost_plot, mode="paced")),
    "decoding-memory": ("models", memory_plot),
}
