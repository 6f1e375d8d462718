"""What reading a document gives."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from groundwire.model import PageMetadata

if TYPE_CHECKING:
    from groundwire.model import Json

NEEDS_BROWSER = "this page is made by scripts; read it with crawl4ai"


@dataclass(frozen=True, slots=True, kw_only=True)
class Extracted:
    """What a document says: its title and its matter as Markdown.

    `problem` says why there is nothing to read, and what to do about it; "" if there is.
    `is_cut` means that the document goes on after the Markdown, or deeper than we read; `notes` say
    what may be missing, and why.
    """

    title: str = ""
    markdown: str = ""
    problem: str = ""
    is_cut: bool = False
    notes: tuple[str, ...] = ()
    metadata: PageMetadata = field(default_factory=PageMetadata)

    @classmethod
    def from_json(cls, value: Json) -> Extracted:
        """Return what another process read, from what `dataclasses.asdict` made of it."""
        metadata = PageMetadata.from_json(value["metadata"])
        return cls(**{**value, "notes": tuple(value["notes"]), "metadata": metadata})
