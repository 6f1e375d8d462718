"""The nouns of the library: collections, documents, the passages of one, and what adding did."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import TypeAlias

from groundwire.model import Page, PageMetadata
from groundwire.text.markdown import PAGE_BREAK


@dataclass(frozen=True, slots=True, kw_only=True)
class FoundPassage:
    """A stretch of a document: `text[start:end]`, in characters of its Markdown.

    `headings` are those above it, outermost first; `ordinal` counts from 0.
    """

    ordinal: int
    start: int
    end: int
    headings: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Collection:
    """Documents that were added from one folder, or the pages of the web.

    `root` is the folder, "" for pages. `base_url` is the address of the folder.
    """

    id: int
    name: str
    root: str = ""
    base_url: str = ""
    documents: int = 0
    passages: int = 0
    characters: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Document:
    """What is known of a document without its text.

    `path` is relative to the collection's root; for a page of the web it is its URL. `date` is
    when the file was last changed, None for a page. `size` and `modified` are the file's own, in
    bytes and nanoseconds, and `digest` is of its bytes.
    """

    id: int = 0
    collection: str
    path: str
    url: str
    title: str = ""
    date: datetime | None = None
    size: int = 0
    modified: int = 0
    digest: bytes = b""
    characters: int = 0
    passages: int = 0
    is_truncated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class DocumentText:
    """What a document says as Markdown, where its passages are, and what it says of itself."""

    markdown: str = field(repr=False)
    passages: tuple[FoundPassage, ...] = ()
    metadata: PageMetadata = field(default_factory=PageMetadata)


@dataclass(frozen=True, slots=True, kw_only=True)
class Hit:
    """The best passage of a document that a search found; `text` is the passage to the letter."""

    document: Document
    passage: FoundPassage
    text: str
    snippet: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Meaning:
    """What a query means: its vector, and the `form` of it, the model and its dimensions.

    Vectors of two forms cannot be compared.
    """

    form: str
    vector: tuple[float, ...] = field(repr=False)


@dataclass(frozen=True, slots=True, kw_only=True)
class AddFailure:
    """A file or page that could not be added, and why."""

    source: str
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """What adding did, in documents.

    `missing` are those whose file is gone: removed if that was asked for, else only told.
    `skipped` counts the files that are no documents by their name.
    """

    collection: str
    added: int = 0
    updated: int = 0
    unchanged: int = 0
    removed: int = 0
    skipped: int = 0
    missing: tuple[str, ...] = ()
    failures: tuple[AddFailure, ...] = ()


Progress: TypeAlias = Callable[[int, int], None]
"""Called with how many files are done, and how many there are."""


def page_of(document: Document, text: DocumentText) -> Page:
    """Return a document as any reader returns a page."""
    return Page(
        url=document.url,
        title=document.title,
        content=text.markdown,
        original_length=None if document.is_truncated else len(text.markdown),
        truncated=document.is_truncated,
        metadata=replace(text.metadata, pages=_pages(document.path, text.markdown)),
    )


def _pages(path: str, markdown: str) -> int | None:
    """Return how many pages a document has, None if its kind has none.

    The reader put a rule between each two of them; what it counted was not always kept.
    """
    if not path.lower().endswith((".pdf", ".pptx")):
        return None
    return 1 + markdown.count(PAGE_BREAK)
