"""What keeping pages costs beside reading them, and how large it gets.

    python -m bench.evidence [--pages 1000] [--corpus FOLDER]

Reads pages of a corpus as the local reader does, without the network, and keeps them as snapshots
of one session in SQLite. CPU is of this process: extracting Markdown on one side; packing, hashing
and writing on the other.
"""

from __future__ import annotations

import argparse
import asyncio
import tempfile
import time
from hashlib import sha256
from itertools import cycle, islice
from pathlib import Path

from bench.environments import ROOT
from bench.reader_corpora import load
from groundwire.checks.records import Snapshot
from groundwire.conversation import Agent, ChatMessage, MessageKind, Session
from groundwire.model import Fetched
from groundwire.reader.documents import read_document
from groundwire.store import PERSONAL, Store
from groundwire.system.compression import pack

CORPUS = ROOT.parent / "shared/corpora/wcxb"
PAGES_OF_AN_ANSWER = 10


async def measure(folder: Path, count: int) -> None:
    """Print what reading and keeping cost, and the sizes."""
    samples = load(folder)[1]
    bodies = [
        # Each one different, so that nothing is spared by being equal.
        each.html + f"<!-- {number} -->".encode()
        for number, each in enumerate(islice(cycle(samples), count))
    ]
    began = time.process_time()
    texts = [read_document(body, "text/html", "https://a.example/").markdown for body in bodies]
    reading = time.process_time() - began
    with tempfile.TemporaryDirectory() as place:
        path = Path(place) / "store.sqlite3"
        async with Store.open(path) as store:
            before = _size(path)
            began = time.process_time()
            session = await _keep(store, bodies, texts)
            keeping = time.process_time() - began
            sizes, after = await store.snapshots.sizes(), _size(path)
            began = time.process_time()
            await store.sessions.delete(session.id)
            removing = time.process_time() - began
    raw = sum(map(len, bodies))
    print(f"pages {count}, {raw / 1e6:.1f} MB as fetched, {sizes.bytes / 1e6:.1f} MB with Markdown")
    print(
        f"store grew by {(after - before) / 1e6:.1f} MB: {(after - before) / raw:.2f} of the pages"
    )
    print(f"reading {reading / count * 1e3:.2f} ms a page, keeping {keeping / count * 1e3:.2f} ms")
    print(f"keeping is {keeping / reading:.1%} of reading; removing all {removing * 1e3:.0f} ms")


async def _keep(store: Store, bodies: list[bytes], texts: list[str]) -> Session:
    agent = await store.agents.create(Agent(workspace_id=PERSONAL, name="Bench"))
    session = await store.sessions.create(Session(workspace_id=PERSONAL, agent_id=agent.id))
    for start in range(0, len(bodies), PAGES_OF_AN_ANSWER):
        message = await store.messages.add(
            ChatMessage(session_id=session.id, kind=MessageKind.AI_RESPONSE)
        )
        some = range(start, min(start + PAGES_OF_AN_ANSWER, len(bodies)))
        await store.snapshots.save(
            [_snapshot(message.id, number, bodies[number], texts[number]) for number in some]
        )
    return session


def _snapshot(message_id: str, number: int, body: bytes, text: str) -> Snapshot:
    return Snapshot(
        message_id=message_id,
        url=f"https://a.example/{number}",
        service="local",
        text=text,
        text_hash=sha256(text.encode("utf-8", "replace")).hexdigest(),
        fetched=Fetched(
            status=200,
            headers={"content-type": "text/html"},
            packed=pack(body),
            size=len(body),
            body_hash=sha256(body).hexdigest(),
        ),
    )


def _size(path: Path) -> int:
    return sum(each.stat().st_size for each in path.parent.glob(f"{path.name}*"))


if __name__ == "__main__":
    given = argparse.ArgumentParser(description=__doc__)
    given.add_argument("--pages", type=int, default=1_000)
    given.add_argument("--corpus", type=Path, default=CORPUS)
    chosen = given.parse_args()
    asyncio.run(measure(chosen.corpus, chosen.pages))
