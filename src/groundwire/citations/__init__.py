"""Citations as numbers: markers placed in the text, sources listed, everything rendered. No I/O.

place              a whole text and its citations
MarkerStream       the same while the text arrives
to_markdown …      one `Marked` for every reader
"""

from groundwire.citations.marked import (
    Folded,
    Marked,
    Marker,
    MarkerShown,
    PassageFolded,
    Piece,
    Support,
    TextShown,
    UnknownMarker,
    folded_note,
)
from groundwire.citations.model_markers import ids_in
from groundwire.citations.offsets import from_utf8_bytes, from_utf16
from groundwire.citations.placement import place
from groundwire.citations.portable import portable
from groundwire.citations.render import (
    from_json,
    is_cited,
    is_used,
    is_web,
    sources_to_html,
    title_of,
    to_html,
    to_json,
    to_markdown,
    to_plain,
    to_terminal,
    without_markers,
)
from groundwire.citations.sources import STRENGTH, Removed, Source, SourceList, canonical_url
from groundwire.citations.stream import MarkerStream

__all__ = [
    "STRENGTH",
    "Folded",
    "Marked",
    "Marker",
    "MarkerShown",
    "MarkerStream",
    "PassageFolded",
    "Piece",
    "Removed",
    "Source",
    "SourceList",
    "Support",
    "TextShown",
    "UnknownMarker",
    "canonical_url",
    "folded_note",
    "from_json",
    "from_utf8_bytes",
    "from_utf16",
    "ids_in",
    "is_cited",
    "is_used",
    "is_web",
    "place",
    "portable",
    "sources_to_html",
    "title_of",
    "to_html",
    "to_json",
    "to_markdown",
    "to_plain",
    "to_terminal",
    "without_markers",
]
