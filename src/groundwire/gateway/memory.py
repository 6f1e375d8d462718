"""What a gateway remembers for a while, so that a turn can go on in the client's next request.

Everything works without it: a client whose turn is forgotten is searched for again.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import TypeAlias

from groundwire.conversation import Round
from groundwire.model import AssistantMessage
from groundwire.wire.inbound import ReplayedSearch, Said

SECONDS = 3_600.0
MAX_ENTRIES = 5_000
MAX_CHARACTERS = 100_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class OpenTurn:
    """A turn that waits for the client's tools.

    `ids` lead from the ids that the client knows to those that the model gave. `dialect` is the
    provider that made the rounds. `pages` are those that our tools named, in the order of their
    ids, `snippets` what was found of each, `numbers` the URLs behind the numbers that the client
    was shown.
    """

    rounds: tuple[Round, ...]
    ids: Mapping[str, str] = field(default_factory=dict)
    dialect: str = ""
    pages: tuple[tuple[str, str], ...] = ()
    numbers: Mapping[int, str] = field(default_factory=dict)
    snippets: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class RememberedReply:
    """A whole conversation up to a reply, which a client may go on from by the reply's id."""

    said: tuple[Said, ...]


Remembered: TypeAlias = OpenTurn | RememberedReply | ReplayedSearch | AssistantMessage


class Memory:
    """Keeps things under ids of ours, each for the guest it belongs to."""

    def __init__(
        self,
        *,
        seconds: float = SECONDS,
        max_entries: int = MAX_ENTRIES,
        max_characters: int = MAX_CHARACTERS,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._seconds = seconds
        self._max_entries = max_entries
        self._max_characters = max_characters
        self._clock = clock
        self._kept: OrderedDict[tuple[str, str], tuple[float, int, Remembered]] = OrderedDict()
        self._characters = 0

    def keep(self, guest: str, id_: str, value: Remembered, *, size: int = 0) -> None:
        """Keep something of about so many characters."""
        self._drop((guest, id_))
        self._kept[guest, id_] = (self._clock() + self._seconds, size, value)
        self._characters += size
        while len(self._kept) > self._max_entries or self._characters > self._max_characters:
            self._drop(next(iter(self._kept)))

    def find(self, guest: str, id_: str) -> Remembered | None:
        """Return what is kept under an id, None if it is forgotten or somebody else's."""
        found = self._kept.get((guest, id_))
        if found is None:
            return None
        if found[0] < self._clock():
            self._drop((guest, id_))
            return None
        return found[2]

    def _drop(self, key: tuple[str, str]) -> None:
        if key in self._kept:
            self._characters -= self._kept.pop(key)[1]
