"""What is kept of an answer's citations: what each came to, and the pages as they were read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum
from hashlib import sha256

from groundwire.conversation import now
from groundwire.model import Fetched


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

    `number` is the source's in the answer. `text_hash` is the SHA-256 of `text`; with `is_cut` the
    page went on. `about` is what the page says of itself, as far as it does; with `pages` in it, a
    rule ends each page of it.
    """

    message_id: str
    number: int
    url: str
    title: str = ""
    text: str = field(default="", repr=False)
    text_hash: str = ""
    is_cut: bool = False
    about: Mapping[str, object] = field(default_factory=dict)
    read_at: datetime = field(default_factory=now)


class Purpose(StrEnum):
    """What a page was read for."""

    OPENED = "opened"  # the model, or we for it, opened it to answer
    CHECKED = "checked"  # it was read to compare a citation with it


@dataclass(frozen=True, slots=True, kw_only=True)
class Snapshot:
    """A page that was read for an answer, as it was read.

    `asked_url` is what it was asked for by, `url` where its content came from. `service` is who
    read it: local is this program, which then has the bytes in `fetched`. `text` is the page as
    Markdown, `text_hash` its SHA-256; with `is_cut` the page went on. `about` is what the page
    says of itself (authors, published, site_name …), as far as it does.
    """

    message_id: str
    url: str
    asked_url: str = ""
    title: str = ""
    service: str = ""
    purpose: Purpose = Purpose.OPENED
    text: str = field(default="", repr=False)
    text_hash: str = ""
    is_cut: bool = False
    about: Mapping[str, object] = field(default_factory=dict)
    fetched: Fetched | None = field(default=None, repr=False)
    read_at: datetime = field(default_factory=now)

    @property
    def id(self) -> str:
        """Return what tells it from others: one answer, one address, one text."""
        key = f"{self.message_id}\n{self.url}\n{self.text_hash}"
        return sha256(key.encode("utf-8", "replace")).hexdigest()[:32]
