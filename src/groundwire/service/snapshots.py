"""Pages kept with answers, as the settings say: which, how many, how long."""

from __future__ import annotations

import asyncio
import logging
import time
from datetime import timedelta
from typing import TYPE_CHECKING

from groundwire.checks.records import Snapshot
from groundwire.conversation import now
from groundwire.errors import StoreError

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from groundwire.chat.cited_pages import CitedPage
    from groundwire.config.settings.snapshot_table import SnapshotSettings
    from groundwire.store.snapshots import Snapshots

SWEEP_SECONDS = 3600.0
"""How often a process that keeps pages looks for those that are too many or too old."""

_LOG = logging.getLogger(__name__)


class StoredSnapshots:
    """Keeps pages for chat in the store. Whoever made it closes it."""

    def __init__(self, kept: Snapshots, settings: SnapshotSettings) -> None:
        self._kept = kept
        self._settings = settings
        self._swept_at: float | None = None
        self._sweeping: asyncio.Task[None] | None = None

    @property
    def is_on(self) -> bool:
        """Tell whether pages are kept."""
        return self._settings.enabled

    async def save(self, message_id: str, pages: Sequence[CitedPage]) -> None:
        """Keep pages with the answer that they were read for, in one transaction.

        Raises:
            StoreError: They could not be kept.
        """
        if not self.is_on or not pages:
            return
        await self._kept.save(snapshots_of(message_id, pages))
        if self._swept_at is None or time.monotonic() - self._swept_at > SWEEP_SECONDS:
            self._swept_at = time.monotonic()
            self._sweeping = asyncio.create_task(self._sweep())

    async def close(self) -> None:
        """Finish what was begun."""
        if self._sweeping is not None:
            await asyncio.wait([self._sweeping])

    async def _sweep(self) -> None:
        days, limit = self._settings.days, self._settings.max_bytes
        before = now() - timedelta(days=days) if days else None
        try:
            await self._kept.sweep(before=before, max_bytes=limit)
        except StoreError as error:
            _LOG.warning("old pages of answers could not be removed: %s", error.with_address())


def snapshots_of(message_id: str, pages: Iterable[CitedPage]) -> list[Snapshot]:
    """Return pages as they are kept with an answer."""
    return [
        Snapshot(
            message_id=message_id,
            url=page.url,
            asked_url=page.asked_url or page.url,
            title=page.title,
            service=page.service,
            purpose=page.purpose,
            text=page.text,
            text_hash=page.text_hash,
            is_cut=page.is_cut,
            about=page.metadata.said(),
            fetched=page.fetched,
            read_at=page.read_at,
        )
        for page in pages
    ]
