"""Documents by what a person calls them: a collection, an address, a file or a folder."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from groundwire.library.library import Library
    from groundwire.library.model import Document


def documents_named(library: Library, name: str) -> list[Document]:
    """Return what a person means: a collection, an address, or a file or folder."""
    if documents := library.documents(name):
        return documents
    if "://" in name:
        return [document] if (document := library.document(name)) else []
    return documents_below(library, Path(name).resolve())


def documents_below(library: Library, path: Path) -> list[Document]:
    """Return the documents that were read from a file, or from a folder and those below it."""
    roots = {one.name: Path(one.root) for one in library.collections() if one.root}
    return [
        document
        for document in library.documents()
        if document.collection in roots
        and (roots[document.collection] / document.path).is_relative_to(path)
    ]
