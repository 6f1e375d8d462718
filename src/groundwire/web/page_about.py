"""What a page says about itself, in words for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.citations import canonical_url

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

_DAY = 10  # The characters of a date in ISO 8601.


def about_words(about: Mapping[str, object], url: str) -> str:
    """Return who made a page, when, and under what terms, as far as it says; nothing twice."""
    return " · ".join(_words(about, url))


def _words(about: Mapping[str, object], url: str) -> Iterator[str]:
    authors = about.get("authors")
    names = [str(each) for each in authors] if isinstance(authors, list | tuple) else []
    if names:
        yield f"By {', '.join(names)}"
    said = {name: str(about.get(name) or "") for name in _NAMES}
    if said["site_name"] and said["site_name"] not in names:
        yield said["site_name"]
    published, modified = (said[name][:_DAY] for name in ("published", "modified"))
    if published:
        yield f"published {published}"
    if modified > published:
        yield f"changed {modified}"
    if said["language"]:
        yield f"language {said['language']}"
    if said["licence"]:
        yield f"licence {said['licence'].rstrip('.')}"
    other = said["canonical_url"]
    if other and canonical_url(other) != canonical_url(url):
        yield f"belongs at {other}"


_NAMES = ("site_name", "published", "modified", "language", "licence", "canonical_url")
