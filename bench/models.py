"""What it costs to turn a provider's stream into events: ours, the floor, SDKs, other libraries.

    python -m bench.models [--providers a,b] [--peers a,b] [--quick] [--json]

A server in another process sends long answers with search and citations in each provider's own
form, each event in an HTTP chunk of its own: some 2,000 events as fast as they go, and 5 and 20
streams of 200 events, one every 20 ms, no two at the same moment. Of five our client reads each
event as it comes, of 20 in batches (`groundwire.client.read_batching`). Every reader is a process
of its own, gets the same bytes in the same chunks over asyncio's own event loop and must end with
the same text. The figure is CPU time of the reading process per event of the wire, connection and
request included. The floor is the least work that gives the text: it takes the HTTP chunks apart,
splits the events, parses their JSON and picks the text. It and ours take turns and the least of
two rounds counts; the others run once. Memory is what 1 and 200 paced streams add to the process.

The others live in environments of their own (`make peers`); one that is missing is left out.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from bench import environments
from bench.environments import ROOT
from bench.model_streams import DIALECTS
from bench.report import TITLES, show

LIMIT_SECONDS = 600  # A slow reader on a busy machine must not cost the figures of all others.
SECONDS_OF_FAST_STREAMS = 1.5
ROUNDS = 2
# Memory does not differ from round to round.
MODES_OF_ROUND = ({"memory", *TITLES}, *[{*TITLES}] * (ROUNDS - 1))

Figures: TypeAlias = dict[str, dict[str, Any]]
"""By provider and peer: what the peer printed, or None where it is not installed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Peer:
    """A reader: its script for each provider, and the environment that it runs in.

    `rounds` is how often it runs: those that are compared closely take turns.
    """

    scripts: dict[str, str]
    python: Path
    rounds: int = 1


def _everywhere(script: str) -> dict[str, str]:
    return dict.fromkeys(DIALECTS, script)


_SDKS = {
    "anthropic": "peer_anthropic",
    "openai-responses": "peer_openai",
    "openai": "peer_openai",
    "gemini": "peer_google_genai",
}
PEERS = {
    "floor": Peer(scripts=_everywhere("peer_floor"), python=Path(sys.executable), rounds=ROUNDS),
    "groundwire": Peer(
        scripts=_everywhere("peer_groundwire"), python=Path(sys.executable), rounds=ROUNDS
    ),
    "sdk": Peer(scripts=_SDKS, python=environments.PEERS.python),
    "pydantic-ai": Peer(scripts=_everywhere("peer_pydantic_ai"), python=environments.PEERS.python),
    "litellm": Peer(scripts=_everywhere("peer_litellm"), python=environments.LITELLM.python),
}


def read(peer: Peer, provider: str, url: str, modes: set[str]) -> dict[str, Any]:
    """Run a reader and return what it measured."""
    more = [",".join(modes), str(SECONDS_OF_FAST_STREAMS)]
    command = [str(peer.python), "-m", f"bench.{peer.scripts[provider]}", provider, url, *more]
    done = subprocess.run(
        command, cwd=ROOT, capture_output=True, text=True, timeout=LIMIT_SECONDS, check=False
    )
    if done.returncode:
        raise SystemExit(f"{peer.scripts[provider]} failed for {provider}:\n{done.stderr[-2000:]}")
    figures: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return figures


def measure(
    server: dict[str, Any], provider: str, peers: list[str], modes: set[str]
) -> dict[str, Any]:
    """Return the figures of all peers for one provider, in rounds that take turns."""
    url = f"http://127.0.0.1:{server['port']}"
    figures: dict[str, Any] = {}
    for number in range(max(PEERS[name].rounds for name in peers)):
        for name in peers:
            peer = PEERS[name]
            if number >= peer.rounds:
                continue
            if not peer.python.exists():
                figures[name] = None
                continue
            wanted = MODES_OF_ROUND[number] & modes
            measured = read(peer, provider, url, wanted)
            for mode in measured.keys() & TITLES:
                sent = server["streams"][provider]["fast" if mode == "fast" else "paced"]
                _settle(measured[mode], sent, f"{name} {provider}")
            figures[name] = _least(figures.get(name) or {}, measured)
    return figures


def _settle(measured: dict[str, Any], expected: dict[str, Any], who: str) -> None:
    """Check that a reader saw the whole answer, and say what one event of the wire cost it."""
    if measured["sha256"] != expected["sha256"]:
        raise SystemExit(f"{who} ended with another text")
    cost = measured.pop("cpu_seconds") / expected["events"]
    measured["microseconds"] = round(cost * 1e6, 2)
    measured["rounds"] = [measured["microseconds"]]
    measured["citations_sent"] = expected["citations"]


def _least(before: dict[str, Any], now: dict[str, Any]) -> dict[str, Any]:
    """Return both rounds as one; of two costs the lower is nearer to the truth."""
    kept = before | now
    for mode in TITLES:
        if mode in before and mode in now:
            kept[mode] = min(before[mode], now[mode], key=lambda figure: figure["microseconds"])
            kept[mode]["rounds"] = [*before[mode]["rounds"], *now[mode]["rounds"]]
    return kept


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    parser.add_argument("--providers", default=",".join(DIALECTS), help="which, with commas")
    parser.add_argument("--peers", default=",".join(PEERS), help="which, with commas")
    parser.add_argument("--quick", action="store_true", help="only fast streams")
    options = parser.parse_args()
    providers, peers = options.providers.split(","), options.peers.split(",")
    for unknown in {*providers} - {*DIALECTS} | {*peers} - {*PEERS}:
        parser.error(f"{unknown!r} is neither of {', '.join((*DIALECTS, *PEERS))}")
    command = [sys.executable, "-m", "bench.model_streams"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT) as process:
        assert process.stdout is not None
        try:
            server = json.loads(process.stdout.readline())
            modes = {"fast"} if options.quick else MODES_OF_ROUND[0]
            figures = {name: measure(server, name, peers, modes) for name in providers}
        finally:
            process.terminate()
    if options.json:
        print(json.dumps(figures))
        return
    show(figures)
    # Ratios mean little when others use the machine, the paced ones least of all.
    print(f"\nload average {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")


if __name__ == "__main__":
    main()
