"""Trains the reader's trees on pages whose main text is known, and says how well they do.

    python -m tools.train_reader --corpus FOLDER --corpus FOLDER [--splits 3] [--write]

Needs numpy and lightgbm, which the package itself does not. Figures are of pages held out: five
folds, and all pages of one site in the same fold; `--splits 3` cuts the sites three ways, to show
how much is chance. `--write` then trains on every page and stores
the trees in `src/groundwire/reader/trees.json`.
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
from bench.reader_corpora import Sample, load
from bench.reader_scores import Shingles, plain, shingle_f1, shingles, word_f1

from groundwire.reader.blocks import Outline
from groundwire.reader.features import NAMES, OWN, Measurer
from groundwire.reader.html import parse, read_outline
from groundwire.reader.markdown import write
from groundwire.reader.scorer import (
    DOUBTFUL,
    FIRST_TREES,
    HALF_OF_TREES,
    HOPELESS,
    LOUDER,
    SURE,
    likely,
)

FOLDS = 5
ROUNDS = 120
_NEAR = ("role_", "near_", "before", "after", "characters_up1", "link_share_up1", "passed_")
# What each model may look at; their mean errs less than either. The second sees no more than a
# block and what is around it, so it cannot know a page of its training by the look of the whole.
VIEWS = (
    tuple(range(len(NAMES))),
    tuple(n for n, name in enumerate(NAMES) if name in OWN or name.startswith(_NEAR)),
)
SETTINGS = {
    "objective": "cross_entropy",  # A label is the share of a block's words that are content.
    "extra_trees": True,  # Random thresholds: with few pages, the best cut is often an accident.
    "learning_rate": 0.1,
    "num_leaves": 63,
    "min_data_in_leaf": 30,
    "min_sum_hessian_in_leaf": 2,
    "feature_fraction": 0.4,
    "bagging_fraction": 0.7,
    "bagging_freq": 1,
    "lambda_l2": 5,
    "max_bin": 127,
    "num_threads": 1,
    "verbose": -1,
    "seed": 1,
}
NOTE = (
    "Trained by tools/train_reader.py on a sample of the development split of WCXB, the Web Content"
    " eXtraction Benchmark (Murrough Foley, 2026, CC-BY-4.0), and on pages of Scrapinghub's"
    " article-extraction-benchmark (MIT). The trees hold no text of those pages."
)
TREES = Path("src/groundwire/reader/trees.json")
Tree: TypeAlias = "float | list[Any]"

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
    outline = read_outline(parse(sample.html, "text/html", sample.url), sample.url)
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


def fold_of(examples: list[Example], split: str) -> list[int]:
    """Return each page's fold; pages of one site share theirs. Another split cuts elsewhere."""
    sites = [_site(example.sample) for example in examples]
    return [int(sha256(f"{split}{site}".encode()).hexdigest(), 16) % FOLDS for site in sites]


def _site(sample: Sample) -> str:
    return ".".join((urlsplit(sample.url).hostname or sample.id).split(".")[-2:])


def train(examples: list[Example]) -> list[lightgbm.Booster]:
    """Return one model for each view of the examples; a page has the same weight, long or short.

    Within a page a block counts by the root of its length: short ones are many, and go wrong more.
    """
    used = [example for example in examples if len(example.sizes)]
    roots = [np.sqrt(e.sizes) for e in used]
    weights = np.concatenate([root / max(1.0, root.sum()) for root in roots])
    vectors = np.vstack([e.vectors for e in used])
    labels = np.concatenate([e.labels for e in used])
    models = []
    for view in VIEWS:
        bins = {"max_bin": SETTINGS["max_bin"], "verbose": -1, "num_threads": 1}
        seen = vectors[:, view]
        data = lightgbm.Dataset(seen, labels, weight=weights / weights.mean(), params=bins)
        models.append(lightgbm.train(SETTINGS, data, ROUNDS))
    return models


def held_out(examples: list[Example], split: str) -> list[list[float]]:
    """Return the scores of every page's blocks, each from models that never saw its site."""
    folds = fold_of(examples, split)
    scores: list[list[float]] = [[]] * len(examples)
    for fold in range(FOLDS):
        models = train([e for e, other in zip(examples, folds, strict=True) if other != fold])
        for number, example in enumerate(examples):
            if folds[number] == fold and len(example.sizes):
                scores[number] = _scores(models, example)
    return scores


def _scores(models: list[lightgbm.Booster], example: Example) -> list[float]:
    """Return what the stored trees would: most blocks are settled before the last of them."""
    settings = {"raw_score": True, "num_threads": 1}
    seen = [(model, example.vectors[:, view]) for model, view in zip(models, VIEWS, strict=True)]
    first, half, whole = (
        np.mean([m.predict(some, num_iteration=n, **settings) for m, some in seen], axis=0)
        for n in (FIRST_TREES // len(VIEWS), HALF_OF_TREES // len(VIEWS), ROUNDS)
    )
    settled = np.where(half > 0, half * LOUDER, np.minimum(half, HOPELESS))
    scores = np.where(np.abs(half) > SURE, settled, whole)
    scores = np.where(first > DOUBTFUL, scores, np.minimum(first, HOPELESS))
    return [float(score) for score in scores]


def report(examples: list[Example], scores: list[list[float]]) -> None:
    """Print the figures of the Markdown that these scores lead to."""
    words: dict[str, list[float]] = defaultdict(list)
    runs: list[Shingles] = []
    for example, some in zip(examples, scores, strict=True):
        text = plain(write(likely(example.outline.blocks, some)))
        if example.measure == "shingles":
            runs.append(shingles(text, example.sample.truth))
        else:
            words[example.sample.kind].append(word_f1(text, example.sample.truth))
    every = [figure for figures in words.values() for figure in figures]
    if every:
        say(f"held out: words {np.mean(every):.4f} of {len(every)} pages")
    for kind, figures in sorted(words.items()):
        say(f"  {kind:15s} {np.mean(figures):.4f} of {len(figures)}")
    if runs:
        say(f"held out: shingles {shingle_f1(runs):.4f} of {len(runs)} pages")


def store(models: list[lightgbm.Booster]) -> None:
    """Write the models' trees as nested lists, with the names of the features that they use.

    The models take turns, so that the first trees are a coarse version of the whole.
    """
    named = [
        [_nested(tree["tree_structure"], view) for tree in model.dump_model()["tree_info"]]
        for model, view in zip(models, VIEWS, strict=True)
    ]
    trees = [tree for turn in zip(*named, strict=True) for tree in turn]
    used = sorted({name for tree in trees for name in _features(tree)})
    lines = ",\n  ".join(json.dumps(_numbered(tree, used), separators=(",", ":")) for tree in trees)
    head = f'{{"note": {json.dumps(NOTE)},\n "features": {json.dumps(used)},\n "trees": [\n  '
    TREES.write_text(f"{head}{lines}\n]}}\n", "utf-8")


def _nested(node: dict[str, Any], view: tuple[int, ...]) -> Tree:
    if "split_feature" not in node:
        return float(f"{float(node['leaf_value']) / len(VIEWS):.3g}")
    return [
        NAMES[view[node["split_feature"]]],
        float(f"{node['threshold']:.5g}"),
        _nested(node["left_child"], view),
        _nested(node["right_child"], view),
    ]


def _features(tree: Tree) -> list[str]:
    if isinstance(tree, float):
        return []
    name, _, low, high = tree
    return [name, *_features(low), *_features(high)]


def _numbered(tree: Tree, names: list[str]) -> Tree:
    if isinstance(tree, float):
        return tree
    name, bound, low, high = tree
    return [names.index(name), bound, _numbered(low, names), _numbered(high, names)]


def say(line: str) -> None:
    """Print one line of the report."""
    sys.stdout.write(f"{line}\n")


def main() -> None:
    """Run from the command line."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--corpus", action="append", type=Path, required=True)
    parser.add_argument("--write", action="store_true", help="train on every page and store")
    parser.add_argument("--splits", type=int, default=1, help="ways to cut the sites into folds")
    arguments = parser.parse_args()
    tasks = [(measure, s) for measure, ss in map(load, arguments.corpus) for s in ss]
    with Pool() as pool:
        examples = pool.map(prepare, tasks, chunksize=4)
    for split in range(arguments.splits):
        say(f"split {split + 1}")
        report(examples, held_out(examples, str(split or "")))
    if arguments.write:
        store(train(examples))
        say(f"{TREES}: {TREES.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
