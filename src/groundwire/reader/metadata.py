"""What a page says about itself: authors, dates, site, address, language and licence.

Asked in this order: schema.org's data, `meta` elements, the page's own markup. All of it is a
stranger's: cleaned, one line each, and cut.
"""

from __future__ import annotations

import re
from collections import defaultdict
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from groundwire.model import PageMetadata
from groundwire.reader.bylines import author_in_page, date_in_page, names_in, near_title
from groundwire.reader.characters import visible
from groundwire.reader.dates import date_in_address, iso_date
from groundwire.reader.linked_data import is_about_the_page, linked_data, types_of
from groundwire.reader.links import absolute

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from turbohtml import Document

    from groundwire.model import Json
    from groundwire.reader.blocks import Block

_AUTHORS = (
    *("citation_author", "author", "article:author", "dc.creator", "dcterms.creator", "byl"),
    *("parsely-author", "sailthru.author", "og:article:author", "article:author_name"),
)
_PUBLISHED = (
    *("article:published_time", "og:article:published_time", "datepublished", "og:published_time"),
    *("citation_publication_date", "citation_date", "citation_online_date", "parsely-pub-date"),
    *("sailthru.date", "dc.date.issued", "dcterms.issued", "dc.date", "dcterms.date", "pubdate"),
    *("publish-date", "publish_date", "publication_date", "dcterms.created", "dc.date.created"),
    *("article.published", "date", "cxenseparse:recs:publishtime"),
)
_MODIFIED = (
    *("article:modified_time", "og:article:modified_time", "datemodified", "og:updated_time"),
    *("dcterms.modified", "dc.date.modified", "lastmod", "last-modified", "revised"),
)
_SITE_NAMES = ("og:site_name", "application-name", "citation_journal_title", "dc.publisher")
_RIGHTS = ("dcterms.license", "dc.rights", "dcterms.rights", "dcterms.rightsholder")
_LANGUAGE = re.compile(r"[A-Za-z]{2,3}(?:[-_][A-Za-z0-9]{2,8}){0,3}")
_MOST_AUTHORS = 30
_MOST_CHARACTERS = 200
_MOST_OF_A_NAME = 80
_MOST_OF_AN_ADDRESS = 2_000
# Who publishes with these names signs nothing.
_NOBODY = frozenset(
    {
        *("admin", "administrator", "author", "editor", "user", "staff", "null", "none", "unknown"),
        *("redaktion", "redaction", "rédaction", "redacción", "redazione", "redação", "redactie"),
        *("редакция", "админ", "编辑", "編輯", "编辑部", "編輯部", "編集部", "관리자", "편집부"),
    }
)


def read_metadata(document: Document, blocks: Sequence[Block], url: str) -> PageMetadata:
    """Return what a page says about itself; `blocks` are its text, for what only words say."""
    signed, published = near_title(blocks)
    named = _meta(document)
    nodes = linked_data(document)
    about = [node for node in nodes if is_about_the_page(node)]
    return PageMetadata(
        authors=_authors(about, named) or _names([author_in_page(document)]) or _names(signed),
        published=_date(about, ("datePublished", "dateCreated"), named, _PUBLISHED)
        or date_in_page(document)
        or published
        or date_in_address(_path(url)),
        modified=_date(about, ("dateModified",), named, _MODIFIED),
        site_name=_line(_first(named, _SITE_NAMES) or _site_name(nodes)),
        canonical_url=_canonical(document, named, url),
        language=_language(document, about, named),
        licence=_licence(document, about, named, url),
    )


def _meta(document: Document) -> dict[str, list[str]]:
    """Return what `meta` elements say, by name, property or itemprop in lower case."""
    found: dict[str, list[str]] = defaultdict(list)
    for meta in document.find_all("meta"):
        content = (meta.attr("content") or "").strip()
        for attribute in ("name", "property", "itemprop", "http-equiv"):
            if content and (name := meta.attr(attribute)):
                found[name.strip().lower()].append(content)
    return found


def _first(named: dict[str, list[str]], names: Iterable[str]) -> str:
    return next((named[name][0] for name in names if name in named), "")


def _authors(about: list[dict[str, Json]], named: dict[str, list[str]]) -> tuple[str, ...]:
    for node in about:
        said = [*_person_names(node.get("author")), *_person_names(node.get("creator"))]
        if found := _names(said):
            return found
    for name in _AUTHORS:
        if found := _names(named.get(name, ())):
            return found
    return ()


def _person_names(value: Json) -> list[str]:
    some = value if isinstance(value, list) else [value]
    names = [each.get("name") if isinstance(each, dict) else each for each in some[:_MOST_AUTHORS]]
    return [name for name in names if isinstance(name, str)]


def _names(said: Iterable[str]) -> tuple[str, ...]:
    """Return what can be names of people: no addresses, no sentences, each once."""
    names = (name.strip(" ,;|") for each in said for name in names_in(_line(each)))
    return tuple(dict.fromkeys(name for name in names if _is_name(name)))[:_MOST_AUTHORS]


def _is_name(name: str) -> bool:
    lowered = name.lower()
    return (
        0 < len(name) <= _MOST_OF_A_NAME
        and lowered not in _NOBODY
        and "://" not in name
        and "@" not in name
        and "{" not in name
        and any(sign.isalpha() for sign in name)
    )


def _date(
    about: list[dict[str, Json]],
    keys: tuple[str, ...],
    named: dict[str, list[str]],
    names: tuple[str, ...],
) -> str:
    values = [node.get(key) for node in about for key in keys]
    said = [value for value in values if isinstance(value, str)]
    said += [value for name in names for value in named.get(name, ())]
    return next(filter(None, map(iso_date, said)), "")


def _site_name(nodes: list[dict[str, Json]]) -> str:
    for node in nodes:
        names = _person_names(node.get("publisher")) if is_about_the_page(node) else []
        if "website" in types_of(node):
            names += _person_names(node)
        if names:
            return names[0]
    return ""


def _canonical(document: Document, named: dict[str, list[str]], url: str) -> str:
    links = [link for link in document.find_all("link") if _relation(link.attr("rel"), "canonical")]
    said = [link.attr("href") or "" for link in links[:1]] + named.get("og:url", [])[:1]
    addresses = (absolute(url, each.strip()) for each in said if each.strip())
    return next((address for address in addresses if _is_web(address)), "")


def _language(document: Document, about: list[dict[str, Json]], named: dict[str, list[str]]) -> str:
    root = document.find("html")
    own = root.attr("lang") or root.attr("xml:lang") or "" if root is not None else ""
    meta = _first(named, ("content-language", "dc.language", "og:locale", "language"))
    data = (node.get("inLanguage") for node in about)
    for said in (own, meta, *(each for each in data if isinstance(each, str))):
        match = _LANGUAGE.fullmatch(said.partition(",")[0].strip())
        if match:
            return match[0].replace("_", "-")
    return ""


def _licence(
    document: Document, about: list[dict[str, Json]], named: dict[str, list[str]], url: str
) -> str:
    """Return a licence's address, or the page's words for it."""
    for element in [*document.find_all("link"), *document.select("a[rel~=license]")]:
        if _relation(element.attr("rel"), "license"):
            address = absolute(url, element.attr("href") or "")
            if _is_web(address):
                return address
    for node in about:
        value = node.get("license")
        said = value.get("url") or value.get("name") if isinstance(value, dict) else value
        if isinstance(said, str) and said.strip():
            return _line(said)
    return _line(_first(named, _RIGHTS))


def _relation(value: str | None, wanted: str) -> bool:
    return wanted in (value or "").lower().split()


def _is_web(address: str) -> bool:
    return address.startswith(("http://", "https://")) and len(address) <= _MOST_OF_AN_ADDRESS


def _path(url: str) -> str:
    try:
        return urlsplit(url).path
    except ValueError:
        return ""


def _line(text: str) -> str:
    return " ".join(visible(text[: 4 * _MOST_CHARACTERS]).split())[:_MOST_CHARACTERS].strip()
