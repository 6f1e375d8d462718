"""What a citation check without a model finds, on claims and quotes that others wrote.

    python -m bench.truth [--folder FOLDER] [--quick] [--json] [--write]

The folder is ../shared/corpora/truth: WiCE's development claims, and quotes with one damage each.
With `--write` the tables of docs/truth.md are made anew.
"""

from __future__ import annotations

import argparse
import json
import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from bench import truth_claims, truth_costs, truth_quotes
from bench.environments import ROOT
from bench.tables import number, table
from bench.truth_data import FOLDER, MISSING, Json

PAGE = ROOT / "docs/truth.md"
_BLOCK = re.compile(r"(<!-- figures: (\w+) -->\n)(?:[^<]*\n)?(<!-- end -->)")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--folder", type=Path, default=FOLDER)
    parser.add_argument("--quick", action="store_true", help="every tenth row, small pages")
    parser.add_argument("--json", action="store_true", help="print JSON for programs")
    parser.add_argument("--write", action="store_true", help="write the tables of docs/truth.md")
    given = parser.parse_args()
    if not (given.folder / "quotes.jsonl").exists():
        print(json.dumps({"skipped": MISSING}))
        return
    figures = measure(given.folder, is_quick=given.quick)
    if given.write:
        PAGE.write_text(filled(PAGE.read_text(), figures))
    if given.json:
        print(json.dumps(figures))
    else:
        print("\n\n".join(block(figures) for block in BLOCKS.values()))


def measure(folder: Path, *, is_quick: bool) -> Json:
    """Return all figures."""
    every = 10 if is_quick else 1
    return {
        "quotes": truth_quotes.measure(folder, every=every),
        "claims": truth_claims.measure(folder, every=every),
        "costs": truth_costs.measure(folder, is_quick=is_quick),
    }


def filled(page: str, figures: Json) -> str:
    """Return a page with its tables made anew."""
    return _BLOCK.sub(lambda match: f"{match[1]}{BLOCKS[match[2]](figures)}\n{match[3]}", page)


def share(figure: Json) -> str:
    """Return so many of so many, with the interval."""
    part = figure["count"] / max(1, figure["total"])
    ends = f"{figure['low']:.3f} to {figure['high']:.3f}"
    return f"{figure['count']:,} of {figure['total']:,} = {part:.3f} ({ends})"


def _quotes(figures: Json) -> str:
    found = figures["quotes"]
    rows = [
        ["placed right", share(found["right"])],
        *([f"place: {kind}", f"{count:,}"] for kind, count in found["kinds"].items()),
        ["foreign or shuffled, and found", share(found["foreign_found"])],
        ["half from another page, and found", share(found["half_found"])],
        ["changed or foreign, and called to the letter", share(found["damaged_to_the_letter"])],
        ["only typography differs, and called to the letter", share(found["letter_recall"])],
    ]
    return table(("quotes", "figure (95 % interval)"), rows)


def _claims(figures: Json) -> str:
    found = figures["claims"]
    rows = [
        [f"a changed digit is told, {where}", _mean(found[key])]
        for where, key in (
            ("by the page", "digits_page"),
            ("by the nearest passage", "digits_passage"),
        )
    ]
    rows += [["the nearest passage meets one that people marked", share(found["nearest"])]]
    rows += [
        [f"{name}, and people did not call the claim supported", share(hint)]
        for name, hint in found["hints"].items()
    ]
    for key, name in (("score", "our score"), ("plain_coverage", "plain share of words")):
        rows.append([f"order of claims by {name}: AUC", f"{found[key]['auc']:.3f}"])
        rows.append(["the same: balanced accuracy", f"{found[key]['balanced_accuracy']:.3f}"])
    return table((f"{found['claims']} claims", "figure (95 % interval)"), rows)


def _mean(draws: Sequence[Json]) -> str:
    """Return the mean of several draws, and each of them."""
    parts = [draw["count"] / draw["total"] for draw in draws]
    each = ", ".join(f"{part:.3f}" for part in parts)
    return f"{sum(parts) / len(parts):.3f}, mean of {each}; n = {draws[0]['total']}"


def _costs(figures: Json) -> str:
    sizes = figures["costs"]["sizes"]
    rows = [
        [
            f"{int(size):,}",
            number(each["index"]),
            number(each["claim_median"]),
            number(each["claim_95"]),
        ]
        for size, each in sizes.items()
    ]
    heads = ("characters of the page", "index, ms", "a claim, median ms", "95 of 100 below, ms")
    return table(heads, rows)


def _hostile(figures: Json) -> str:
    def rows() -> Iterator[Sequence[str]]:
        for name, each in figures["costs"]["hostile"].items():
            yield [name, number(each["index"]), number(each["claim"])]

    heads = (f"{truth_costs.HOSTILE_CHARACTERS:,} characters of", "index, ms", "a claim, ms")
    return table(heads, rows())


BLOCKS = {"quotes": _quotes, "claims": _claims, "costs": _costs, "hostile": _hostile}


if __name__ == "__main__":
    main()
