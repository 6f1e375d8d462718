"""The parts of a whole run: each a module with `--json` and `--quick`, in a process of its own."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from bench.environments import ROOT

LIMIT_SECONDS = 3600


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """A benchmark, and with which arguments the module of its name is run.

    One that `is_long` is run when it is named, and not with all others, which take half an hour.
    """

    name: str
    arguments: tuple[str, ...] = ()
    is_long: bool = False

    def command(self, *, quick: bool) -> list[str]:
        """Return the words that run it."""
        more = ["--quick"] if quick else self.arguments
        return [sys.executable, "-m", f"bench.{self.name}", *more, "--json"]


PARTS = {
    part.name: part
    for part in (
        Part(name="streams"),
        Part(name="models"),
        Part(name="relay", arguments=("--load", "500")),
        Part(name="gateway", arguments=("--load", "500")),
        Part(name="reader"),
        Part(name="library"),
        Part(name="scifact"),
        Part(name="meaning"),
        Part(name="library_scale", is_long=True),
        Part(name="extractive"),
        # Each fifth question of SQuAD: all of them take ten minutes.
        Part(name="questions", arguments=("--every", "5")),
        Part(name="truth"),
        Part(name="evidence"),
        Part(name="turn_costs"),
        Part(name="startup"),
        Part(name="citations"),
        Part(name="store"),
        Part(name="turns"),
        Part(name="growth"),
    )
}


WHOLE_RUN = [part.name for part in PARTS.values() if not part.is_long]
_FORMER_NAMES = {"starting": "startup", "citing": "citations", "storing": "store"}


def part_names(words: Iterable[str]) -> list[str]:
    """Return the names of the parts that words mean, with commas or without, old names too.

    Raises:
        SystemExit: There is no such part.
    """
    given = [name for word in words for name in word.split(",") if name]
    names = [_FORMER_NAMES.get(name, name) for name in given]
    if unknown := [name for name in names if name not in PARTS]:
        raise SystemExit(f"no part {', '.join(unknown)}; there are: {', '.join(PARTS)}")
    return names


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What became of a part: its figures, or why there are none, or both when it complained.

    `at` is when it began, `load` how many others used the machine then.
    """

    figures: Any = None
    skipped: str = ""
    fault: str = ""
    at: str = ""
    seconds: float = 0.0
    load: float = 0.0


def run(part: Part, *, quick: bool) -> Outcome:
    """Run a part to its end, or until it has taken too long."""
    at, load, begun = datetime.now(UTC), os.getloadavg()[0], time.monotonic()
    words = part.command(quick=quick)
    with subprocess.Popen(
        words,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        start_new_session=True,
    ) as process:
        try:
            output, complaint = process.communicate(timeout=LIMIT_SECONDS)
        except subprocess.TimeoutExpired:
            output, complaint = "", f"it took longer than {LIMIT_SECONDS} s"
        finally:
            _end_session(process.pid)
    figures, skipped = figures_in(output)
    return Outcome(
        figures=figures,
        skipped=skipped,
        fault=_fault(complaint) if process.returncode or not (figures or skipped) else "",
        at=f"{at:%Y-%m-%d %H:%M}",
        seconds=round(time.monotonic() - begun, 1),
        load=round(load, 1),
    )


def _end_session(leader: int) -> None:
    """End what a part has left behind: its servers and readers are of its session."""
    with suppress(ProcessLookupError):
        os.killpg(leader, signal.SIGKILL)


def figures_in(output: str) -> tuple[Any, str]:
    """Return the figures in the last line of an output, or why a part was skipped."""
    last = (output.strip().splitlines() or [""])[-1]
    try:
        figures = json.loads(last)
    except ValueError:
        return None, ""
    if isinstance(figures, dict) and "skipped" in figures:
        return None, str(figures["skipped"])
    return figures, ""


def _fault(complaint: str) -> str:
    return (complaint.strip().splitlines() or ["it printed no figures"])[-1]
