"""What a cited answer costs behind the gateway: beside a relay that copies bytes, and LiteLLM.

    python -m bench.gateway [--load 500] [--quick] [--json]

A process of its own sends the sandbox's bytes of a cited answer of Anthropic's, an event every 20
ms. Streams are read at the same time from `groundwire gateway` in each dialect, as it is without
settings (`checks.pages` is `all`; the pages themselves cannot be reached here) and with checks off,
from a bare Starlette app that copies the same bytes, and from LiteLLM's proxy where it is
installed. The figures are CPU time of the serving process, the least of some rounds that take
turns, for each event of the provider: the difference between long and brief answers. Then one
stream is followed: how many sentences of the provider's were over when its reader saw the first
words, and how many it was behind at most. With `--load`, so many streams run at once, and each must
be whole and its own.
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
from bench.gateway_servers import KEY, has_proxy, litellm_proxy
from bench.relay import cpu_seconds, options_of, peak_megabytes, process, show_load

ROUNDS = 3
STREAMS = (5, 50)
"""So many at once: below ten our client reads every event as it comes, above it in batches."""
LENGTHS = ("brief", "paced")
MODEL = "claude-sonnet-5-5"
QUESTION = "What do the pages say?"
TOOL = {"type": "web_search_20250305", "name": "web_search", "max_uses": 5}
_ASKED = [{"role": "user", "content": QUESTION}]
_MESSAGES = {"model": MODEL, "max_tokens": 16_000, "messages": _ASKED, "stream": True}
_CHAT = {"model": MODEL, "messages": _ASKED, "stream": True}
BODIES: dict[str, tuple[str, dict[str, Any]]] = {
    "bare": ("/relay", {}),
    "messages": ("/v1/messages", {**_MESSAGES, "tools": [TOOL]}),
    "chat": ("/v1/chat/completions", {**_CHAT, "web_search_options": {}}),
    "responses": (
        "/v1/responses",
        {"model": MODEL, "input": QUESTION, "stream": True, "tools": [{"type": "web_search"}]},
    ),
}
for _name in ("messages", "chat", "responses"):
    BODIES[f"{_name}-unchecked"] = BODIES[_name]
BODIES |= {f"litellm-{_name}": BODIES[_name] for _name in ("messages", "chat")}
ENDS = {"messages": "message_stop", "chat": "[DONE]", "responses": "response.completed"}


def server_of(kind: str) -> str:
    """Return which server answers a kind of request."""
    if kind == "bare" or kind.startswith("litellm"):
        return kind.partition("-")[0]
    return "ours-off" if kind.endswith("-unchecked") else "ours-all"


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


def measure_one(kind: str, streams: int, pid: int, url: str) -> float:
    """Return the CPU seconds that one stream cost a server."""
    before = cpu_seconds(pid)
    texts = asyncio.run(replies(url, kind, [BODIES[kind][1]] * streams))
    used = cpu_seconds(pid) - before
    dialect = kind.removeprefix("litellm-").removesuffix("-unchecked")
    end = ENDS.get(dialect, "message_stop")
    assert all(end in text for text in texts), f"{kind}: not every stream came to its end"
    return used / streams


def measure(provider: dict[str, Any], rounds: int) -> dict[str, Any]:
    """Return the microseconds that an event costs each of them, by how many streams there are."""
    events = {mode: provider["streams"]["anthropic"][mode]["events"] for mode in LENGTHS}
    least: dict[tuple[int, str, str], float] = {}
    with ExitStack() as running:
        servers = _servers(running, provider["url"])
        kinds = [kind for kind in BODIES if (server_of(kind), "brief") in servers]
        for number in range(rounds + 1):
            for streams in STREAMS:
                for kind in kinds:
                    for mode in LENGTHS:
                        pid, said = servers[server_of(kind), mode]
                        cost = measure_one(kind, streams, pid, said["url"])
                        key = (streams, kind, mode)
                        if number:  # Imports and caches are not what is measured.
                            least[key] = min(cost, least.get(key, cost))
    more = events["paced"] - events["brief"]
    return {
        str(streams): {
            kind: (least[streams, kind, "paced"] - least[streams, kind, "brief"]) / more * 1e6
            for kind in kinds
        }
        for streams in STREAMS
    }


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
            asyncio.run(replies(url, "messages", [_MESSAGES]))
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
    return {**_MESSAGES, "messages": [{"role": "user", "content": asked}]}


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
    for streams, costs in figures["events"].items():
        print(f"  {streams} streams at once")
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
    with process("bench.model_streams") as (_, provider):
        figures["events"] = measure(provider, 1 if options.quick else ROUNDS)
    if options.load:
        figures["load"] = load(options.load)
    print(json.dumps(figures)) if options.json else show(figures)


if __name__ == "__main__":
    main()
