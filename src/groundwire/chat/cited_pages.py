"""The pages that an answer cites: at hand where they were opened for it, else read beside it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import TYPE_CHECKING, TypeAlias

from groundwire.checks import MAX_CHARACTERS, NotCompared, hash_of
from groundwire.checks.records import Purpose
from groundwire.citations import canonical_url
from groundwire.conversation import now
from groundwire.errors import DomainNotAllowedError, GroundwireError, RobotsRefusedError
from groundwire.model import PageMetadata
from groundwire.wire.text import whole

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable
    from datetime import datetime

    from groundwire.config.settings.check_table import CheckSettings
    from groundwire.model import Fetched, Page, ReadReply

    Read: TypeAlias = Callable[[str], Awaitable[ReadReply]]

AT_ONCE = 3
"""So many pages of one answer are read at the same time."""


_REASONS: dict[type[Exception], NotCompared] = {
    TimeoutError: NotCompared.TIMEOUT,
    DomainNotAllowedError: NotCompared.POLICY,
    RobotsRefusedError: NotCompared.ROBOTS,
    GroundwireError: NotCompared.UNREADABLE,
}
"""What an error means for a citation; the first that fits."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitedPage:
    """A page as it was read; with `is_cut` it goes on where `text` ends.

    The rest is kept with it: the address that it was asked for by, who read it and for what, what
    the page says of itself, and the bytes where we fetched it.
    """

    url: str
    title: str = ""
    text: str = field(default="", repr=False)
    text_hash: str = ""
    is_cut: bool = False
    read_at: datetime = field(default_factory=now)
    asked_url: str = ""
    service: str = ""
    purpose: Purpose = Purpose.CHECKED
    fetched: Fetched | None = field(default=None, repr=False)
    metadata: PageMetadata = field(default_factory=PageMetadata)

    @property
    def has_pages(self) -> bool:
        """Tell whether a rule ends each page of it."""
        return self.metadata.pages is not None


def read_page(url: str, reply: ReadReply, purpose: Purpose) -> CitedPage:
    """Return a page that was asked for by a URL, with all that is kept of it."""
    return replace(
        cited_page(reply.page, reply.age_seconds),
        asked_url=url,
        service=reply.service,
        purpose=purpose,
        fetched=reply.fetched,
    )


def cited_page(page: Page, age_seconds: float | None = None) -> CitedPage:
    """Return a page that a reader gave, as it is compared and kept."""
    # As a database holds it, so that places in it stay the same.
    text = whole(page.content.replace("\x00", "\N{REPLACEMENT CHARACTER}"))
    is_cut = page.truncated or len(text) > MAX_CHARACTERS
    text = text[:MAX_CHARACTERS]
    return CitedPage(
        url=page.url,
        title=" ".join(whole(page.title).split()),
        text=text,
        text_hash=hash_of(text),
        is_cut=is_cut,
        read_at=now() - timedelta(seconds=age_seconds or 0),
        metadata=page.metadata,
    )


class CitedPages:
    """Belongs to one answer; each page is read once, a few at a time, within the limits.

    `seconds` are counted from the end of the answer: until then a reader has its own limits.
    """

    def __init__(self, read: Read, limits: CheckSettings) -> None:
        self._read = read
        self._limits = limits
        self._known: dict[str, CitedPage] = {}
        self._asked: dict[str, asyncio.Task[CitedPage | NotCompared]] = {}
        self._places = asyncio.Semaphore(AT_ONCE)
        self._count = 0
        self._deadline: float | None = None
        self._waiting: set[asyncio.Timeout] = set()

    def add(self, url: str, page: CitedPage) -> None:
        """Take a page that is at hand; `url` is what it was asked for by."""
        for key in (canonical_url(url), canonical_url(page.url)):
            self._known.setdefault(key, page)

    def known(self, url: str) -> CitedPage | None:
        """Return a page if it was read."""
        return self._known.get(canonical_url(url))

    async def get(self, url: str) -> CitedPage | NotCompared:
        """Return a page, or why it is not compared."""
        key = canonical_url(url)
        if key in self._known:
            return self._known[key]
        if key not in self._asked:
            self._asked[key] = asyncio.ensure_future(self._get(url))
        return await asyncio.shield(self._asked[key])

    def end(self) -> None:
        """Begin to count the seconds: the answer is there."""
        self._deadline = asyncio.get_running_loop().time() + self._limits.seconds
        for scope in self._waiting:
            scope.reschedule(self._deadline)

    async def close(self) -> None:
        """Stop reading."""
        for task in self._asked.values():
            task.cancel()
        await asyncio.gather(*self._asked.values(), return_exceptions=True)

    async def _get(self, url: str) -> CitedPage | NotCompared:
        if self._limits.pages != "all":
            return NotCompared.NOT_OPENED
        if self._count >= self._limits.max_pages:
            return NotCompared.LIMIT
        self._count += 1
        try:
            reply = await self._in_time(url)
        except (GroundwireError, TimeoutError) as error:
            return next(reason for kind, reason in _REASONS.items() if isinstance(error, kind))
        if not reply.page.success:
            return NotCompared.UNREADABLE
        page = read_page(url, reply, Purpose.CHECKED)
        self.add(url, page)
        return page

    async def _in_time(self, url: str) -> ReadReply:
        async with asyncio.timeout_at(self._deadline) as scope:
            self._waiting.add(scope)
            try:
                async with self._places:
                    return await self._read(url)
            finally:
                self._waiting.discard(scope)
