"""Trains the reader's trees on pages whose main text is known, and says how well they do.

    python -m tools.train_reader --corpus FOLDER --corpus FOLDER [--write]

Needs numpy and lightgbm, which the package itself does not. Figures are of pages held out: five
folds, and all pages of one site in the same fold. `--write` then trains on every page and stores
the trees in `src/groundwire/reading/trees.json`.
"""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections import defaultdict
from dataclasses import dataclass
from difflib import SequenceMatcher
from hashlib import sha256
from multiprocessing import Pool
from pathlib import Path
from typing import Any, TypeAlias
from urllib.parse import urlsplit

import lightgbm
import numpy as np
import turbohtml
from bench.reader_corpora import Sample, load
from bench.reader_scores import Shingles, plain, shingle_f1, shingles, word_f1

from groundwire.reading.blocks import Outline
from groundwire.reading.features import NAMES, Measurer
from groundwire.reading.html import read_outline
from groundwire.reading.markdown import write
from groundwire.reading.scorer import threshold

FOLDS = 5
ROUNDS = 150
SETTINGS = {
    "objective": "cross_entropy",  # A label is the share of a block's words that are content.
    "extra_trees": True,  # Random thresholds: with few pages, the best cut is often an accident.
    "learning_rate": 0.12,
    "num_leaves": 15,
    "min_data_in_leaf": 30,
    "min_sum_hessian_in_leaf": 2,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5,
    "max_bin": 127,
    "num_threads": 1,
    "seed": 1,
    "verbose": -1,
}
NOTE = (
    "Trained by tools/train_reader.py on a sample of the development split of WCXB, the Web Content"
    " eXtraction Benchmark (Murrough Foley, 2026, CC-BY-4.0), and on pages of Scrapinghub's"
    " article-extraction-benchmark (MIT). The trees hold no text of those pages."
)
TREES = Path("src/groundwire/reading/trees.json")
Tree: TypeAlias = "float | list[int | float | Tree]"

_WORD = re.compile(r"\w+")


@dataclass(slots=True, kw_only=True)
class Example:
    """A page cut into blocks, with the numbers and the label of each."""

    sample: Sample
    measure: str
    outline: Outline
    vectors: Any
    labels: Any
    sizes: Any


def prepare(task: tuple[str, Sample]) -> Example:
    """Cut one page into blocks and find which of their words belong to its text."""
    measure, sample = task
    document = turbohtml.parse(sample.html)
    document.resolve_links(sample.url or "https://page.invalid/")
    outline = read_outline(document)
    vectors = Measurer(outline, sample.url).vectors()
    hits, sizes = _matches(outline, sample.truth)
    return Example(
        sample=sample,
        measure=measure,
        outline=outline,
        vectors=np.array(vectors, dtype=np.float32).reshape(len(vectors), len(NAMES)),
        labels=hits / np.maximum(1, sizes),
        sizes=sizes,
    )


def _matches(outline: Outline, truth: str) -> tuple[Any, Any]:
    words: list[str] = []
    owners: list[int] = []
    for number, block in enumerate(outline.blocks):
        found = _WORD.findall(block.text.lower())
        words += found
        owners += [number] * len(found)
    hits = np.zeros(len(outline.blocks))
    matcher = SequenceMatcher(None, words, _WORD.findall(truth.lower()), autojunk=False)
    for start, _, length in matcher.get_matching_blocks():
        for owner in owners[start : start + length]:
            hits[owner] += 1
    return hits, np.bincount(owners, minlength=len(outline.blocks)).astype(float)


def fold_of(examples: list[Example]) -> list[int]:
    """Return each page's fold; pages of one site share theirs."""
    sites = [_site(example.sample) for example in examples]
    return [int(sha256(site.encode()).hexdigest(), 16) % FOLDS for site in sites]


def _site(sample: Sample) -> str:
    return ".".join((urlsplit(sample.url).hostname or sample.id).split(".")[-2:])


def train(examples: list[Example]) -> lightgbm.Booster:
    """Return a model of all the examples; every page has the same weight, long or short."""
    used = [example for example in examples if len(example.sizes)]
    weights = np.concatenate([e.sizes / max(1.0, e.sizes.sum()) for e in used])
    data = lightgbm.Dataset(
        np.vstack([e.vectors for e in used]),
        np.concatenate([e.labels for e in used]),
        weight=weights / weights.mean(),
        params={"max_bin": 127, "verbose": -1, "num_threads": 1},
    )
    return lightgbm.train(SETTINGS, data, ROUNDS)


def held_out(examples: list[Example]) -> list[Any]:
    """Return the chances of every page's blocks, each from a model that never saw its site."""
    folds = fold_of(examples)
    chances: list[Any] = [np.zeros(0)] * len(examples)
    for fold in range(FOLDS):
        model = train([e for e, other in zip(examples, folds, strict=True) if other != fold])
        for number, example in enumerate(examples):
            if folds[number] == fold and len(example.sizes):
                chances[number] = model.predict(example.vectors, num_threads=1)
    return chances


def report(examples: list[Example], chances: list[Any]) -> None:
    """Print the scores of the Markdown that these chances lead to."""
    words: dict[str, list[float]] = defaultdict(list)
    runs: list[Shingles] = []
    for example, chance in zip(examples, chances, strict=True):
        least = threshold(list(chance), list(example.sizes)) if len(chance) else 1.0
        kept = [b for b, c in zip(example.outline.blocks, chance, strict=True) if c >= least]
        text = plain(write(kept))
        if example.measure == "shingles":
            runs.append(shingles(text, example.sample.truth))
        else:
            words[example.sample.kind].append(word_f1(text, example.sample.truth))
    every = [score for scores in words.values() for score in scores]
    if every:
        say(f"held out: words {np.mean(every):.4f} of {len(every)} pages")
    for kind, scores in sorted(words.items()):
        say(f"  {kind:15s} {np.mean(scores):.4f} of {len(scores)}")
    if runs:
        say(f"held out: shingles {shingle_f1(runs):.4f} of {len(runs)} pages")


def store(model: lightgbm.Booster) -> None:
    """Write a model's trees as nested lists, with the names of the features that they use."""
    dump = model.dump_model()
    used = sorted({NAMES[n] for t in dump["tree_info"] for n in _features(t["tree_structure"])})
    numbers = {name: number for number, name in enumerate(used)}
    trees = [_nested(tree["tree_structure"], numbers) for tree in dump["tree_info"]]
    lines = ",\n  ".join(json.dumps(tree, separators=(",", ":")) for tree in trees)
    head = f'{{"note": {json.dumps(NOTE)},\n "features": {json.dumps(used)},\n "trees": [\n  '
    TREES.write_text(f"{head}{lines}\n]}}\n", "utf-8")


def _features(node: dict[str, Any]) -> list[int]:
    if "split_feature" not in node:
        return []
    below = _features(node["left_child"]) + _features(node["right_child"])
    return [node["split_feature"], *below]


def _nested(node: dict[str, Any], numbers: dict[str, int]) -> Tree:
    if "split_feature" not in node:
        return round(node["leaf_value"], 4)
    return [
        numbers[NAMES[node["split_feature"]]],
        float(f"{node['threshold']:.6g}"),
        _nested(node["left_child"], numbers),
        _nested(node["right_child"], numbers),
    ]


def say(line: str) -> None:
    """Print one line of the report."""
    sys.stdout.write(f"{line}\n")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", action="append", type=Path, required=True)
    parser.add_argument("--write", action="store_true", help="train on every page and store")
    arguments = parser.parse_args()
    tasks = [(measure, s) for measure, ss in map(load, arguments.corpus) for s in ss]
    with Pool() as pool:
        examples = pool.map(prepare, tasks, chunksize=4)
    report(examples, held_out(examples))
    if arguments.write:
        store(train(examples))
        say(f"{TREES}: {TREES.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
