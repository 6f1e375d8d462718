"""The sources of answers for reference managers: BibTeX, RIS and CSL-JSON.

What a page does not say of itself is left out: a guessed author is worse than none.
"""

from __future__ import annotations

import json
import re
import unicodedata
from dataclasses import dataclass
from typing import TYPE_CHECKING

from groundwire.citations import canonical_url, is_cited, is_web

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence
    from datetime import datetime

    from groundwire.checks.records import Snapshot
    from groundwire.citations import Source
    from groundwire.conversation import ChatMessage

_DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?")
# `\` first: all others are made of it.
_BIBTEX = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "#": r"\#",
        "$": r"\$",
        "%": r"\%",
        "&": r"\&",
        "_": r"\_",
        "~": r"\textasciitilde{}",
        "^": r"\textasciicircum{}",
    }
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")


@dataclass(frozen=True, slots=True, kw_only=True)
class Reference:
    """One source as a bibliography names it; "" is what nobody knows, `published` is ISO 8601."""

    key: str
    url: str
    title: str
    authors: tuple[str, ...] = ()
    site: str = ""
    published: str = ""
    accessed: str = ""
    language: str = ""
    note: str = ""

    @property
    def date(self) -> tuple[str, ...]:
        """Return year, month and day of publication, as far as they are known."""
        match = _DATE.match(self.published)
        return tuple(part for part in match.groups() if part) if match else ()


def references(
    answers: Iterable[ChatMessage], snapshots: Sequence[Snapshot] = ()
) -> list[Reference]:
    """Return what answers cite, each page once, with what it says of itself."""
    pages = {
        canonical_url(url): each
        for each in reversed(snapshots)
        for url in (each.url, each.asked_url)
        if url
    }
    found: dict[str, Reference] = {}
    for answer in answers:
        for source in filter(is_cited, answer.marked.sources if answer.marked else ()):
            url = canonical_url(source.url)
            if url not in found:
                key = f"source{len(found) + 1}"
                page = pages.get(url)
                read = page.read_at if page else answer.created_at
                found[url] = _reference(key, source, page, read)
    return [*found.values()]


def _reference(key: str, source: Source, page: Snapshot | None, read: datetime) -> Reference:
    about: Mapping[str, object] = page.about if page else {}
    authors = about.get("authors")
    return Reference(
        key=key,
        url=source.url,
        title=_line(source.title or (page.title if page else "") or source.url),
        authors=tuple(_line(each) for each in authors) if isinstance(authors, list) else (),
        site=_line(about.get("site_name", "")),
        published=_line(about.get("published", "")),
        accessed=f"{read:%Y-%m-%d}",
        language=_line(about.get("language", "")),
        note=f"SHA-256 of the text as read: {page.text_hash}" if page else "",
    )


def to_bibtex(items: Iterable[Reference]) -> str:
    """Return BibTeX in UTF-8, an `@online` for each source."""
    return "\n".join(map(_bibtex, items))


def _bibtex(item: Reference) -> str:
    year, month, day = (*item.date, "", "", "")[:3]
    fields = {
        "title": _braced(item.title),
        # A name in braces of its own is not taken apart at an `and` or a comma.
        "author": " and ".join(_braced(each) for each in item.authors),
        "organization": item.site.translate(_BIBTEX),
        "year": year,
        "month": _MONTHS[int(month) - 1] if month and 1 <= int(month) <= 12 else "",
        "day": day.lstrip("0"),
        "url": _address(item.url),
        "urldate": item.accessed,
        "langid": item.language.translate(_BIBTEX),
        "note": item.note.translate(_BIBTEX),
    }
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items() if value]
    return "\n".join([f"@online{{{item.key},", *lines, "}", ""])


def _braced(text: str) -> str:
    return f"{{{text.translate(_BIBTEX)}}}"


def _address(url: str) -> str:
    """Return a URL in which no brace is left open, as any browser takes it."""
    return url.replace("{", "%7B").replace("}", "%7D").replace("\\", "%5C").replace("%", r"\%")


def to_ris(items: Iterable[Reference]) -> str:
    """Return RIS in UTF-8, with the line ends that it asks for."""
    return "\r\n".join(line for item in items for line in _ris(item))


def _ris(item: Reference) -> list[str]:
    tags = [
        ("TY", "ELEC"),
        ("TI", item.title),
        *(("AU", each) for each in item.authors),
        ("T2", item.site),
        ("PY", item.date[0] if item.date else ""),
        ("DA", "/".join((*item.date, "", "", "")[:3]) + "/" if item.date else ""),
        ("UR", item.url),
        ("Y2", f"{item.accessed.replace('-', '/')}/"),
        ("LA", item.language),
        ("ID", item.key),
        ("N1", item.note),
    ]
    return [*(f"{tag}  - {value}" for tag, value in tags if value), "ER  - ", ""]


def to_csl_json(items: Iterable[Reference]) -> str:
    """Return CSL-JSON, which Zotero and pandoc read."""
    return json.dumps([_csl(item) for item in items], ensure_ascii=False, indent=2) + "\n"


def _csl(item: Reference) -> dict[str, object]:
    values: dict[str, object] = {
        "id": item.key,
        "type": "webpage",
        "title": item.title,
        # Which part of a name is the family's is not for a program to guess.
        "author": [{"literal": each} for each in item.authors],
        "container-title": item.site,
        "issued": _date_parts(item.date),
        "accessed": _date_parts(tuple(item.accessed.split("-"))),
        "URL": item.url if is_web(item.url) else "",
        "language": item.language,
        "note": item.note,
    }
    return {name: value for name, value in values.items() if value}


def _date_parts(date: Sequence[str]) -> dict[str, object]:
    return {"date-parts": [[int(part) for part in date]]} if date else {}


def _line(text: object) -> str:
    """Return a text on one line, without what steers a terminal."""
    kept = [c for c in str(text) if not unicodedata.category(c).startswith("C") or c in "\n\t"]
    return " ".join("".join(kept).split())
