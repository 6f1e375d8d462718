"""What is done to a cluster, with counts.

    python -m torture.cluster_runs [--chats 500] [--kills 6] [--json]

Three servers, PostgreSQL, Redis and haproxy are started here. Every chat is left in the middle
and resumed on another server; every second one is stopped from the third. Then servers are killed
with -9 in turns while chats run. The counts must be 0.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
from pathlib import Path
from typing import Any

from torture.cluster import Cluster, Server, cluster
from torture.cluster_chats import Chat, Client

AT_ONCE = 100


async def resumed_and_stopped(
    made: Cluster, count: int, *, first_number: int = 0
) -> dict[str, Any]:
    """Leave, resume and stop chats, each with three servers; return what was wrong.

    A number is a chat's for good: whoever asks the same cluster again begins with another one.
    """
    limit = asyncio.Semaphore(AT_ONCE)
    names = [each.name for each in made.servers]

    async def one(client: Client, number: int) -> Chat:
        first, second, third = (names[(number + shift) % len(names)] for shift in range(3))
        chat = Chat(number)
        async with limit:
            if number % 2:
                await client.send(chat, first, events=2, provider="openai")
                following = asyncio.create_task(client.resume(chat, second))
                await client.stop(chat, third)
                await following
                chat.check("cancelled")
            else:
                await client.send(chat, first, events=4)
                await client.resume(chat, second, events=4)
                await client.resume(chat, third)
                chat.check("complete")
        if len(set(chat.servers)) < len(names):
            chat.faults.append(f"chat {number} was served by {chat.servers}")
        return chat

    async with Client(made.url, made.token) as client:
        chats = await asyncio.gather(
            *(one(client, first_number + number) for number in range(count))
        )
    return {"chats": count, "faults": [fault for chat in chats for fault in chat.faults]}


async def killed(made: Cluster, count: int, kills: int) -> dict[str, Any]:
    """Kill servers in turns while chats run; return what was lost, doubled or hung."""
    async with Client(made.url, made.token) as client:
        chats = [Chat(10_000 + number) for number in range(count)]
        running = [asyncio.create_task(client.persist(chat)) for chat in chats]
        for number in range(kills):
            server = made.servers[number % len(made.servers)]
            begun = len([chat for chat in chats if chat.message_id])
            while begun < count * (number + 1) // (kills + 1):
                await asyncio.sleep(0.05)
                begun = len([chat for chat in chats if chat.message_id])
            await asyncio.to_thread(_kill_and_start, server)
        await asyncio.gather(*running)
        faults = [fault for chat in chats for fault in chat.faults]
        faults += [fault for chat in chats for fault in await _kept(client, chat)]
    ends = [str((chat.done or {}).get("status")) for chat in chats]
    counted = {status: ends.count(status) for status in sorted(set(ends))}
    return {"chats": count, "kills": kills, "ends": counted, "faults": faults}


def _kill_and_start(server: Server) -> None:
    server.kill()
    server.start()
    server.wait_ready()


async def _kept(client: Client, chat: Chat) -> list[str]:
    """Return what is wrong with what is kept of a chat that was acknowledged."""
    if not chat.message_id:
        return [f"chat {chat.number} never began"]
    messages = await client.messages(chat)
    questions = [each for each in messages if each["kind"] == "USER"]
    answers = [each for each in messages if each["kind"] != "USER"]
    if len(questions) != 1 or len(answers) != 1:
        return [f"chat {chat.number} has {len(questions)} questions and {len(answers)} answers"]
    if answers[0]["status"] not in ("complete", "interrupted"):
        return [f"chat {chat.number} is kept as {answers[0]['status']}"]
    return []


def main() -> None:
    """Run everything and print the counts."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--chats", type=int, default=500)
    parser.add_argument("--kills", type=int, default=6)
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder, cluster(Path(folder)) as made:
        found = {
            "resumed and stopped": asyncio.run(resumed_and_stopped(made, given.chats)),
            "killed": asyncio.run(killed(made, given.chats, given.kills)),
        }
        tracebacks = sum(each.log.count("Traceback") for each in made.servers)
        logs = "\n".join(each.log for each in made.servers if "Traceback" in each.log)
    if given.json:
        print(json.dumps({**found, "tracebacks": tracebacks}))
    else:
        for name, each in found.items():
            faults = each.pop("faults")
            print(f"{name}: {each}, {len(faults)} faults")
            print("\n".join(faults[:10]))
        print(f"tracebacks in the logs: {tracebacks}")
        print(logs[logs.find("Traceback") :][:10_000] if tracebacks else "")
    raise SystemExit(any(each.get("faults") for each in found.values()) or tracebacks > 0)


if __name__ == "__main__":
    main()
