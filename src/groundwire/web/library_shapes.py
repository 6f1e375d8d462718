"""A workspace's library as the API tells it."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from groundwire.web.shapes import Shape

if TYPE_CHECKING:
    from groundwire.library import Document, Hit
    from groundwire.store.source_records import LibrarySource


class LibraryFailureShape(Shape):
    """A file that could not be read, and why."""

    name: str
    reason: str


class LibrarySourceShape(Shape):
    """Where documents come from, and what the last reading did.

    `kind` is uploads, folder or url; `state` is waiting, working, ready or failed, with `error`.
    """

    id: str
    kind: str
    location: str
    address: str
    refresh_hours: int
    state: str
    done: int
    total: int
    counts: dict[str, int]
    failures: list[LibraryFailureShape]
    error: str
    finished_at: datetime | None
    due_at: datetime | None


class LibraryCollectionShape(Shape):
    """Documents that were added otherwise, such as from the command line."""

    name: str
    documents: int


class LibraryShape(Shape):
    """What a library holds: numbers, sources, and what may be added.

    `embedded` documents are found by their meaning, too; None where no service makes vectors.
    """

    documents: int
    passages: int
    size: int
    sources: list[LibrarySourceShape]
    others: list[LibraryCollectionShape]
    embedded: int | None
    formats: list[str]
    max_file_bytes: int
    folders: list[str]


class LibraryDocumentShape(Shape):
    """One document; `id` is for the next page and for removing it."""

    id: int
    url: str
    title: str
    collection: str
    path: str
    characters: int
    date: datetime | None


class LibraryHitShape(Shape):
    """The best passage of a document that a search found."""

    url: str
    title: str
    headings: list[str]
    snippet: str


class LibraryFoundShape(Shape):
    """What a search found; `note` says why it looked at the words alone, "" where it did not."""

    hits: list[LibraryHitShape]
    note: str


def source_shape(source: LibrarySource) -> LibrarySourceShape:
    """Return a source as JSON."""
    return LibrarySourceShape(
        id=source.id,
        kind=source.kind.value,
        location=source.location,
        address=source.address,
        refresh_hours=source.refresh_hours,
        state=source.state.value,
        done=source.done,
        total=source.total,
        counts=dict(source.counts or {}),
        failures=[
            LibraryFailureShape(name=name, reason=reason) for name, reason in source.failures or ()
        ],
        error=source.error,
        finished_at=source.finished_at,
        due_at=source.due_at,
    )


def document_shape(document: Document) -> LibraryDocumentShape:
    """Return a document as JSON."""
    return LibraryDocumentShape.model_validate(document)


def hit_shape(hit: Hit) -> LibraryHitShape:
    """Return what a search found as JSON."""
    return LibraryHitShape(
        url=hit.document.url,
        title=hit.document.title,
        headings=list(hit.passage.headings),
        snippet=hit.snippet,
    )
