"""What it costs to save an answer in the making: CPU of this process per save of 5 kB.

    python -m bench.store [postgresql://…] [--quick] [--json]

One turn alone, and 200 turns that save in the same moment, as they do at 250 ms intervals. Each
answer has 5 kB of text, eight citations, two tool runs and two rounds with a page of 20 kB in
them. The figure is the CPU time of the whole process, threads included, divided by the saves; the
least of several rounds. Without a URL only SQLite is measured.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from dataclasses import replace
from pathlib import Path

from groundwire.conversation import (
    Agent,
    ChatMessage,
    MessageKind,
    Round,
    Session,
    Status,
    ToolRun,
)
from groundwire.model import Citation, Usage
from groundwire.store import PERSONAL, Store

TEXT = "The otter holds hands while it sleeps, so they say. " * 100
PAGE = "Otters eat urchins. " * 1000
TURNS = 200
ROUNDS = 3


def grown(begun: ChatMessage) -> ChatMessage:
    """Return an answer in the middle of its text."""
    citations = tuple(
        Citation(url=f"https://example.org/{number}", title="Otter", quote="They do.")
        for number in range(8)
    )
    runs = tuple(
        ToolRun(id=name, name="open_page", url="https://example.org/", status="done", output=PAGE)
        for name in ("a", "b")
    )
    rounds = tuple(Round(text="", raw_blocks=[{"type": "text", "text": PAGE}]) for _ in range(2))
    return replace(
        begun,
        content=TEXT,
        plain_text=TEXT,
        citations=citations,
        tool_runs=runs,
        rounds=rounds,
        usage=Usage(input_tokens=1, output_tokens=1),
    )


async def measure(url: str, *, turns: int, rounds: int) -> dict[str, float]:
    """Return microseconds of CPU per save, alone and among many."""
    async with Store.open(url) as store:
        agent = await store.agents.create(Agent(workspace_id=PERSONAL, name="bench"))
        session = await store.sessions.create(Session(workspace_id=PERSONAL, agent_id=agent.id))
        answers = [await _begin(store, session) for _ in range(turns)]
        alone = [await _cost(store, answers[:1], turns) for _ in range(rounds)]
        together = [await _cost(store, answers, 5) for _ in range(rounds)]
        await store.sessions.delete(session.id)
    return {"alone": min(alone), "together": min(together)}


async def _begin(store: Store, session: Session) -> ChatMessage:
    begun = ChatMessage(
        session_id=session.id, kind=MessageKind.AI_RESPONSE, status=Status.STREAMING
    )
    answer = grown(await store.messages.add(begun))
    await store.messages.save(answer)
    return answer


async def _cost(store: Store, answers: list[ChatMessage], times: int) -> float:
    begin = time.process_time()
    for number in range(times):
        await asyncio.gather(
            *(store.messages.save(replace(answer, content=f"{TEXT}{number}")) for answer in answers)
        )
    return (time.process_time() - begin) / (times * len(answers)) * 1e6


def main() -> None:
    """Measure SQLite, and PostgreSQL where a URL is given."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("url", nargs="?", default="")
    parser.add_argument("--quick", action="store_true", help="a tenth of the turns, one round")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    arguments = parser.parse_args()
    turns, rounds = (TURNS // 10, 1) if arguments.quick else (TURNS, ROUNDS)
    with tempfile.TemporaryDirectory() as folder:
        figures = {
            "SQLite": asyncio.run(
                measure(str(Path(folder) / "bench.sqlite3"), turns=turns, rounds=rounds)
            )
        }
    if arguments.url:
        figures["PostgreSQL"] = asyncio.run(measure(arguments.url, turns=turns, rounds=rounds))
    if arguments.json:
        print(json.dumps(figures))
        return
    for name, figure in figures.items():
        print(
            f"{name:12} one turn alone {figure['alone']:7.0f} µs   "
            f"each of {turns} turns {figure['together']:7.0f} µs"
        )


if __name__ == "__main__":
    main()
