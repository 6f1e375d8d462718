"""Statements and CPU of a turn through the whole server, on SQLite and on PostgreSQL.

    python -m bench.turn_costs [--turns 100] [--database URL …] [--checks all]
        [--quick] [--json] [--statements]

A process serves the web app; another is the provider, with a short cited answer after a search.
Turns come one after the other, first messages and second ones of the same chat. Statements are
all that the database gets, also those that only begin or end a transaction; a process of its own
serves while they are counted, since counting costs too. CPU is that of the other serving process,
the least of some rounds. Cited pages are compared only with `--checks`. Without
`--database`, PostgreSQL is started here if it is installed.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import socket
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager, nullcontext
from pathlib import Path
from typing import Any

import aiohttp

from bench.growth_turns import Make
from bench.relay import cpu_seconds, process
from bench.statements import counted
from groundwire import Keys, Settings
from groundwire.service.program import Groundwire
from groundwire.web import create_app
from groundwire.web.server import server_of

ROUNDS = 3
ANSWER = Make(characters=600, citations=3, sources=3)
MESSAGE = "/api/agents/assistant/message"
STATEMENTS, CPU = "statements", "cpu"


def serve(database: str, base_url: str, checks: str, what: str) -> None:
    """Serve the web app; with `statements`, a route says how many since it was last asked."""
    counting = counted() if what == STATEMENTS else nullcontext(Counter[str]())
    with tempfile.TemporaryDirectory() as folder, counting as statements:
        tables = {"providers": {"anthropic": {"base_url": base_url}}, "checks": {"pages": checks}}
        settings = Settings.model_validate(tables)
        keys = Keys(environment={"ANTHROPIC_API_KEY": "any"}, file=Path(folder) / "keys.json")
        program = Groundwire(settings=settings, keys=keys, database=database)
        listener = socket.create_server(("127.0.0.1", 0), backlog=2048)
        app = create_app(program, opens=True)

        @app.get("/statements")
        async def told() -> dict[str, int]:
            seen = dict(statements)
            statements.clear()
            return seen

        print(json.dumps({"port": listener.getsockname()[1]}), flush=True)
        server_of(app).run(sockets=[listener])


async def ask(client: aiohttp.ClientSession, number: int, **body: str) -> dict[str, Any]:
    """Send a message, read its answer to the end, and return the answer."""
    sent = {"text": "Otters?", "provider_id": "anthropic", "client_id": f"turn-{number}", **body}
    async with client.post(MESSAGE, json=sent) as reply:
        text = (await reply.read()).decode()
        assert reply.status == 200, text
    last = next(line for line in reversed(text.splitlines()) if line.startswith("data: "))
    message: dict[str, Any] = json.loads(last[6:])["message"]
    assert message["status"] == "complete", message
    return message


async def counts(url: str) -> dict[str, dict[str, int]]:
    """Return the statements of a first message and of a second one."""
    async with aiohttp.ClientSession(url) as client:

        async def statements() -> dict[str, int]:
            async with client.get("/statements") as reply:
                found: dict[str, int] = await reply.json()
                return found

        message = await ask(client, -2)
        await statements()
        message = await ask(client, -1)
        first = await statements()
        await ask(client, -3, session_id=message["session_id"])
        return {"first": first, "second": await statements()}


async def cost(url: str, pid: int, turns: int, first: int) -> float:
    """Return the CPU seconds of one turn: the mean of many, half of them second messages."""
    async with aiohttp.ClientSession(url) as client:
        before = cpu_seconds(pid)
        for number in range(first, first + turns, 2):
            message = await ask(client, number)
            await ask(client, number + 1, session_id=message["session_id"])
        return (cpu_seconds(pid) - before) / turns


def measure(databases: dict[str, str], given: argparse.Namespace) -> dict[str, Any]:
    """Return the figures of every database; they take turns."""
    figures: dict[str, Any] = {}
    turns, rounds = (10, 1) if given.quick else (given.turns, ROUNDS)
    with ExitStack() as running:
        _, provider = running.enter_context(process("bench.growth_turns"))
        base_url = f"{provider['url']}/{ANSWER.path}"
        for name, database in databases.items():
            serving = ("bench.turn_costs", "--serve", database, base_url, given.checks)
            with process(*serving, STATEMENTS) as (_, said):
                found = asyncio.run(counts(said["url"]))
            pid, said = running.enter_context(process(*serving, CPU))
            totals = {kind: sum(each.values()) for kind, each in found.items()}
            figures[name] = {"statements": totals, "each": found, "place": (pid, said["url"])}
        for number in range(rounds + 1):
            for each in figures.values():
                pid, url = each["place"]
                spent = asyncio.run(cost(url, pid, turns, number * turns))
                if number:  # Caches are not what is measured.
                    each["cpu_seconds"] = min(spent, each.get("cpu_seconds", spent))
    for each in figures.values():
        del each["place"]
    return figures


@contextmanager
def postgresql() -> Iterator[dict[str, str]]:
    """Give the URL of a server that is started for this, nothing where there is none."""
    from tests.postgresql import PostgreSql, is_installed  # noqa: PLC0415 - only without a URL

    if not is_installed():
        print("PostgreSQL is not installed: SQLite alone", file=sys.stderr)
        yield {}
        return
    server = PostgreSql()
    try:
        yield {"postgresql": server.create("turn_costs")}
    finally:
        server.remove()


def show(figures: dict[str, Any], *, statements: bool) -> None:
    """Print a row for each database."""
    for name, each in figures.items():
        first, second = each["statements"]["first"], each["statements"]["second"]
        print(
            f"{name:<12} {first} statements for a first message, {second} for a second; "
            f"{each['cpu_seconds'] * 1000:.1f} ms of CPU a turn"
        )
        for kind, found in each["each"].items() if statements else ():
            for words, times in sorted(found.items()):
                print(f"    {kind:<7} {times} × {words}")


def main() -> None:
    """Measure, or serve for those who measure."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--turns", type=int, default=100)
    parser.add_argument("--database", action="append", default=[], metavar="URL")
    parser.add_argument("--checks", choices=("off", "opened", "all"), default="off")
    parser.add_argument("--quick", action="store_true", help="one short round")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    parser.add_argument("--statements", action="store_true", help="print each kind of statement")
    parser.add_argument("--serve", nargs=4, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.serve:
        serve(*given.serve)
        return
    with ExitStack() as stack:
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        named = {each.partition(":")[0]: each for each in given.database}
        others = named or stack.enter_context(postgresql())
        figures = measure({"sqlite": f"{folder}/turns.sqlite3", **others}, given)
    if given.json:
        print(json.dumps(figures))
    else:
        show(figures, statements=given.statements)


if __name__ == "__main__":
    main()
