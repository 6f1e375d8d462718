"""The local library: documents of one's own, searched by their words and cited like web pages.

`Library` is what is searched, read and written; `Adder` puts folders, files and pages into it.
"""

from groundwire.library.adder import Adder, reader
from groundwire.library.addresses import HOST
from groundwire.library.folder import CONTENT_TYPES
from groundwire.library.library import INDEXES, Library
from groundwire.library.location import (
    library_bytes,
    library_path,
    open_library,
    remove_library,
    uploads_folder,
)
from groundwire.library.model import (
    AddFailure,
    Collection,
    Document,
    DocumentText,
    FoundPassage,
    Hit,
    Meaning,
    Progress,
    Report,
)
from groundwire.library.named import documents_below, documents_named
from groundwire.library.open_libraries import OpenLibraries
from groundwire.library.passages import cut
from groundwire.library.store import is_made

__all__ = [
    "CONTENT_TYPES",
    "HOST",
    "INDEXES",
    "AddFailure",
    "Adder",
    "Collection",
    "Document",
    "DocumentText",
    "FoundPassage",
    "Hit",
    "Library",
    "Meaning",
    "OpenLibraries",
    "Progress",
    "Report",
    "cut",
    "documents_below",
    "documents_named",
    "is_made",
    "library_bytes",
    "library_path",
    "open_library",
    "reader",
    "remove_library",
    "uploads_folder",
]
