"""What vectors add to words, on SciFact's abstracts and claims: nDCG@10 with models and without.

    python -m bench.meaning [--quick] [--json]

Two small real models whose weights are in a package, in `.venv-embeddings` (`make peers`): static
vectors of words, and a transformer, for which there are fewer abstracts, since it takes its time.
A query waits for its vector from a server on loopback.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import subprocess
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.embedding_models import MODELS
from bench.environments import EMBEDDINGS, ROOT
from bench.scifact import CORPUS, TOP, Claim, judged, ours, read, show
from groundwire import Settings
from groundwire.client import Client
from groundwire.config.keys import Keys
from groundwire.library import Library, Meaning
from groundwire.search.query_embedding import query_embedding
from groundwire.service import search_context
from groundwire.service.library_embeddings import embed_library

ABSTRACTS = 500


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few claims about few abstracts")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    given = parser.parse_args()
    if not CORPUS.is_dir() or not EMBEDDINGS.python.exists():
        missing = "model of embeddings is installed" if CORPUS.is_dir() else "scifact in ../shared"
        print(json.dumps({"skipped": f"no {missing}"}))
        return
    abstracts, claims = read(CORPUS)
    claims = claims[:20] if given.quick else claims
    with tempfile.TemporaryDirectory() as scratch:
        count = 40 if given.quick else ABSTRACTS
        figures = measure(Path(scratch), fewer(abstracts, claims, count), claims)
    print(json.dumps(figures)) if given.json else show(figures)


def fewer(
    abstracts: Sequence[Sequence[str]], claims: Sequence[Claim], count: int
) -> list[Sequence[str]]:
    """Return the abstracts that claims are about, and others up to a number."""
    wanted = {id_ for claim in claims for id_ in claim.relevant}
    about = [one for one in abstracts if one[0] in wanted]
    others = [one for one in abstracts if one[0] not in wanted]
    return [*about, *others[: max(0, count - len(about))]]


def measure(
    scratch: Path, abstracts: Sequence[Sequence[str]], claims: Sequence[Claim]
) -> dict[str, Any]:
    """Return what words find, and what they find with each model."""
    indexes = {"words alone": ours(scratch, "tantivy", abstracts, claims)}
    for model in MODELS:
        indexes[f"with {model}"] = _served(scratch / "ours-tantivy/library.sqlite3", model, claims)
    return {"documents": len(abstracts), "queries": len(claims), "indexes": indexes}


def _served(path: Path, model: str, claims: Sequence[Claim]) -> dict[str, Any]:
    words = [str(EMBEDDINGS.python), "-m", "bench.embedding_server", model]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True, cwd=ROOT) as server:
        assert server.stdout is not None
        address = server.stdout.readline().strip()
        try:
            return asyncio.run(_mixed(path, address, model, claims))
        finally:
            server.terminate()


async def _mixed(path: Path, address: str, model: str, claims: Sequence[Claim]) -> dict[str, Any]:
    """Make the vectors of a library, and ask it by words and meaning."""
    service = {"base_url": address, "model": model, "options": {"batch": 4}}
    settings = Settings.model_validate({"providers": {"embeddings": service}})
    async with (
        Client(settings.network) as client,
        search_context(settings, Keys(), client) as context,
    ):
        began = time.perf_counter()
        await embed_library(context, {"path": str(path)})
        embedding = time.perf_counter() - began
        with Library(path) as library:
            took, found = [], []
            for claim in claims:
                began = time.perf_counter()
                said, note = await query_embedding(context, claim.text)
                assert said, note
                meaning = Meaning(form=said.form, vector=said.vector)
                hits = library.search(claim.text, limit=TOP, meaning=meaning)
                took.append(time.perf_counter() - began)
                found.append([hit.document.path for hit in hits])
    return judged(claims, found, took, None) | {"embedding_seconds": embedding}


if __name__ == "__main__":
    main()
