"""What finds passages by their words; there are two that do, behind one small interface."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from groundwire.library.model import DocumentText
from groundwire.library.words import QueryWords, indexed
from groundwire.text.markdown import BlockKind, blocks, plain
from groundwire.text.span import Span

FORMS = {"tantivy": 5, "fts5": 4}
"""What can find passages, best first, and the form of what each keeps.

A form is raised when what is indexed changes, so that an older index is made anew.
"""

_PASSAGE_BITS = 20
MAX_PASSAGES = 1 << _PASSAGE_BITS
"""More passages of one document are not indexed."""

_LEAD, _LEAST = 200, 20
_BEGINNING = 4_000
"""So many characters of what a document first says count, which stands in the first so many. A
shorter paragraph than the least says nothing: a date, a name."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexEntry:
    """What an index knows of a passage.

    `lead` is what its document first says, mostly what it is about: a title like `git-mv(1)` has
    none of the words in which people ask. It is empty where the passage itself says it.
    """

    id: int
    title: str
    headings: str
    body: str
    lead: str = ""

    @property
    def columns(self) -> tuple[str, str, str]:
        """Return title, headings and body as an index gets them; a lead is one more sentence."""
        said = f"{self.lead}\n{self.body}" if self.lead else self.body
        return indexed(self.title), indexed(self.headings), indexed(said)


class Index(Protocol):
    """Finds passages by their words. Its ids say which passage of which document they mean."""

    def add(self, document: int, entries: Sequence[IndexEntry]) -> None:
        """Take the passages of a document."""

    def remove(self, document: int, entries: Sequence[IndexEntry]) -> None:
        """Forget the passages of a document, which are given as they were added."""

    def refresh(self) -> None:
        """See what others have written since."""

    def search(self, words: QueryWords, *, every: bool) -> Iterator[int]:
        """Yield the ids of passages with every phrase, or with any word, best first.

        Equals come in the order of their ids.
        """

    def clear(self) -> None:
        """Forget everything."""

    def commit(self) -> None:
        """Make what was added and removed last."""

    def close(self) -> None:
        """Let go of files."""


class EmptyIndex:
    """Finds nothing, as long as whoever makes a library has put nothing into it."""

    def add(self, document: int, entries: Sequence[IndexEntry]) -> None:
        """Take nothing: only a library that is read has this index."""

    def remove(self, document: int, entries: Sequence[IndexEntry]) -> None:
        """Forget nothing."""

    def refresh(self) -> None:
        """See nothing."""

    def search(self, words: QueryWords, *, every: bool) -> Iterator[int]:  # noqa: ARG002 - an Index
        """Yield nothing."""
        return iter(())

    def clear(self) -> None:
        """Forget nothing."""

    def commit(self) -> None:
        """Keep nothing."""

    def close(self) -> None:
        """Let go of nothing."""


def entries_of(document: int, title: str, text: DocumentText) -> list[IndexEntry]:
    """Return what an index gets to know of a document."""
    lead = _lead(text.markdown)
    said = plain(text.markdown[lead.start : lead.end])
    return [
        IndexEntry(
            id=passage_id(document, passage.ordinal),
            title=title,
            headings=" · ".join(passage.headings),
            body=plain(text.markdown[passage.start : passage.end]),
            lead="" if passage.start <= lead.start < passage.end else said,
        )
        for passage in text.passages[:MAX_PASSAGES]
    ]


def _lead(markdown: str) -> Span:
    """Return where the first paragraph begins and ends, or as much of it as counts."""
    prose = (one for one in blocks(markdown[:_BEGINNING]) if one.kind is BlockKind.PROSE)
    first = next((one.said for one in prose if one.said.end - one.said.start >= _LEAST), Span(0, 0))
    return Span(first.start, min(first.end, first.start + _LEAD))


def passage_id(document: int, ordinal: int) -> int:
    """Return the id of a passage: both numbers in one, so that nothing need be looked up."""
    return document << _PASSAGE_BITS | ordinal


def place_of(passage: int) -> tuple[int, int]:
    """Return the document and the ordinal that an id means."""
    return passage >> _PASSAGE_BITS, passage & (MAX_PASSAGES - 1)
