"""Citations as numbers: markers placed in the text, sources listed, everything rendered. No I/O.

place              a whole text and its citations
MarkerStream       the same while the text arrives
to_markdown …      one `Marked` for every reader
"""

from groundwire.citing.checking import Checked, check, ids_in
from groundwire.citing.display import MarkerPlaced, PassageFolded, Piece, Shown
from groundwire.citing.marked import Folded, Marked, Marker, Support, UnknownMarker, folded_note
from groundwire.citing.offsets import from_utf8_bytes, from_utf16
from groundwire.citing.placing import place
from groundwire.citing.portable import portable
from groundwire.citing.rendering import (
    is_used,
    is_web,
    sources_to_html,
    title_of,
    to_html,
    to_json,
    to_markdown,
    to_plain,
    to_terminal,
)
from groundwire.citing.sources import Removed, Source, SourceList, canonical_url, strength
from groundwire.citing.streaming import Finished, MarkerStream

__all__ = [
    "Checked",
    "Finished",
    "Folded",
    "Marked",
    "Marker",
    "MarkerPlaced",
    "MarkerStream",
    "PassageFolded",
    "Piece",
    "Removed",
    "Shown",
    "Source",
    "SourceList",
    "Support",
    "UnknownMarker",
    "canonical_url",
    "check",
    "folded_note",
    "from_utf8_bytes",
    "from_utf16",
    "ids_in",
    "is_used",
    "is_web",
    "place",
    "portable",
    "sources_to_html",
    "strength",
    "title_of",
    "to_html",
    "to_json",
    "to_markdown",
    "to_plain",
    "to_terminal",
]
