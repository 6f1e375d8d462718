"""The local library: documents of one's own, searched by their words and cited like web pages.

`Library` is what is searched, read and written; `Adder` puts folders, files and pages into it.
"""

from groundwire.library.adder import Adder, reader
from groundwire.library.addresses import HOST
from groundwire.library.library import INDEXES, Library
from groundwire.library.location import library_path, open_library
from groundwire.library.model import (
    AddFailure,
    Collection,
    Document,
    FoundPassage,
    Hit,
    Progress,
    Report,
    Text,
)
from groundwire.library.open_libraries import OpenLibraries
from groundwire.library.passages import cut

__all__ = [
    "HOST",
    "INDEXES",
    "AddFailure",
    "Adder",
    "Collection",
    "Document",
    "FoundPassage",
    "Hit",
    "Library",
    "OpenLibraries",
    "Progress",
    "Report",
    "Text",
    "cut",
    "library_path",
    "open_library",
    "reader",
]
