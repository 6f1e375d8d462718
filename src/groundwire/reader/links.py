"""Links of a page made whole; what is no address becomes none."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING
from urllib.parse import urljoin

if TYPE_CHECKING:
    from turbohtml import Document


def absolute(base: str, address: str) -> str:
    """Return where a link of a page leads, "" where brackets hold no address."""
    try:
        return urljoin(base, address)
    except ValueError:
        return ""


def resolve(document: Document, base: str) -> None:
    """Make every link of a document absolute."""
    try:
        document.resolve_links(base)
    except ValueError:
        # The parser gives up at the first link that is none; those before it stay as they are.
        document.rewrite_links(partial(absolute, base))
