"""What is kept of an answer's citations: what each came to, and the pages as they were read."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime

from groundwire.conversation import now


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckRecord:
    """One citation of an answer, compared: the marker's place, the source's number, the facts.

    `position` counts characters of the answer's text without markers.
    """

    message_id: str
    position: int
    number: int
    data: object = field(repr=False)
    checked_at: datetime = field(default_factory=now)


@dataclass(frozen=True, slots=True, kw_only=True)
class SourcePage:
    """A page that an answer cites, as it was read: what the citation was compared with.

    `number` is the source's in the answer. `text_hash` is the SHA-256 of `text`.
    """

    message_id: str
    number: int
    url: str
    title: str = ""
    text: str = field(default="", repr=False)
    text_hash: str = ""
    read_at: datetime = field(default_factory=now)
