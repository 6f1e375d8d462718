"""What the figures were made with: the machine, the versions, and how long each part took."""

from __future__ import annotations

from collections.abc import Callable

from bench.parts import PARTS, WHOLE_RUN
from bench.tables import NOTHING, number, table
from groundwire.model import Json


def machine(figures: Json) -> str:
    facts = figures["machine"]
    days = sorted({outcome["at"][:10] for outcome in figures["parts"].values()})
    when = days[0] if len(days) == 1 else f"{days[0]} to {days[-1]}"
    quick = [name for name, outcome in figures["parts"].items() if outcome["is_quick"]]
    lines = [
        f"- Measured: {when}",
        f"- Processor: {facts['processor']}; memory: {facts['memory']}",
        f"- System: {facts['system']}; {facts['python']}",
    ]
    if quick:
        lines.append(f"- Run with `--quick`, too small to count: {', '.join(quick)}")
    return "\n".join(lines)


def versions(figures: Json) -> str:
    return ", ".join(f"{name} {version}" for name, version in sorted(figures["versions"].items()))


def parts(figures: Json) -> str:
    rows = [
        [
            f"`bench.{name}`{', quick' if outcome['is_quick'] else ''}",
            outcome["at"],
            number(outcome["seconds"]),
            number(outcome["load"]),
            outcome["fault"] or outcome["skipped"] or NOTHING,
        ]
        for name, outcome in figures["parts"].items()
    ]
    whole = [outcome for name, outcome in figures["parts"].items() if name in WHOLE_RUN]
    minutes = sum(outcome["seconds"] for outcome in whole) / 60
    heads = ("part", "begun (UTC)", "seconds", "load average before", "complaint")
    named = " and ".join(f"`{name}`" for name in PARTS if name not in WHOLE_RUN)
    said = f"{number(minutes)} minutes in all, without {named}, which is run by name."
    return f"{table(heads, rows)}\n\n{said}"


TABLES: dict[str, Callable[[Json], str]] = {
    "machine": machine,
    "versions": versions,
    "parts": parts,
}
