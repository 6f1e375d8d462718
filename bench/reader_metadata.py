"""How many authors and dates of publication are found: our reader, and trafilatura beside it.

    python -m bench.reader_metadata [--corpus FOLDER] [--quick] [--json]

Of a corpus in WCXB's format, which names `author` and `publish_date` of some pages. Right is an
author of whose name half of the words are found, and a date that is the same day. Nothing was
trained on it, but the rules were written with the pages in `../shared` in view.
"""

from __future__ import annotations

import argparse
import gzip
import json
import pickle
import re
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path
from typing import Any

from bench.environments import OURS, READER, ROOT

CORPUS = ROOT.parent / "shared/corpora/wcxb"
QUICK_SHARE = 12
_WORD = re.compile(r"\w+")


def load(folder: Path) -> list[dict[str, Any]]:
    """Return the pages of a corpus with what is known of each."""
    pages = []
    for path in sorted((folder / "ground-truth").glob("*.json")):
        page = json.loads(path.read_text("utf-8"))
        html = gzip.decompress((folder / "html" / f"{path.stem}.html.gz").read_bytes())
        truth = page["ground_truth"]
        pages.append(
            {
                "html": html,
                "url": page.get("url") or "",
                "author": truth.get("author") or "",
                "date": truth.get("publish_date") or "",
            }
        )
    return pages


def measure(pages: list[dict[str, Any]], found: list[tuple[str, str]]) -> dict[str, dict[str, int]]:
    """Return how many were wanted, found, right, and found where none is known."""
    figures = {
        name: dict.fromkeys(("wanted", "found", "right", "unknown"), 0)
        for name in ("author", "date")
    }
    for page, (author, date) in zip(pages, found, strict=True):
        named, known = (set(_WORD.findall(each.lower())) for each in (author, page["author"]))
        is_right = bool(known) and 2 * len(named & known) >= len(known)
        _count(figures["author"], bool(known), bool(named), is_right)
        _count(figures["date"], bool(page["date"]), bool(date), page["date"] == date[:10] != "")
    return figures


def _count(figures: dict[str, int], is_known: bool, is_found: bool, is_right: bool) -> None:
    figures["wanted"] += is_known
    figures["found"] += is_found
    figures["right"] += is_right
    figures["unknown"] += is_found and not is_known


def _ours(html: bytes, url: str) -> tuple[str, str]:
    metadata = import_module("groundwire.reader").extract(html, "text/html", url).metadata
    return ", ".join(metadata.authors), metadata.published


def _trafilatura(html: bytes, url: str) -> tuple[str, str]:
    found = import_module("trafilatura.metadata").extract_metadata(html, default_url=url)
    return (found.author or "", found.date or "") if found else ("", "")


READERS = {"groundwire": (OURS, _ours), "trafilatura": (READER, _trafilatura)}


def _found(name: str, pages: list[dict[str, Any]]) -> list[tuple[str, str]]:
    with tempfile.NamedTemporaryFile() as file:
        file.write(pickle.dumps([(page["html"], page["url"]) for page in pages]))
        file.flush()
        command = [str(READERS[name][0].python), "-m", "bench.reader_metadata", name, file.name]
        done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT, check=True)
    return [(author, date) for author, date in json.loads(done.stdout.splitlines()[-1])]


def main() -> None:
    if len(sys.argv) == 3 and sys.argv[1] in READERS:
        read = READERS[sys.argv[1]][1]
        print(json.dumps([read(*page) for page in pickle.loads(Path(sys.argv[2]).read_bytes())]))
        return
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--corpus", type=Path, default=CORPUS, metavar="FOLDER")
    parser.add_argument("--quick", action="store_true", help="few pages")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    given = parser.parse_args()
    pages = load(given.corpus)[:: QUICK_SHARE if given.quick else 1]
    figures = {
        name: measure(pages, _found(name, pages))
        for name, (environment, _) in READERS.items()
        if environment.python.exists()
    }
    if given.json:
        print(json.dumps(figures))
        return
    for name, of in figures.items():
        for what, counts in of.items():
            print(f"{name:12s} {what:7s}", *(f"{key} {value}" for key, value in counts.items()))


if __name__ == "__main__":
    main()
