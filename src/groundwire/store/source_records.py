"""Where the documents of a workspace's library come from, and how far they have been read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from groundwire.system.determinism import new_id, now


class SourceKind(StrEnum):
    """What a source is: files that were uploaded, a folder of the server, or a page of the web."""

    UPLOADS = "uploads"
    FOLDER = "folder"
    URL = "url"


class SourceState(StrEnum):
    """How far a source is: to be read, being read, read, or not readable as a whole."""

    WAITING = "waiting"
    WORKING = "working"
    READY = "ready"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class LibrarySource:
    """A folder, a page or the uploaded files of one workspace, and what its last reading did.

    `location` is the folder or the URL, "" for uploads. `address` is what the library calls it: a
    collection, or the page's address after redirects; "" before the first reading.
    `refresh_hours` of 0 is never by itself; `due_at` is when next. `done` of `total` files are
    read. `counts` are those of a report, `failures` pairs of a file and the reason.
    """

    id: str = field(default_factory=new_id)
    workspace_id: str
    kind: SourceKind
    location: str = ""
    address: str = ""
    refresh_hours: int = 0
    state: SourceState = SourceState.WAITING
    done: int = 0
    total: int = 0
    counts: Mapping[str, int] | None = None
    failures: Sequence[Sequence[str]] | None = None
    error: str = ""
    created_at: datetime = field(default_factory=now)
    finished_at: datetime | None = None
    due_at: datetime | None = None
