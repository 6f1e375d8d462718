"""What comparing citations costs a turn: `python -m bench.checks_in_turns`.

A played provider streams an answer that cites ten pages of 20 kB, and a played reader serves them,
both in a process of their own. The same turns run with checks off, then on:
time to the first text, time to the end of the answer, and CPU, of the program and of the process
that compares.
"""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import resource
import statistics
import time
from contextlib import aclosing
from itertools import count
from multiprocessing.connection import Connection

from aiohttp import web

import groundwire
from groundwire import Keys, Settings
from groundwire.chat.events import TextShown, TurnEnded
from groundwire.sandbox.played_citations import WINDMILLS

PAGES = 10
PAGE_CHARACTERS = 20_000
TURNS = 20
_VISITS = count()
_SENTENCE = "In {year} there were {count} windmills between the river and the sea."


def _page(number: int) -> str:
    """Return a page that is never the same twice, so that nothing is compared from memory."""
    said = _SENTENCE.format(year=1800 + number, count=400 + number)
    filler = (WINDMILLS.text + "\n\n") * (PAGE_CHARACTERS // len(WINDMILLS.text) + 1)
    read = f"Read as visit {next(_VISITS)}."
    return f"# Windmills {number}\n\n{said}\n\n{read}\n\n{filler}"[:PAGE_CHARACTERS]


def _events() -> list[dict[str, object]]:
    message: dict[str, object] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-5-5",
        "content": [],
        "stop_reason": None,
        "stop_sequence": None,
        "usage": {"input_tokens": 10, "output_tokens": 1},
    }
    events: list[dict[str, object]] = [{"type": "message_start", "message": message}]
    for number in range(PAGES):
        said = _SENTENCE.format(year=1800 + number, count=400 + number)
        citation = {
            "type": "web_search_result_location",
            "cited_text": said,
            "url": f"https://p{number}.example.org/windmills",
            "title": f"Windmills {number}",
            "encrypted_index": "x",
        }
        block = {"type": "text", "text": "", "citations": []}
        deltas = [
            {"type": "citations_delta", "citation": citation},
            *({"type": "text_delta", "text": f"{word} "} for word in said.split()),
        ]
        events.append({"type": "content_block_start", "index": number, "content_block": block})
        events += [
            {"type": "content_block_delta", "index": number, "delta": each} for each in deltas
        ]
        events.append({"type": "content_block_stop", "index": number})
    delta = {"stop_reason": "end_turn", "stop_sequence": None}
    events.append({"type": "message_delta", "delta": delta, "usage": {"output_tokens": 100}})
    return [*events, {"type": "message_stop"}]


async def _answer(request: web.Request) -> web.StreamResponse:
    await request.read()
    response = web.StreamResponse(headers={"content-type": "text/event-stream"})
    await response.prepare(request)
    for event in _events():
        await response.write(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n".encode())
        # A model's pace: some hundred events a second.
        await asyncio.sleep(0.005)
    return response


async def _read(request: web.Request) -> web.StreamResponse:
    url = (await request.json())["url"]
    number = int(url.removeprefix("https://p").partition(".")[0])
    data = {"url": url, "title": f"Windmills {number}", "content": _page(number)}
    return web.json_response({"code": 200, "status": 20000, "data": data})


def _serve(told: Connection) -> None:
    async def main() -> None:
        app = web.Application()
        app.router.add_post("/anthropic/v1/messages", _answer)
        app.router.add_post("/jina/", _read)
        runner = web.AppRunner(app, access_log=None)
        await runner.setup()
        site = web.TCPSite(runner, "127.0.0.1", 0)
        await site.start()
        told.send(runner.addresses[0][1])
        await asyncio.Event().wait()

    asyncio.run(main())


def _settings(port: int, pages: str) -> Settings:
    root = f"http://127.0.0.1:{port}"
    return Settings.model_validate(
        {
            "read_provider": "jina",
            "read": {"respect_robots": False},
            "cache": {"kind": "off"},
            "checks": {"pages": pages},
            "providers": {
                "anthropic": {"base_url": f"{root}/anthropic/v1"},
                "jina": {"base_url": f"{root}/jina"},
            },
        }
    )


async def _turn(program: groundwire.Groundwire) -> tuple[float, float, int]:
    """Return the seconds to the first text and to the end, and how many citations came of it."""
    begun, first, end, compared = time.perf_counter(), 0.0, 0.0, 0
    stream = program.stream("How many windmills?", provider="anthropic", search="hosted")
    async with aclosing(stream) as events:
        async for event in events:
            if isinstance(event, TextShown) and not first:
                first = time.perf_counter() - begun
            elif isinstance(event, TurnEnded):
                end = time.perf_counter() - begun
            compared += event.type == "citation_checked"
    return first, end, compared


async def _measure(port: int, pages: str) -> dict[str, float]:
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    keys = Keys(environment={"ANTHROPIC_API_KEY": "any"})
    async with groundwire.open(settings=_settings(port, pages), keys=keys, keep=False) as program:
        await _turn(program)  # What is loaded and started once is not a turn's.
        began = time.process_time()
        turns = [await _turn(program) for _ in range(TURNS)]
        own = time.process_time() - began
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    compared = after.ru_utime + after.ru_stime - children.ru_utime - children.ru_stime
    return {
        "first text (ms)": 1000 * statistics.median(first for first, _, _ in turns),
        "end (ms)": 1000 * statistics.median(end for _, end, _ in turns),
        "citations compared": statistics.mean(count for *_, count in turns),
        "CPU of the program (ms)": 1000 * own / TURNS,
        # One turn more: its start and the first turn are in it.
        "CPU of the comparing process (ms)": 1000 * compared / (TURNS + 1),
    }


def main() -> None:
    """Measure and print a table."""
    ours, theirs = multiprocessing.Pipe()
    server = multiprocessing.get_context("spawn").Process(target=_serve, args=(theirs,))
    server.start()
    try:
        port = ours.recv()
        found = {pages: asyncio.run(_measure(port, pages)) for pages in ("off", "all")}
    finally:
        server.terminate()
        server.join()
    print("| a turn with ten cited pages of 20 kB | checks off | checks on |\n|---|---|---|")
    for name, without in found["off"].items():
        print(f"| {name} | {without:.1f} | {found['all'][name]:.1f} |")


if __name__ == "__main__":
    main()
