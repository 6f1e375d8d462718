"""What the sandbox received, and how each call ended at its end."""

from __future__ import annotations

import threading
from dataclasses import asdict, dataclass

from aiohttp import web

from groundwire.sandbox.json import Json

SECRET_HEADERS = frozenset(
    {"authorization", "x-api-key", "x-goog-api-key", "x-subscription-token", "cookie"}
)
MASK = "****"
MAX_ENTRIES = 1000


@dataclass(slots=True, kw_only=True)
class Entry:
    """One call. It grows while the reply is sent, so it is the one noun here that is not frozen.

    `ended` is `open` until the reply has ended: `complete`, `refused`, `cut by the fault`,
    `closed by the client` or `stopped with the server`. `noticed` says how the client's leaving
    was seen: `while waiting` or `while writing`.
    """

    number: int
    method: str
    path: str
    query: dict[str, str]
    headers: dict[str, str]
    body: Json
    fault: str = ""
    status: int | None = None
    chunks_sent: int = 0
    bytes_sent: int = 0
    ended: str = "open"
    noticed: str = ""


class Journal:
    """The calls since the start or the last reset, the oldest dropped when there are many."""

    def __init__(self) -> None:
        self.entries: list[Entry] = []
        self._count = 0
        self._changed = threading.Condition()

    def record(self, request: web.Request, body: Json) -> Entry:
        """Add a call and return its entry."""
        self._count += 1
        entry = Entry(
            number=self._count,
            method=request.method,
            path=request.path,
            query={k: MASK if k == "key" else v for k, v in request.query.items()},
            headers={
                name.lower(): MASK if name.lower() in SECRET_HEADERS else value
                for name, value in request.headers.items()
            },
            body=body,
        )
        self.entries.append(entry)
        del self.entries[:-MAX_ENTRIES]
        return entry

    def finish(self, entry: Entry, ended: str, noticed: str = "") -> None:
        """Note how a call ended."""
        with self._changed:
            entry.ended, entry.noticed = ended, noticed
            self._changed.notify_all()

    def wait_for_end(self, index: int, timeout_seconds: float) -> Entry:
        """Block until a call has ended; for a thread other than the server's.

        Raises:
            TimeoutError: It has not ended in time.
        """
        with self._changed:
            if not self._changed.wait_for(lambda: self._has_ended(index), timeout_seconds):
                raise TimeoutError(f"call {index} has not ended after {timeout_seconds} s")
        return self.entries[index]

    def _has_ended(self, index: int) -> bool:
        return len(self.entries) > index and self.entries[index].ended != "open"

    def reset(self) -> None:
        """Forget all calls; the count goes on, so that ids stay unique."""
        self.entries.clear()

    def to_json(self) -> Json:
        """Return the calls as JSON."""
        return {"requests": [asdict(entry) for entry in self.entries]}
