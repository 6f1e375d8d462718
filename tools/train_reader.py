"""Trains the reader's trees on pages whose main text is known, and says how well they do.

    python -m tools.train_reader --corpus FOLDER --corpus FOLDER [--splits 3] [--write]

Needs numpy and lightgbm, which the package itself does not. Figures are of pages held out: five
folds, and all pages of one site in the same fold; `--splits 3` cuts the sites three ways, to show
how much is chance. `--write` then trains on every page, stores the trees in
`src/groundwire/reader/trees.json`, and how each page scored when it was held out in
`bench/held_out_pages.json`, which `bench.reader` shows beside the figures of the shipped trees.
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
from itertools import compress
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
from groundwire.reader.kinds import NAMES as PAGE_NAMES
from groundwire.reader.markdown import write
from groundwire.reader.scorer import likely
from groundwire.reader.trees import (
    A_LITTLE_LOUDER,
    DOUBTFUL,
    ENOUGH_TREES,
    FIRST_TREES,
    HOPELESS,
    LEAF,
    LOUDER,
    MORE_TREES,
    NEARLY_SURE,
    SURE,
)
from groundwire.reader.wholes import complete

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
    "seed": 3,
}
# Few and small: there are no more pages than a page has blocks.
PAGE_VIEW = tuple(NAMES.index(name) for name in ("page_repeats", *PAGE_NAMES))
PAGE_ROUNDS = 40
PAGE_SETTINGS = SETTINGS | {
    "learning_rate": 0.15,
    "num_leaves": 6,
    "min_data_in_leaf": 15,
    "feature_fraction": 0.5,
    "max_bin": 63,
    "seed": 1,
}
NOTE = (
    "Trained by tools/train_reader.py on a sample of the development split of WCXB, the Web Content"
    " eXtraction Benchmark (Murrough Foley, 2026, CC-BY-4.0), and on pages of Scrapinghub's"
    " article-extraction-benchmark (MIT). The trees hold no text of those pages."
)
TREES = Path("src/groundwire/reader/trees.json")
HELD_OUT = Path("bench/held_out_pages.json")
Numbers: TypeAlias = Any  # An array of numpy.
# A leaf's value, or the number of a feature, a bound and what follows on either side of it.
Tree: TypeAlias = "float | tuple[int, float, Tree, Tree]"

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


@dataclass(frozen=True, slots=True, kw_only=True)
class Models:
    """What is trained: for each view of a block a model, and one that tells articles."""

    views: list[lightgbm.Booster]
    article: lightgbm.Booster


def train(examples: list[Example]) -> Models:
    """Return the models of some examples; a page has the same weight, long or short.

    Within a page a block counts by the root of its length: short ones are many, and go wrong more.
    """
    used = [example for example in examples if len(example.sizes)]
    roots = [np.sqrt(e.sizes) for e in used]
    weights = np.concatenate([root / max(1.0, root.sum()) for root in roots])
    vectors = np.vstack([e.vectors for e in used])
    labels = np.concatenate([e.labels for e in used])
    views = [
        _trained(SETTINGS, ROUNDS, vectors[:, view], labels, weight=weights / weights.mean())
        for view in VIEWS
    ]
    pages = np.vstack([e.vectors[0][list(PAGE_VIEW)] for e in used])
    kinds = np.array([float(e.sample.kind == "article") for e in used])
    article = _trained(PAGE_SETTINGS, PAGE_ROUNDS, pages, kinds)
    return Models(views=views, article=article)


def _trained(
    settings: dict[str, Any],
    rounds: int,
    vectors: Numbers,
    labels: Numbers,
    *,
    weight: Numbers = None,
) -> lightgbm.Booster:
    bins = {"max_bin": settings["max_bin"], "verbose": -1, "num_threads": 1}
    data = lightgbm.Dataset(vectors, labels, weight=weight, params=bins)
    return lightgbm.train(settings, data, rounds)


def held_out(examples: list[Example], split: str) -> list[str]:
    """Return the text that every page leads to, by models that never saw its site."""
    folds = fold_of(examples, split)
    texts = [""] * len(examples)
    for fold in range(FOLDS):
        models = train([e for e, other in zip(examples, folds, strict=True) if other != fold])
        for number, example in enumerate(examples):
            if folds[number] == fold and len(example.sizes):
                texts[number] = _text(models, example)
    return texts


def _text(models: Models, example: Example) -> str:
    page = example.vectors[:1, list(PAGE_VIEW)]
    kept = likely(
        example.outline.blocks,
        _scores(models.views, example),
        float(models.article.predict(page, num_threads=1)[0]),
    )
    return plain(write(compress(example.outline.blocks, complete(example.outline, kept))))


def _scores(models: list[lightgbm.Booster], example: Example) -> list[float]:
    """Return what the stored trees would: most blocks are settled before the last of them."""
    settings = {"raw_score": True, "num_threads": 1}
    seen = [(model, example.vectors[:, view]) for model, view in zip(models, VIEWS, strict=True)]
    first, soon, later, whole = (
        np.mean([m.predict(some, num_iteration=n, **settings) for m, some in seen], axis=0)
        for n in (*(n // len(VIEWS) for n in (FIRST_TREES, ENOUGH_TREES, MORE_TREES)), ROUNDS)
    )
    settled = np.where(soon > 0, soon * LOUDER, np.minimum(soon, HOPELESS))
    scores = np.where(np.abs(later) > NEARLY_SURE, later * A_LITTLE_LOUDER, whole)
    scores = np.where(np.abs(soon) > SURE, settled, scores)
    scores = np.where(first > DOUBTFUL, scores, np.minimum(first, HOPELESS))
    return [float(score) for score in scores]


def report(examples: list[Example], texts: list[str]) -> dict[str, Any]:
    """Print the figures of the texts that held-out pages led to, and return those of each page."""
    words: dict[str, list[float]] = defaultdict(list)
    runs: list[Shingles] = []
    pages: dict[str, Any] = {}
    for example, text in zip(examples, texts, strict=True):
        if example.measure == "shingles":
            run = shingles(text, example.sample.truth)
            runs.append(run)
            pages[example.sample.id] = [round(x, 4) for x in (run.found, run.extra, run.missed)]
        else:
            words[example.sample.kind].append(word_f1(text, example.sample.truth))
            pages[example.sample.id] = round(words[example.sample.kind][-1], 4)
    every = [figure for figures in words.values() for figure in figures]
    if every:
        say(f"held out: words {np.mean(every):.4f} of {len(every)} pages")
    for kind, figures in sorted(words.items()):
        say(f"  {kind:15s} {np.mean(figures):.4f} of {len(figures)}")
    if runs:
        say(f"held out: shingles {shingle_f1(runs):.4f} of {len(runs)} pages")
    return pages


def store(models: Models) -> None:
    """Write the models' trees, and the features and bounds that they use.

    The models of blocks take turns, so that the first trees are a coarse version of the whole.
    """
    views = [
        _trees(model, view, 1 / len(VIEWS)) for model, view in zip(models.views, VIEWS, strict=True)
    ]
    trees = [tree for turn in zip(*views, strict=True) for tree in turn]
    article = _trees(models.article, PAGE_VIEW, 1.0)
    bounds: dict[int, set[float]] = defaultdict(set)
    for tree in (*trees, *article):
        _collect(tree, bounds)
    used = sorted(bounds)
    table = {feature: sorted(bounds[feature]) for feature in used}
    stored = {
        "note": NOTE,
        "features": [NAMES[feature] for feature in used],
        "bounds": [[int(b) if b == int(b) else b for b in table[feature]] for feature in used],
        "article": [_flat(tree, used, table) for tree in article],
        "trees": [_flat(tree, used, table) for tree in trees],
    }
    TREES.write_text(
        json.dumps(stored, separators=(",", ":")).replace("],", "],\n") + "\n", "utf-8"
    )


def _trees(model: lightgbm.Booster, view: tuple[int, ...], share: float) -> list[Tree]:
    return [
        _nested(tree["tree_structure"], view, share) for tree in model.dump_model()["tree_info"]
    ]


def _nested(node: dict[str, Any], view: tuple[int, ...], share: float) -> Tree:
    if "split_feature" not in node:
        return share * float(node["leaf_value"])
    low, high = (_nested(node[side], view, share) for side in ("left_child", "right_child"))
    # So many digits that no number which is counted lies between a bound and what is stored.
    return view[node["split_feature"]], float(f"{node['threshold']:.5g}"), low, high


def _collect(tree: Tree, bounds: dict[int, set[float]]) -> None:
    if not isinstance(tree, float):
        feature, bound, low, high = tree
        bounds[feature].add(bound)
        _collect(low, bounds)
        _collect(high, bounds)


def _flat(tree: Tree, used: list[int], bounds: dict[int, list[float]]) -> list[int]:
    if isinstance(tree, float):
        return [LEAF + round(1_000 * tree)]
    feature, bound, low, high = tree
    node = [used.index(feature), bounds[feature].index(bound)]
    return [*node, *_flat(low, used, bounds), *_flat(high, used, bounds)]


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
    pages: list[dict[str, Any]] = []
    for split in range(arguments.splits):
        say(f"split {split + 1}")
        pages.append(report(examples, held_out(examples, str(split or ""))))
    if arguments.write:
        HELD_OUT.write_text(json.dumps(pages[0], separators=(",", ":"), sort_keys=True) + "\n")
        store(train(examples))
        say(f"{TREES}: {TREES.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()
