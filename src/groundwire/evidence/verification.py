"""Verify a bundle offline: every hash, every quote, every marker, and that nothing in it runs."""

from __future__ import annotations

import json
from hashlib import sha256
from html.parser import HTMLParser
from typing import TYPE_CHECKING

from groundwire.checks import from_json
from groundwire.errors import BundleError
from groundwire.evidence.archive import pages_list, write_archive
from groundwire.evidence.bundle import (
    ANSWER,
    DIGEST,
    INDEX,
    PACKAGE,
    PAGE,
    PAGES,
    digest_json,
    read_container,
    read_dossier,
    read_json,
)
from groundwire.evidence.dossier import to_json

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

    from groundwire.conversation import ChatMessage
    from groundwire.evidence.dossier import Dossier

_LOADS = {"src", "srcset", "data", "poster", "background", "action", "formaction", "ping"}
_RUNS = {"script", "iframe", "object", "embed", "base", "form", "link", "svg", "math", "img"}


def verified(path: Path) -> Dossier:
    """Return what is in a bundle in which nothing is wrong.

    Raises:
        BundleError: Something is; the message says what.
    """
    files = read_container(path)
    problems = [*_package_problems(files)]
    dossier = read_dossier(files)
    problems += [*_description_problems(files, dossier), *content_problems(dossier)]
    problems += _page_problems(files[PAGE].decode("utf-8", "replace"))
    if problems:
        more = f" (and {len(problems) - 1} more)" if len(problems) > 1 else ""
        raise BundleError(f"{path.name}: {problems[0]}{more}")
    return dossier


def _package_problems(files: Mapping[str, bytes]) -> Iterator[str]:
    """Compare every file with the hash that the list has of it."""
    if files[DIGEST] != digest_json(files[PACKAGE]):
        yield f"{PACKAGE} does not fit {DIGEST}"
    package = read_json(files, PACKAGE)
    resources = package.get("resources") if isinstance(package, dict) else None
    if not isinstance(resources, list):
        raise BundleError(f"{PACKAGE} lists nothing")
    listed = [each.get("path") for each in resources if isinstance(each, dict)]
    if sorted(map(str, listed)) != sorted(files.keys() - {PACKAGE, DIGEST}):
        yield f"{PACKAGE} does not list what is there"
    for each in resources:
        body = files.get(str(each.get("path"))) if isinstance(each, dict) else None
        if body is None:
            continue
        if each.get("hash") != f"sha256:{sha256(body).hexdigest()}":
            yield f"{each['path']} does not fit its hash"
        if each.get("bytes") != len(body):
            yield f"{each['path']} has another size than is said"


def _description_problems(files: Mapping[str, bytes], dossier: Dossier) -> Iterator[str]:
    """Compare what is said twice: the answers for readers follow from what is kept of them."""
    told, made = read_json(files, ANSWER), json.loads(json.dumps(to_json(dossier)))
    made["generator"] = told.get("generator")
    for name in told.keys() | made.keys():
        if told.get(name) != made.get(name):
            yield f"{ANSWER}: {name} does not follow from what is kept"
    if files[PAGES].decode("utf-8", "replace") != pages_list(dossier.snapshots, dossier.title):
        yield f"{PAGES} does not list the pages of {ANSWER}"
    # Offsets depend on who packed it; what is indexed does not.
    index = write_archive(dossier.snapshots).index
    if _indexed(files[INDEX].decode("utf-8", "replace")) != _indexed(index):
        yield f"{INDEX} does not fit the pages"


def _indexed(index: str) -> list[str]:
    return [line.partition('"length"')[0] for line in index.splitlines()]


def content_problems(dossier: Dossier) -> Iterator[str]:
    """Compare markers with the text, and quotes with the pages."""
    texts = {each.text_hash: each.text for each in dossier.snapshots}
    texts |= {each.text_hash: each.text for each in dossier.source_pages if each.text}
    for page in dossier.source_pages:
        if page.text and sha256(page.text.encode("utf-8", "replace")).hexdigest() != page.text_hash:
            yield f"the text of {page.url} does not fit its hash"
    known = {each.id for each in dossier.messages}
    for answer in dossier.answers:
        yield from _marker_problems(answer)
    for record in dossier.checks:
        if record.message_id not in known:
            yield f"a check belongs to {record.message_id!r}, which is not here"
        yield from _quote_problems(record.data, record.position, texts)


def _marker_problems(answer: ChatMessage) -> Iterator[str]:
    marked = answer.marked
    if marked is None:
        return
    if answer.content != marked.text:
        yield f"the text of {answer.id} is not the one that its markers stand in"
    numbers = {each.number for each in marked.sources}
    for each in marked.markers:
        if marked.text[each.position : each.position + len(each.label)] != each.label:
            yield f"the marker {each.label} is not where it is said to be"
        if not numbers.issuperset(each.numbers):
            yield f"the marker {each.label} names a source that is not there"
    cited = [(each.url, each.title) for each in answer.citations or ()]
    if cited and not {url for url, _ in cited} <= {each.url for each in marked.sources}:
        yield f"a citation of {answer.id} is not among its sources"


def _quote_problems(data: object, position: int, texts: Mapping[str, str]) -> Iterator[str]:
    try:
        check = from_json(data)
    except (KeyError, TypeError, ValueError, AttributeError):
        yield f"the check at {position} cannot be read"
        return
    if not check.page_hash:
        return
    text = texts.get(check.page_hash)
    if text is None:
        yield f"the page that the claim at {position} was compared with is missing"
        return
    nearest = check.check.nearest
    if nearest and (
        text[nearest.start : nearest.end] != nearest.exact
        or not text[: nearest.start].endswith(nearest.prefix)
        or not text[nearest.end :].startswith(nearest.suffix)
    ):
        yield f"the passage of the claim at {position} is not on its page as quoted"


def _page_problems(html: str) -> list[str]:
    """Return what on the page of the answer would run or be loaded."""
    looker = _Looker()
    looker.feed(html)
    looker.close()
    return looker.problems


class _Looker(HTMLParser):
    """Looks for whatever a page of ours never has."""

    def __init__(self) -> None:
        super().__init__()
        self.problems: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note an element that runs or loads something."""
        if tag in _RUNS:
            self.problems.append(f"{PAGE} has an element {tag!r}")
        for name, value in attrs:
            scheme = (value or "").strip().lower()
            if name in _LOADS or name.startswith("on") or scheme.startswith("javascript:"):
                self.problems.append(f"{PAGE} has an attribute {name!r}")
