"""Drives every fault through the real server, and counts what became of it.

python -m torture [--quick] [--json] [--only NAME …] [--kills 20]

The exit code is 1 if a fault was not survived, or if anything was lost, wrong, leaked or left.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import signal
import sys
from dataclasses import replace

from torture.registry import cases
from torture.report import as_json, progress, table
from torture.runner import run_all
from torture.stage import Scale

QUICK = Scale(kills=3, streams=100, chats=200, cluster_chats=30, times=1, is_quick=True)


def _scale(options: argparse.Namespace) -> Scale:
    usual = QUICK if options.quick else Scale()
    return replace(usual, kills=options.kills or usual.kills)


def main() -> int:
    """Run what is asked for, print the report and return the exit code."""
    parser = argparse.ArgumentParser(prog="python -m torture", description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer kills, streams and chats")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    parser.add_argument("--only", nargs="+", default=[], metavar="NAME", help="only these cases")
    parser.add_argument("--kills", type=int, default=0, help="how often a server is killed")
    parser.add_argument("--list", action="store_true", help="print the cases and their promises")
    options = parser.parse_args()
    chosen = cases(options.only)
    if options.list:
        print("\n".join(f"{each.name}: {each.promise}" for each in chosen))
        return 0
    # Also where it was started in the background, and by whoever ends it politely.
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        tallies = asyncio.run(run_all(chosen, _scale(options)))
    except KeyboardInterrupt:
        progress("stopped")
        return 130
    report = as_json(tallies)
    print(json.dumps(report, indent=2) if options.json else table(tallies))
    return 0 if report["is_good"] else 1


if __name__ == "__main__":
    sys.exit(main())
