"""The sandbox's web: what can be searched, and how.

`Library` is the seam: anything that finds pages with passages can stand behind the providers.
`BuiltInWeb` is the one that needs nothing, the pages of `pages.py` ranked by shared words.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Protocol
from urllib.parse import urlsplit

WORD = re.compile(r"\w+")


def names(text: str) -> frozenset[str]:
    """Return the words of a text as a set; tables of names are read more easily so."""
    return frozenset(text.split())


# Words that every question has and that no page is about.
COMMON_WORDS = names(
    "a about an and are at be both but by can compare did do does fetch for from had has have how "
    "i in is it its me my not of on open or pause please read say search so tell than that the "
    "their them there they this to us use using was we web were what when where which who why "
    "will with you your"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class WebPage:
    """A page; `published` is an ISO date or "" when the page does not say.

    `redirect` is an address that leads to it without naming it, as Gemini cites; "" where there
    is none but Google's own form, which nobody here answers for.
    """

    url: str
    title: str
    published: str = ""
    passages: tuple[str, ...]
    redirect: str = ""

    @property
    def host(self) -> str:
        """Return the host as a person reads it."""
        return (urlsplit(self.url).hostname or "").removeprefix("www.")

    @property
    def text(self) -> str:
        """Return all passages as one text."""
        return "\n\n".join(self.passages)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """A page that matched, with the passages that made it match, best first."""

    page: WebPage
    passages: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Domains:
    """Which hosts may be searched: hosts with an optional path, subdomains included."""

    allowed: tuple[str, ...] = ()
    blocked: tuple[str, ...] = ()

    def allow(self, url: str) -> bool:
        """Tell whether a URL may be found or opened."""
        if any(_covers(entry, url) for entry in self.blocked):
            return False
        return not self.allowed or any(_covers(entry, url) for entry in self.allowed)


EVERYWHERE = Domains()


class SearchableWeb(Protocol):
    """What the providers search in."""

    def search(self, query: str, *, limit: int, domains: Domains) -> list[Hit]:
        """Return the pages that match, best first."""

    def open(self, url: str) -> WebPage | None:
        """Return one page, None if there is none at this URL."""


class BuiltInWeb:
    """A small web of pages that is the same on every machine; `unlisted` ones no search finds."""

    def __init__(self, pages: tuple[WebPage, ...], *, unlisted: tuple[WebPage, ...] = ()) -> None:
        self._pages = pages
        self._unlisted = unlisted

    def search(self, query: str, *, limit: int, domains: Domains = EVERYWHERE) -> list[Hit]:
        """Return the pages that share the most words with the query; ties keep the pages' order."""
        wanted = words_of(query)
        ranked = [
            (_score(page, wanted), -number, page)
            for number, page in enumerate(self._pages)
            if domains.allow(page.url)
        ]
        found = sorted((row for row in ranked if row[0] > 0), reverse=True, key=lambda row: row[:2])
        return [
            Hit(page=page, passages=_best_passages(page, wanted)) for _, _, page in found[:limit]
        ]

    def open(self, url: str) -> WebPage | None:
        """Return the page at a URL, whatever its query or fragment."""
        wanted = _address(url)
        return next(
            (page for page in (*self._pages, *self._unlisted) if _address(page.url) == wanted), None
        )


def words_of(text: str) -> frozenset[str]:
    """Return the words of a text that could name a topic, plural and singular alike."""
    return frozenset(
        word.removesuffix("s")
        for word in WORD.findall(text.lower())
        if word not in COMMON_WORDS and (len(word) > 1 or not word.isascii())
    )


def _score(page: WebPage, wanted: frozenset[str]) -> int:
    # Chinese and Japanese write no spaces, so a wanted word may stand inside a longer one.
    title, text = words_of(page.title), words_of(page.text)
    inside = sum(1 for word in wanted if not word.isascii() and word in page.title + page.text)
    return 3 * len(wanted & title) + len(wanted & text) + inside


def _best_passages(page: WebPage, wanted: frozenset[str]) -> tuple[str, ...]:
    return tuple(
        sorted(page.passages, key=lambda passage: len(wanted & words_of(passage)), reverse=True)
    )


def _address(url: str) -> tuple[str, str]:
    parts = urlsplit(url)
    return (parts.hostname or "").removeprefix("www."), parts.path.rstrip("/")


def _covers(entry: str, url: str) -> bool:
    host, _, path = entry.lower().removeprefix("*.").partition("/")
    page_host, page_path = _address(url)
    if page_host != host and not page_host.endswith(f".{host}"):
        return False
    page_path = page_path.lstrip("/")
    if path.endswith("*"):
        return page_path.startswith(path[:-1])
    return not path or f"{page_path}/".startswith(f"{path.rstrip('/')}/")
