"""What it costs to hand an answer on: our whole server next to a relay that only copies bytes.

    python -m bench.relay [--load 500] [--quick] [--json]

A process of its own sends the sandbox's bytes of a cited answer, an event every 20 ms. Chats are
read at the same time from our server (HTTP, access, the turn, citations, the store, the event
stream) and from a bare Starlette app on the same uvicorn, which reads the same reply with aiohttp
and passes its bytes on. The figures are CPU time of the serving process, the least of some rounds
that take turns: for each event of the provider, from the difference between long and brief
answers, and for the rest of a chat, whatever its length. With `--load`, so many chats run at once
on one process over the sandbox, and each must be whole and its own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import aiohttp
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route

from groundwire import Keys, Settings
from groundwire.sandbox import SandboxServer
from groundwire.service.program import Groundwire
from groundwire.web import create_app
from groundwire.web.server import server_of

CHATS = 50
ROUNDS = 4
LOAD_PACE_SECONDS = 0.02
TICKS = os.sysconf("SC_CLK_TCK")
LENGTHS = ("brief", "paced")
PATHS = {"bare": "/relay", "ours": "/api/agents/assistant/message"}


def serve_bare(base_url: str) -> None:
    """Serve the relay that knows nothing of what it passes on."""
    clients: list[aiohttp.ClientSession] = []
    body = {
        "model": "claude-sonnet-5-5",
        "max_tokens": 16_000,
        "stream": True,
        "messages": [{"role": "user", "content": "What do the pages say?"}],
    }

    async def relay(request: Request) -> StreamingResponse:
        await request.json()
        if not clients:
            clients.append(aiohttp.ClientSession(connector=aiohttp.TCPConnector(limit=0)))

        async def copy() -> AsyncIterator[bytes]:
            headers = {"x-api-key": "any", "anthropic-version": "2023-06-01"}
            async with clients[0].post(f"{base_url}/messages", json=body, headers=headers) as reply:
                async for piece in reply.content.iter_any():
                    yield piece

        return StreamingResponse(copy(), media_type="text/event-stream")

    app = Starlette(routes=[Route("/relay", relay, methods=["POST"])])
    config = uvicorn.Config(
        app, loop="uvloop", http="httptools", log_level="warning", access_log=False
    )
    uvicorn.Server(config).run(sockets=[_listener()])


def serve_ours(base_url: str) -> None:
    """Serve the web app, with a database of its own."""
    with tempfile.TemporaryDirectory() as folder:
        providers = {"anthropic": {"base_url": base_url}}
        settings = Settings.model_validate({"providers": providers})
        keys = Keys(environment={"ANTHROPIC_API_KEY": "any"}, file=Path(folder) / "keys.json")
        database = f"{folder}/bench.sqlite3"
        program = Groundwire(settings=settings, keys=keys, database=database)
        server_of(create_app(program, opens=True)).run(sockets=[_listener()])


def _listener() -> socket.socket:
    listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
    print(json.dumps({"port": listener.getsockname()[1]}), flush=True)
    return listener


async def serve_sandbox() -> None:
    """Speak for the provider under load."""
    server = SandboxServer(pace_seconds=LOAD_PACE_SECONDS)
    port = (await server.start()).rpartition(":")[2]
    print(json.dumps({"port": port}), flush=True)
    await server.run_until_cancelled()


@contextmanager
def process(*arguments: str) -> Iterator[tuple[int, dict[str, Any]]]:
    """Start a module, and give its process id and what it says of itself."""
    with subprocess.Popen(
        [sys.executable, "-m", *arguments], stdout=subprocess.PIPE, text=True
    ) as started:
        assert started.stdout is not None
        try:
            said = json.loads(started.stdout.readline())
            yield started.pid, {**said, "url": f"http://127.0.0.1:{said['port']}"}
        finally:
            started.terminate()


def cpu_seconds(pid: int) -> float:
    """Return what a process has used so far, its threads included."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / TICKS


def peak_megabytes(pid: int) -> float:
    """Return the most memory that a process had."""
    status = Path(f"/proc/{pid}/status").read_text()
    return int(status.partition("VmHWM:")[2].split()[0]) / 1024


async def chats(url: str, kind: str, questions: list[str], **body: str) -> list[list[str]]:
    """Ask all questions at the same time, and return the lines of each reply."""
    connector = aiohttp.TCPConnector(limit=0)
    timeout = aiohttp.ClientTimeout(total=600)

    async def chat(question: str) -> list[str]:
        sent = {"text": question, "provider_id": "anthropic", **body}
        async with client.post(url + PATHS[kind], json=sent) as reply:
            assert reply.status == 200, await reply.text()
            return (await reply.read()).decode().splitlines()

    async with aiohttp.ClientSession(connector=connector, timeout=timeout) as client:
        return await asyncio.gather(*map(chat, questions))


def measure_one(kind: str, pid: int, url: str) -> float:
    """Return the CPU seconds that one chat cost a server."""
    before = cpu_seconds(pid)
    replies = asyncio.run(chats(url, kind, ["What do the pages say?"] * CHATS))
    used = cpu_seconds(pid) - before
    ends = {"ours": "event: done", "bare": "event: message_stop"}
    assert all(ends[kind] in lines for lines in replies), f"{kind}: not every chat came to its end"
    return used / CHATS


def measure(provider: dict[str, Any], rounds: int = ROUNDS) -> dict[str, Any]:
    """Return the microseconds of both for an event, and the milliseconds for the rest of a chat.

    All servers take turns: what is subtracted must come from the same minutes of the machine.
    """
    events = {mode: provider["streams"]["anthropic"][mode]["events"] for mode in LENGTHS}
    least: dict[tuple[str, str], float] = {}
    with ExitStack() as running:
        servers = {
            (kind, mode): running.enter_context(
                process("bench.relay", "--serve", kind, f"{provider['url']}/{mode}/anthropic")
            )
            for mode in LENGTHS
            for kind in PATHS
        }
        for number in range(rounds + 1):
            for (kind, mode), (pid, said) in servers.items():
                cost = measure_one(kind, pid, said["url"])
                if number:  # Imports and caches are not what is measured.
                    least[kind, mode] = min(cost, least.get((kind, mode), cost))
    figures: dict[str, Any] = {"events": events}
    for kind in PATHS:
        more = least[kind, "paced"] - least[kind, "brief"]
        each = more / (events["paced"] - events["brief"])
        rest = least[kind, "brief"] - each * events["brief"]
        figures[kind] = {"event_microseconds": each * 1e6, "chat_milliseconds": rest * 1e3}
    return figures


def check(number: int, lines: list[str]) -> str:
    """Return what is wrong with an answer under load, "" if nothing is."""
    ids = [int(line[4:]) for line in lines if line.startswith("id: ")]
    kinds = [line[7:] for line in lines if line.startswith("event: ")]
    data = [json.loads(line[6:]) for line in lines if line.startswith("data: ")]
    if ids != [*range(1, len(ids) + 1)] or kinds[:1] != ["turn_started"] or kinds[-1] != "done":
        return f"chat {number} is broken: {len(ids)} events, the last is {kinds[-1:]}"
    message = data[-1]["message"]
    shown = "".join(each["text"] for kind, each in zip(kinds, data, strict=True) if kind == "text")
    if message["status"] != "complete" or shown != message["answer"]["text"]:
        return f"chat {number} is not whole: {message['status']} {message['error']}"
    return "" if f"number {number} " in shown else f"chat {number} is another's"


def load(count: int) -> dict[str, Any]:
    """Run so many chats at once on one process, and return what became of them."""
    with process("bench.relay", "--serve", "sandbox", "") as (_, sandbox):
        base_url = f"{sandbox['url']}/anthropic/v1"
        with process("bench.relay", "--serve", "ours", base_url) as (pid, said):
            url = said["url"]
            asyncio.run(chats(url, "ours", ["Hello"], search="off"))
            before, started = cpu_seconds(pid), time.monotonic()
            questions = [f"Tell me of number {number} at length" for number in range(count)]
            answers = asyncio.run(chats(url, "ours", questions, search="off"))
            return {
                "chats": count,
                "events": sum(line.startswith("id: ") for lines in answers for line in lines),
                "seconds": time.monotonic() - started,
                "cpu_seconds": cpu_seconds(pid) - before,
                "peak_megabytes": peak_megabytes(pid),
                "faults": [fault for n, lines in enumerate(answers) if (fault := check(n, lines))],
            }


def show(figures: dict[str, Any]) -> None:
    relay, heavy = figures["relay"], figures.get("load")
    print(
        f"CPU, {CHATS} chats at once, an event every 20 ms, load average {os.getloadavg()[0]:.1f}"
    )
    for kind, name in (("bare", "bare Starlette relay"), ("ours", "groundwire serve")):
        each, rest = relay[kind]["event_microseconds"], relay[kind]["chat_milliseconds"]
        times = each / relay["bare"]["event_microseconds"]
        print(f"  {name:22}{each:7.1f} µs an event  {times:5.2f} ×   {rest:6.1f} ms a chat")
    if heavy:
        show_load(heavy, "chats")


def show_load(heavy: dict[str, Any], what: str) -> None:
    """Print what became of many chats or streams at once."""
    print(
        f"{heavy[what]} {what} at once on one process: {len(heavy['faults'])} broken or "
        f"mixed up, {heavy['events']} events in {heavy['seconds']:.1f} s, "
        f"{heavy['cpu_seconds']:.1f} s of CPU, {heavy['peak_megabytes']:.0f} MB at most"
    )
    print("\n".join(heavy["faults"][:10]))


def options_of(documentation: str) -> argparse.ArgumentParser:
    """Return the options of a benchmark that also measures under load."""
    parser = argparse.ArgumentParser(description=documentation.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    parser.add_argument("--quick", action="store_true", help="one round")
    parser.add_argument("--load", type=int, default=0, help="also run so many at once")
    return parser


def main() -> None:
    parser = options_of(__doc__)
    parser.add_argument("--serve", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    match options.serve:
        case ["sandbox", _]:
            asyncio.run(serve_sandbox())
        case ["ours", base_url]:
            serve_ours(base_url)
        case ["bare", base_url]:
            serve_bare(base_url)
        case _:
            with process("bench.model_streams") as (_, provider):
                figures = {"relay": measure(provider, 1 if options.quick else ROUNDS)}
            if options.load:
                figures["load"] = load(options.load)
            print(json.dumps(figures)) if options.json else show(figures)


if __name__ == "__main__":
    main()
