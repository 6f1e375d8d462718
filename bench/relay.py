"""What it costs to hand an answer on: our whole server next to a relay that only copies bytes.

    python -m bench.relay [--json] [--load 500]

A sandbox in a process of its own speaks for the provider. Chats are read at the same time from
our server (its own process: HTTP, access, the turn, citations, the store, the event stream) and
from a bare Starlette app on the same uvicorn that reads the same reply with aiohttp and passes its
bytes on. The figure is CPU time of the serving process for each event of the provider, of each
kind the least of some rounds that take turns. With `--load`, so many chats run at once on one
process, and each must be whole and its own.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import aiohttp

CHATS = 50
ROUNDS = 3
PACE_SECONDS = 0.02
TICKS = os.sysconf("SC_CLK_TCK")
QUESTION = "Tell me of number {} at length"


def request_body(text: str) -> dict[str, Any]:
    """Return what is asked of the provider, by either of the two."""
    return {
        "model": "claude-sonnet-5-5",
        "max_tokens": 16_000,
        "stream": True,
        "messages": [{"role": "user", "content": text}],
    }


def serve_bare(sandbox: str) -> None:
    """Serve the relay that knows nothing of what it passes on."""
    from starlette.applications import Starlette  # noqa: PLC0415 - in this process alone
    from starlette.requests import Request  # noqa: PLC0415
    from starlette.responses import StreamingResponse  # noqa: PLC0415
    from starlette.routing import Route  # noqa: PLC0415

    clients: list[aiohttp.ClientSession] = []

    async def relay(request: Request) -> StreamingResponse:
        text = (await request.json())["text"]
        if not clients:
            connector = aiohttp.TCPConnector(limit=0)
            clients.append(aiohttp.ClientSession(connector=connector))

        async def copy() -> AsyncIterator[bytes]:
            url = f"{sandbox}/anthropic/v1/messages"
            headers = {"x-api-key": "any", "anthropic-version": "2023-06-01"}
            async with clients[0].post(url, json=request_body(text), headers=headers) as reply:
                async for piece in reply.content.iter_any():
                    yield piece

        return StreamingResponse(copy(), media_type="text/event-stream")

    _run(Starlette(routes=[Route("/relay", relay, methods=["POST"])]))


def serve_ours(sandbox: str) -> None:
    """Serve the web app over the sandbox, with a database of its own."""
    from groundwire import Keys, Settings  # noqa: PLC0415 - in this process alone
    from groundwire.service.program import Groundwire  # noqa: PLC0415
    from groundwire.web import create_app  # noqa: PLC0415

    with tempfile.TemporaryDirectory() as folder:
        base_url = {"base_url": f"{sandbox}/anthropic/v1"}
        settings = Settings.model_validate({"providers": {"anthropic": base_url}})
        keys = Keys(environment={"ANTHROPIC_API_KEY": "any"}, file=Path(folder) / "keys.json")
        database = f"{folder}/bench.sqlite3"
        program = Groundwire(settings=settings, keys=keys, database=database)
        _run(create_app(program, opens=True))


def _run(app: Any) -> None:
    import socket  # noqa: PLC0415

    import uvicorn  # noqa: PLC0415

    listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
    print(listener.getsockname()[1], flush=True)
    config = uvicorn.Config(
        app, loop="uvloop", http="httptools", log_level="warning", access_log=False
    )
    uvicorn.Server(config).run(sockets=[listener])


async def serve_sandbox(pace: float) -> None:
    """Speak for the provider."""
    from groundwire.sandbox import SandboxServer  # noqa: PLC0415

    server = SandboxServer(pace_seconds=pace)
    print((await server.start()).rpartition(":")[2], flush=True)
    await server.run_until_cancelled()


@contextmanager
def process(kind: str, argument: str) -> Iterator[tuple[int, str]]:
    """Start a server, and give its process id and its URL."""
    command = [sys.executable, "-m", "bench.relay", "--serve", kind, argument]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as started:
        assert started.stdout is not None
        try:
            yield started.pid, f"http://127.0.0.1:{started.stdout.readline().strip()}"
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


async def chat(client: aiohttp.ClientSession, url: str, kind: str, number: int) -> list[str]:
    """Read one answer and return the lines of its stream."""
    text = QUESTION.format(number)
    paths = {"ours": "/api/agents/assistant/message", "bare": "/relay"}
    body = {"text": text, "search": "off", "provider_id": "anthropic"}
    async with client.post(url + paths[kind], json=body) as reply:
        assert reply.status == 200, await reply.text()
        return (await reply.read()).decode().splitlines()


async def chats(url: str, kind: str, count: int) -> list[list[str]]:
    """Read so many answers at the same time."""
    connector = aiohttp.TCPConnector(limit=0)
    timeout = aiohttp.ClientTimeout(total=600)
    async with aiohttp.ClientSession(connector=connector, timeout=timeout) as client:
        return await asyncio.gather(*[chat(client, url, kind, n) for n in range(count)])


def measure(sandbox: str) -> dict[str, Any]:
    """Return the least CPU per event of the provider, in microseconds, of both."""
    figures: dict[str, Any] = {"ours": float("inf"), "bare": float("inf")}
    with process("ours", sandbox) as ours, process("bare", sandbox) as bare:
        servers = {"ours": ours, "bare": bare}
        for kind, (_, url) in servers.items():
            asyncio.run(chats(url, kind, 5))  # Imports and caches are not what is measured.
        events = 0
        for _ in range(ROUNDS):
            for kind, (pid, url) in reversed(servers.items()):
                before = cpu_seconds(pid)
                lines = asyncio.run(chats(url, kind, CHATS))
                used = cpu_seconds(pid) - before
                if kind == "bare":
                    events = sum(line.startswith("event:") for each in lines for line in each)
                figures[kind] = min(figures[kind], used / events * 1e6)
        figures["events"] = events // CHATS
    figures["times"] = figures["ours"] / figures["bare"]
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
    if f"number {number} " not in shown:
        return f"chat {number} is another's"
    return ""


def load(sandbox: str, count: int) -> dict[str, Any]:
    """Run so many chats at once on one process, and return what became of them."""
    with process("ours", sandbox) as (pid, url):
        asyncio.run(chats(url, "ours", 1))
        before, started = cpu_seconds(pid), time.monotonic()
        answers = asyncio.run(chats(url, "ours", count))
        figures: dict[str, Any] = {
            "chats": count,
            "seconds": time.monotonic() - started,
            "cpu_seconds": cpu_seconds(pid) - before,
            "peak_megabytes": peak_megabytes(pid),
        }
    figures["faults"] = [fault for n, lines in enumerate(answers) if (fault := check(n, lines))]
    return figures


def show(figures: dict[str, Any]) -> None:
    relay, heavy = figures["relay"], figures.get("load")
    print(f"CPU per event of the provider, {CHATS} chats at once of {relay['events']} events:")
    print(f"  bare Starlette relay  {relay['bare']:8.1f} µs")
    print(f"  groundwire serve      {relay['ours']:8.1f} µs  {relay['times']:.2f} ×")
    if heavy:
        print(
            f"{heavy['chats']} chats at once on one process: {len(heavy['faults'])} broken or mixed "
            f"up, {heavy['seconds']:.1f} s, {heavy['cpu_seconds']:.1f} s of CPU, "
            f"{heavy['peak_megabytes']:.0f} MB at most"
        )
        print("\n".join(heavy["faults"][:10]))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    parser.add_argument("--load", type=int, default=0, help="also run so many chats at once")
    parser.add_argument("--serve", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.serve:
        kind, argument = options.serve
        if kind == "sandbox":
            asyncio.run(serve_sandbox(float(argument)))
        else:
            {"ours": serve_ours, "bare": serve_bare}[kind](argument)
        return
    with process("sandbox", str(PACE_SECONDS)) as (_, sandbox):
        figures = {"relay": measure(sandbox)}
        if options.load:
            figures["load"] = load(sandbox, options.load)
    print(json.dumps(figures)) if options.json else show(figures)


if __name__ == "__main__":
    main()
