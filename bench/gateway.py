"""What a cited answer costs behind the gateway: beside a relay that copies bytes, and LiteLLM.

    python -m bench.gateway [--load 500] [--quick] [--json]

A process of its own sends the sandbox's bytes of a cited answer of Anthropic's, an event every 20
ms. Streams are read at the same time from `groundwire gateway` in each dialect, with the default
settings and without checks, from a bare Starlette app that copies the same bytes, and from
LiteLLM's proxy where it is installed. No page is read to check a citation: what that costs depends
on the page. The figures are CPU time of the serving process, the least of some rounds that take
turns, for each event of the provider: the difference between long and brief answers; beside them
those of bench.gateway_steps. Then one stream is followed: how many sentences of the provider's were
over when its reader saw the first words, and how many it was behind at most. With `--load`, so many
streams run at once, and each must be whole and its own.
"""

from __future__ import annotations

import asyncio
import json
import os
import time
from contextlib import ExitStack
from typing import Any

import aiohttp

from bench.gateway_delay import delays
from bench.gateway_requests import BODIES, MESSAGES, end_of, server_of
from bench.gateway_servers import KEY, has_proxy, litellm_proxy
from bench.gateway_steps import steps, tell
from bench.relay import cpu_seconds, options_of, peak_megabytes, process, show_load

ROUNDS = 3
STREAMS = 50
"""So many at once: from ten on our client reads them in batches."""
LENGTHS = ("brief", "paced")


async def replies(url: str, kind: str, bodies: list[dict[str, Any]]) -> list[str]:
    """Ask for all at the same time, and return what came of each."""
    connector = aiohttp.TCPConnector(limit=0)
    timeout = aiohttp.ClientTimeout(total=600)
    headers = {"Authorization": f"Bearer {KEY}"}

    async def read(body: dict[str, Any]) -> str:
        async with client.post(url + BODIES[kind][0], json=body, headers=headers) as reply:
            text = await reply.text()
            assert reply.status == 200, text
            return text

    async with aiohttp.ClientSession(connector=connector, timeout=timeout) as client:
        return await asyncio.gather(*map(read, bodies))


def measure_one(kind: str, pid: int, url: str) -> float:
    """Return the CPU seconds that one stream cost a server."""
    before = cpu_seconds(pid)
    texts = asyncio.run(replies(url, kind, [BODIES[kind][1]] * STREAMS))
    used = cpu_seconds(pid) - before
    assert all(end_of(kind) in text for text in texts), f"{kind}: not every stream came to its end"
    return used / STREAMS


def measure(provider: dict[str, Any], rounds: int) -> dict[str, float]:
    """Return the microseconds that an event costs each of them."""
    events = {mode: provider["streams"]["anthropic"][mode]["events"] for mode in LENGTHS}
    least: dict[tuple[str, str], float] = {}
    with ExitStack() as running:
        servers = _servers(running, provider["url"])
        kinds = [kind for kind in BODIES if (server_of(kind), "brief") in servers]
        urls = [
            (servers[server_of(kind), mode][1]["url"], kind) for kind in kinds for mode in LENGTHS
        ]
        asyncio.run(_warm_up(urls))
        for number in range(rounds):
            for kind in kinds:
                tell(f"{STREAMS} streams at once, {kind}, round {number + 1} of {rounds}")
                for mode in LENGTHS:
                    pid, said = servers[server_of(kind), mode]
                    cost = measure_one(kind, pid, said["url"])
                    least[kind, mode] = min(cost, least.get((kind, mode), cost))
    more = events["paced"] - events["brief"]
    return {kind: (least[kind, "paced"] - least[kind, "brief"]) / more * 1e6 for kind in kinds}


async def _warm_up(servers: list[tuple[str, str]]) -> None:
    """Ask every server at once: imports and caches are not what is measured."""
    tell("starting")
    await asyncio.gather(*(replies(url, kind, [BODIES[kind][1]]) for url, kind in servers))


def _servers(running: ExitStack, url: str) -> dict[tuple[str, str], tuple[int, dict[str, Any]]]:
    found = {}
    for mode in LENGTHS:
        base = f"{url}/{mode}/anthropic"
        bare = process("bench.relay", "--serve", "bare", base)
        found["bare", mode] = running.enter_context(bare)
        for checks in ("all", "off"):
            ours = process("bench.gateway_servers", base, checks)
            found[f"ours-{checks}", mode] = running.enter_context(ours)
        if has_proxy():
            found["litellm", mode] = running.enter_context(litellm_proxy(base))
    return found


def load(count: int) -> dict[str, Any]:
    """Run so many streams at once on one process, and return what became of them."""
    with process("bench.relay", "--serve", "sandbox", "") as (_, sandbox):
        base_url = f"{sandbox['url']}/anthropic/v1"
        with process("bench.gateway_servers", base_url) as (pid, said):
            url = said["url"]
            asyncio.run(replies(url, "messages", [MESSAGES]))
            before, started = cpu_seconds(pid), time.monotonic()
            bodies = [_numbered(number) for number in range(count)]
            texts = asyncio.run(replies(url, "messages", bodies))
            return {
                "streams": count,
                "events": sum(text.count("event: ") for text in texts),
                "seconds": time.monotonic() - started,
                "cpu_seconds": cpu_seconds(pid) - before,
                "peak_megabytes": peak_megabytes(pid),
                "faults": [fault for n, text in enumerate(texts) if (fault := check(n, text))],
            }


def _numbered(number: int) -> dict[str, Any]:
    asked = f"Tell me of number {number} at length"
    return {**MESSAGES, "messages": [{"role": "user", "content": asked}]}


def check(number: int, text: str) -> str:
    """Return what is wrong with a stream under load, "" if nothing is."""
    events = [json.loads(line[6:]) for line in text.splitlines() if line.startswith("data: ")]
    kinds = [event["type"] for event in events]
    if kinds[:1] != ["message_start"] or kinds[-1:] != ["message_stop"]:
        return f"stream {number} is broken: {len(kinds)} events, the last is {kinds[-1:]}"
    deltas = [event["delta"] for event in events if event["type"] == "content_block_delta"]
    said = "".join(delta.get("text", "") for delta in deltas)
    return "" if f"number {number} " in said else f"stream {number} is another's"


def show(figures: dict[str, Any]) -> None:
    """Print the figures for a person."""
    print(f"CPU per event of the provider, load average {os.getloadavg()[0]:.1f}")
    for how, costs in figures["events"].items():
        print(f"  {how}")
        for kind, cost in costs.items():
            print(f"    {kind:22}{cost:8.1f} µs  {cost / costs['bare']:6.2f} ×")
    for dialect, delay in figures["delays"].items():
        print(
            f"{dialect}: first words when {delay['first_sentences']} sentences were over, "
            f"at most {delay['most_sentences']} behind"
        )
    if heavy := figures.get("load"):
        show_load(heavy, "streams")


def main() -> None:
    options = options_of(__doc__).parse_args()
    figures: dict[str, Any] = {"delays": delays()}
    rounds = 1 if options.quick else ROUNDS
    with process("bench.model_streams") as (_, provider):
        many = measure(provider, rounds)
    figures["events"] = {
        "an event at a time": steps(*([1] if options.quick else [])),
        f"{STREAMS} streams at once": many,
    }
    if options.load:
        figures["load"] = load(options.load)
    print(json.dumps(figures)) if options.json else show(figures)


if __name__ == "__main__":
    main()
