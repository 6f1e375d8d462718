"""Every benchmark in one run, beside the peers.

    python -m bench [--quick] [--only NAME …] [--write] [--redraw]

Each part is a process of its own that prints its figures as JSON. With `--write` the figures are
kept in bench/figures.json, and docs/performance.md and its plots are made anew from them; parts
that did not run stay as they were, with their dates: so does library_scale, which takes as long as
all others together and runs when it is named. `--redraw` makes the page without running.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Iterable
from dataclasses import asdict
from typing import Any

from bench import machine, page
from bench.environments import ROOT, versions
from bench.parts import PARTS, WHOLE_RUN, Outcome, part_names, run

FIGURES = ROOT / "bench/figures.json"


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="small, to see that it runs")
    parser.add_argument("--only", nargs="+", default=WHOLE_RUN, metavar="NAME")
    parser.add_argument("--write", action="store_true", help="write docs/performance.md")
    parser.add_argument("--redraw", action="store_true", help="write it from the figures kept")
    given = parser.parse_args()
    if given.redraw:
        page.write(json.loads(FIGURES.read_text()), ROOT / "docs")
        return
    outcomes = _run_all(part_names(given.only), quick=given.quick)
    kept = json.loads(FIGURES.read_text()) if FIGURES.exists() else {}
    figures = merged(kept, outcomes, is_quick=given.quick)
    print(f"\n{page.text(figures)}")
    if given.write:
        FIGURES.write_text(json.dumps(figures, indent=1, ensure_ascii=False) + "\n")
        page.write(figures, ROOT / "docs")
    faults = [f"{name}: {each.fault}" for name, each in outcomes.items() if each.fault]
    if faults:
        sys.exit("\n".join(faults))


def _run_all(names: Iterable[str], *, quick: bool) -> dict[str, Outcome]:
    outcomes = {}
    for name in names:
        print(f"{name} … ", end="", file=sys.stderr, flush=True)
        outcomes[name] = outcome = run(PARTS[name], quick=quick)
        said = outcome.fault or outcome.skipped or "done"
        print(f"{said} ({outcome.seconds:.0f} s)", file=sys.stderr, flush=True)
    return outcomes


def merged(kept: dict[str, Any], outcomes: dict[str, Outcome], *, is_quick: bool) -> dict[str, Any]:
    """Return the figures of this run, and of earlier ones those of parts that did not run now."""
    ran = {name: asdict(outcome) | {"is_quick": is_quick} for name, outcome in outcomes.items()}
    earlier = kept.get("parts", {})
    return {
        "machine": machine.described(),
        # Of a peer that is not installed here, what its kept figures were measured with.
        "versions": kept.get("versions", {}) | versions(),
        "parts": {name: (earlier | ran)[name] for name in PARTS if name in earlier | ran},
    }


if __name__ == "__main__":
    main()
