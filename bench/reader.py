"""How well and at what cost pages are read: our reader, and the peers that are installed.

    python -m bench.reader --corpus FOLDER --corpus FOLDER [--debian 60] [--peer trafilatura]

For each corpus and kind of page: F1 of the Markdown without its syntax (words, or shingles for
the article benchmark) and CPU milliseconds a page, all in this process and in turns; for
Debian's documentation also the share of headings, links, items, cells and code blocks that are
kept as such. The shipped trees were trained on the corpora in `../shared`: of those pages
`tools/train_reader.py` prints the figures held out.
"""

from __future__ import annotations

import argparse
import importlib
import time
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from statistics import mean, median

from bench.reader_corpora import Sample, debian_pages, load
from bench.reader_scores import plain, shingle_f1, shingles, structure, word_f1
from groundwire.reading import extract

Read = Callable[[Sample], str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """What one reader made of one page, and the CPU seconds it took."""

    sample: Sample
    markdown: str
    seconds: float


def readers(names: list[str]) -> dict[str, Read]:
    """Return our reader and those peers that can be imported."""
    found: dict[str, Read] = {"groundwire": _groundwire}
    for name in names:
        try:
            module = importlib.import_module(name.replace("-", "_"))
        except ImportError:
            print(f"{name} is not installed here")
            continue
        found[name] = _PEERS[name](module)
    return found


def _groundwire(sample: Sample) -> str:
    return extract(sample.html, "text/html", sample.url).markdown


def _trafilatura(module: object) -> Read:
    extractor = module.extract  # type: ignore[attr-defined]  # a peer, imported by name

    def read(sample: Sample) -> str:
        return extractor(sample.html, url=sample.url, output_format="markdown") or ""

    return read


def _html_to_markdown(module: object) -> Read:
    convert = module.convert  # type: ignore[attr-defined]  # a peer, imported by name

    def read(sample: Sample) -> str:
        return str(convert(sample.html.decode("utf-8", errors="replace")).content)

    return read


_PEERS = {"trafilatura": _trafilatura, "html-to-markdown": _html_to_markdown}


def run(found: dict[str, Read], samples: list[Sample]) -> dict[str, list[Reading]]:
    """Read every page with every reader, in turns: a busy minute then costs all of them alike."""
    readings: dict[str, list[Reading]] = {name: [] for name in found}
    for read in found.values():
        read(samples[0])  # What is only done once is not a page's cost.
    for sample in samples:
        for name, read in found.items():
            start = time.process_time()
            markdown = read(sample)
            seconds = time.process_time() - start
            readings[name].append(Reading(sample=sample, markdown=markdown, seconds=seconds))
    return readings


def show(name: str, measure: str, readings: list[Reading]) -> None:
    by_kind: dict[str, list[Reading]] = defaultdict(list)
    for reading in readings:
        by_kind[reading.sample.kind].append(reading)
    kinds = {"all": readings, **dict(sorted(by_kind.items()))}
    for kind, some in kinds.items():
        cost = 1000 * mean(reading.seconds for reading in some)
        print(f"{name:16s} {kind:15s} {score(measure, some):.4f} {cost:7.1f} ms  {len(some)} pages")
    saved = [1 - len(r.markdown.encode()) / len(r.sample.html) for r in readings]
    print(f"{name:16s} {'bytes saved':15s} {median(saved):.1%} (median)")
    show_structure(name, readings)


def score(measure: str, readings: list[Reading]) -> float:
    pairs = [(plain(reading.markdown), reading.sample.truth) for reading in readings]
    if measure == "shingles":
        return shingle_f1([shingles(*pair) for pair in pairs])
    return mean(word_f1(*pair) for pair in pairs)


def show_structure(name: str, readings: list[Reading]) -> None:
    totals: dict[str, list[int]] = defaultdict(lambda: [0, 0])
    for reading in readings:
        if reading.sample.main:
            for what, (kept, wanted) in structure(reading.markdown, reading.sample.main).items():
                totals[what][0] += kept
                totals[what][1] += wanted
    for what, (kept, wanted) in totals.items():
        print(f"{name:16s} {what:15s} {kept / max(1, wanted):.4f} of {wanted}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--corpus", action="append", type=Path, default=[])
    parser.add_argument("--debian", type=int, default=0, help="pages of each installed package")
    parser.add_argument("--peer", action="append", default=[], choices=sorted(_PEERS))
    arguments = parser.parse_args()
    corpora = {folder.name: load(folder) for folder in arguments.corpus}
    if arguments.debian:
        corpora["documentation"] = ("words", debian_pages(arguments.debian))
    for corpus, (measure, samples) in corpora.items():
        print(f"\n{corpus}: {measure}, {len(samples)} pages")
        if samples:
            for name, readings in run(readers(arguments.peer), samples).items():
                show(name, measure, readings)


if __name__ == "__main__":
    main()
