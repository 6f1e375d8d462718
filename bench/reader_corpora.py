"""Pages with known text, from a folder: WCXB, article-extraction-benchmark, Debian's packages."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import turbohtml

# Where each package's pages keep their text; what stands around it is navigation.
DEBIAN_PAGES = {
    "python3-doc": ("/usr/share/doc/python3*/html/**/*.html", "div.body"),
    "git-doc": ("/usr/share/doc/git-doc/**/*.html", "#content"),
    "postgresql-doc": ("/usr/share/doc/postgresql-doc-*/html/*.html", "body"),
}
_AROUND = ".navheader, .navfooter, .headerlink, script, style, img"


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """A page and the text that a reader should find in it.

    `main` is the HTML of the element that holds the text, "" where a corpus gives only text.
    """

    id: str
    kind: str
    url: str
    html: bytes
    truth: str
    main: str = ""


def load(folder: Path) -> tuple[str, list[Sample]]:
    """Return a corpus's measure, words or shingles, and its pages, whichever of the two it is."""
    if (folder / "ground-truth.json").exists():
        return "shingles", list(_articles(folder))
    return "words", list(_wcxb(folder))


def _wcxb(folder: Path) -> Iterator[Sample]:
    for path in sorted((folder / "ground-truth").glob("*.json")):
        page = json.loads(path.read_text("utf-8"))
        yield Sample(
            id=path.stem,
            kind=page["_internal"]["page_type"]["primary"],
            url=page.get("url") or "",
            html=_unpacked(folder / "html" / f"{path.stem}.html.gz"),
            truth=page["ground_truth"]["main_content"] or "",
        )


def _articles(folder: Path) -> Iterator[Sample]:
    for name, page in sorted(json.loads((folder / "ground-truth.json").read_text("utf-8")).items()):
        html = _unpacked(folder / "html" / f"{name}.html.gz")
        yield Sample(id=name, kind="article", url=page["url"], html=html, truth=page["articleBody"])


def _unpacked(path: Path) -> bytes:
    return gzip.decompress(path.read_bytes())


def debian_pages(per_package: int) -> list[Sample]:
    """Return pages of the documentation packages that are installed, spread over each package."""
    samples: list[Sample] = []
    for package, (pattern, selector) in DEBIAN_PAGES.items():
        paths = [
            path
            for path in sorted(Path("/").glob(pattern.lstrip("/")))
            if 4_000 < path.stat().st_size < 400_000
            and not path.name.startswith(("genindex", "bookindex"))
        ]
        some = paths[:: max(1, len(paths) // per_package)][:per_package]
        found = (_documentation(package, path, selector) for path in some)
        samples += [sample for sample in found if sample]
    return samples


def _documentation(package: str, path: Path, selector: str) -> Sample | None:
    html = path.read_bytes()
    main = turbohtml.parse(html).select_one(selector)
    if main is None:
        return None
    main.remove(_AROUND)
    truth = main.to_text()
    if len(truth) < 500:
        return None
    return Sample(
        id=path.name,
        kind=package,
        url=f"https://docs.example.org/{package}/{path.name}",
        html=html,
        truth=truth,
        main=main.html,
    )
