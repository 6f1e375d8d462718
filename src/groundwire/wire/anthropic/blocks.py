"""The content blocks of a Messages reply."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.wire.anthropic.messages import parsed_input
from groundwire.wire.decoder import checked_text
from groundwire.wire.text_order import TextPart

if TYPE_CHECKING:
    from groundwire.model import Json

# Blocks whose pieces are words, in a field that is called like the block.
SPOKEN = frozenset({"text", "thinking"})
_CITATION_TEXTS = ("url", "source", "title", "cited_text", "document_title")


class ContentBlock(TextPart):
    """One content block; `pieces` are its text, its thinking or the JSON of its input."""

    __slots__ = ("citations", "is_announced", "kind", "raw", "settled")

    def __init__(self, index: int, raw: Json) -> None:
        super().__init__((index,))
        self.kind = checked_text(raw["type"])
        self.raw = raw.copy()
        self.settled = -1
        cited = raw.get("citations")
        self.citations = list(filter(is_citation, cited)) if cited else []
        self.is_announced = False

    def settle(self) -> Json:
        """Put what has arrived into the raw block and return it."""
        if self.citations and self.kind in SPOKEN:
            self.raw["citations"] = self.citations
        whole = self.text
        if self.settled != len(whole):
            self.settled = len(whole)
            if self.kind in SPOKEN:
                self.raw[self.kind] = whole
            elif whole:
                self.raw["input"] = parsed_input(whole)
        return self.raw


def is_citation(value: Json) -> bool:
    """Tell whether the texts of a citation are texts."""
    if not isinstance(value, dict):
        return False
    for name in _CITATION_TEXTS:  # noqa: SIM110 - all() costs twice as much, at every citation
        if not isinstance(value.get(name) or "", str):
            return False
    return True
