"""The pages that were opened for an answer, kept with it when it ends."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING, Protocol

from groundwire.chat.cited_pages import read_page
from groundwire.checks.records import Purpose
from groundwire.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.chat.answer_checks import TurnChecks
    from groundwire.chat.cited_pages import CitedPage
    from groundwire.model import ReadReply

_LOG = logging.getLogger(__name__)


class SnapshotStore(Protocol):
    """Keeps pages as they were read."""

    async def save(self, message_id: str, pages: Sequence[CitedPage]) -> None:
        """Keep pages with the answer that they were read for; the same once more is once.

        Raises:
            StoreError: They could not be kept.
        """


class NullSnapshotStore:
    """Keeps nothing, for a question that is asked once and where keeping is switched off."""

    async def save(self, message_id: str, pages: Sequence[CitedPage]) -> None:
        """Keep nothing."""


class TurnSnapshots:
    """Belongs to one turn: gathers what was opened, and keeps all of it at once, at the end."""

    def __init__(self, keeper: SnapshotStore, message_id: str) -> None:
        self._keeper = keeper
        self._message_id = message_id
        self._pages: list[CitedPage] = []

    def open(self, checks: TurnChecks, url: str, reply: ReadReply) -> None:
        """Take a page that was opened, for the checks too.

        One that a policy forbids does not come here: it was not read.
        """
        page = read_page(url, reply, Purpose.OPENED)
        checks.open(page)
        self._pages.append(page)

    async def save(self) -> None:
        """Keep what was opened; where that fails the answer stands all the same."""
        pages, self._pages = self._pages, []
        if not pages:
            return
        try:
            await self._keeper.save(self._message_id, pages)
        except StoreError as error:
            _LOG.warning("the pages of an answer are not kept: %s", error)
