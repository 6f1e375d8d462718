"""Sources that a provider cites and that no link leads to: files, documents, places."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.events import Warned
from groundwire.redaction import redact

if TYPE_CHECKING:
    from groundwire.events import StreamEvent
    from groundwire.model import Json

CODE = "source_without_url"
MAX_NAME_LENGTH = 80
UNNAMED = "a document without a name"


def is_link(address: Json) -> bool:
    """Tell whether a source's address leads to a web page."""
    return isinstance(address, str) and address.lower().startswith(("http://", "https://"))


class UnlinkedSources:
    """Those of one reply, each told once.

    They are warnings and no citations: a citation is a page that a reader can open.
    """

    def __init__(self, service: str) -> None:
        self._service = service
        self._told: set[str] = set()

    def take(self, *names: Json) -> list[StreamEvent]:
        """Return a warning that the answer rests on something, under the first name that it has."""
        told = [name for name in names if isinstance(name, str) and name.strip()]
        name = repr(redact(told[0])[:MAX_NAME_LENGTH]) if told else UNNAMED
        if name in self._told:
            return []
        self._told.add(name)
        reason = "which has no web address and is not in the list of sources"
        return [Warned(f"{self._service} cites {name}, {reason}", CODE)]
