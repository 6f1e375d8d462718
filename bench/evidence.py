"""What keeping pages costs beside reading them, how large it gets, and what a bundle costs.

    python -m bench.evidence [--pages 1000] [--corpus FOLDER] [--quick] [--json]

Reads pages of a corpus as the local reader does, without the network, and keeps them as snapshots
of one session in SQLite. CPU is of this process: extracting Markdown on one side; packing, hashing
and writing on the other. The same session is then taken away as a bundle, and the bundle verified.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import tempfile
import time
from hashlib import sha256
from itertools import cycle, islice
from pathlib import Path

from bench.environments import ROOT
from bench.reader_corpora import load
from groundwire import Settings
from groundwire.checks.records import Snapshot
from groundwire.conversation import Agent, ChatMessage, MessageKind, Session
from groundwire.evidence.bundle import write_bundle
from groundwire.evidence.verification import verified
from groundwire.model import Fetched
from groundwire.reader.documents import read_document
from groundwire.service.evidence import dossier_of
from groundwire.store import PERSONAL, Store
from groundwire.system.compression import pack

CORPUS = ROOT.parent / "shared/corpora/wcxb"
PAGES_OF_AN_ANSWER = 10
QUICK_PAGES = 50


async def measure(folder: Path, count: int) -> dict[str, float]:
    """Return seconds of CPU and bytes of all pages."""
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
            bundle = await _bundle(store, session, Path(place) / "bench.wacz")
            began = time.process_time()
            await store.sessions.delete(session.id)
            removing = time.process_time() - began
    return {
        "pages": count,
        "fetched_bytes": sum(map(len, bodies)),
        "bytes_with_markdown": sizes.bytes,
        "store_bytes": after - before,
        "reading_seconds": reading,
        "keeping_seconds": keeping,
        "removing_seconds": removing,
        **bundle,
    }


async def _bundle(store: Store, session: Session, path: Path) -> dict[str, float]:
    """Return what it costs to take a session away with its pages, and to verify that."""
    dossier = await dossier_of(store, Settings(), session.id)
    began = time.process_time()
    size = write_bundle(path, dossier, "<p>An answer.</p>")
    written = time.process_time()
    verified(path)
    return {
        "bundle_bytes": size,
        "bundling_seconds": written - began,
        "verifying_seconds": time.process_time() - written,
    }


def show(found: dict[str, float]) -> None:
    """Print the figures for a person."""
    count, raw = found["pages"], found["fetched_bytes"]
    reading, keeping = found["reading_seconds"], found["keeping_seconds"]
    print(f"pages {count:.0f}, {raw / 1e6:.1f} MB as fetched")
    print(f"with Markdown {found['bytes_with_markdown'] / 1e6:.1f} MB")
    print(f"store grew by {found['store_bytes'] / 1e6:.1f} MB: {found['store_bytes'] / raw:.2f}")
    print(f"reading {reading / count * 1e3:.2f} ms a page, keeping {keeping / count * 1e3:.2f} ms")
    print(f"keeping is {keeping / reading:.1%} of reading")
    print(f"removing all {found['removing_seconds'] * 1e3:.0f} ms")
    print(
        f"bundle {found['bundle_bytes'] / 1e6:.1f} MB: written in {found['bundling_seconds']:.2f} s"
    )
    print(f"verified in {found['verifying_seconds']:.2f} s")


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


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--pages", type=int, default=1_000)
    parser.add_argument("--corpus", type=Path, default=CORPUS)
    parser.add_argument("--quick", action="store_true", help="few pages")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    given = parser.parse_args()
    if not given.corpus.exists():
        print(json.dumps({"skipped": f"needs pages in {given.corpus.name}"}))
        return
    found = asyncio.run(measure(given.corpus, QUICK_PAGES if given.quick else given.pages))
    print(json.dumps(found)) if given.json else show(found)


if __name__ == "__main__":
    main()
