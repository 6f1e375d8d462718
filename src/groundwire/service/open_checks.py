"""Checks that outlive their turn: kept in the store, gone on with after a crash, made again."""

from __future__ import annotations

import asyncio
import logging
from typing import TYPE_CHECKING

from groundwire import chat
from groundwire.chat.answer_checks import Reading
from groundwire.chat.cited_claims import cited_claims
from groundwire.chat.cited_pages import CitedPage
from groundwire.checks import from_json, to_json
from groundwire.checks.records import CheckRecord, SourcePage
from groundwire.conversation import EVERYWHERE, ChecksState, MessageKind, Status, now
from groundwire.errors import ConflictError, StoreError
from groundwire.guard import DomainPolicy
from groundwire.model import PageMetadata
from groundwire.service.provider_choice import LAST_RESORT
from groundwire.service.snapshots import snapshots_of

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping, Sequence

    from groundwire.chat.answer_checks import AnswerChecks
    from groundwire.chat.budgets import Cost
    from groundwire.checks import CitationCheck
    from groundwire.config.settings import Settings
    from groundwire.conversation import ChatMessage
    from groundwire.model import Usage
    from groundwire.store import Store
    from groundwire.store.citation_checks import CitationChecks

AT_ONCE = 4
"""So many answers of earlier processes are compared at the same time."""

EVERY_SECONDS = 30.0
"""How often somebody looks for answers that a process left behind."""

_LOG = logging.getLogger(__name__)


class StoredChecks:
    """Keeps checks for chat in the store; with snapshots the pages' texts are theirs."""

    def __init__(self, kept: CitationChecks, *, has_snapshots: bool = False) -> None:
        self._kept = kept
        self._has_snapshots = has_snapshots

    async def save(
        self, message_id: str, checks: Sequence[CitationCheck], pages: Mapping[int, CitedPage]
    ) -> None:
        """Keep checks, and the pages that sources with these numbers were compared with.

        Raises:
            StoreError: They could not be kept.
        """
        records = [
            CheckRecord(
                message_id=message_id,
                position=each.position,
                number=each.number,
                data=to_json(each),
                checked_at=each.checked_at or now(),
            )
            for each in checks
        ]
        kept = [
            SourcePage(
                message_id=message_id,
                number=number,
                url=page.url,
                title=page.title,
                text="" if self._has_snapshots else page.text,
                text_hash=page.text_hash,
                is_cut=page.is_cut,
                about=page.metadata.said(),
                read_at=page.read_at,
            )
            for number, page in pages.items()
        ]
        snapshots = snapshots_of(message_id, pages.values()) if self._has_snapshots else ()
        await self._kept.save(records, kept, snapshots)

    async def finish(self, message_id: str) -> None:
        """Note that nothing of an answer is left to be compared.

        Raises:
            StoreError: It could not be noted.
        """
        await self._kept.finish(message_id)

    async def spend(self, message_id: str, usage: Usage, cost: Cost) -> None:
        """Add what a judge used to what an answer did.

        Raises:
            StoreError: It could not be kept.
        """
        await self._kept.spend(message_id, usage, cost.usd, is_partial=cost.is_partial)


class OpenChecks:
    """The checks of kept answers, in one program that keeps them."""

    def __init__(self, store: Store, checks: AnswerChecks, settings: Settings) -> None:
        self._store = store
        self._checks = checks
        self._settings = settings

    async def of(self, message_id: str) -> tuple[CitationCheck, ...]:
        """Return what the citations of an answer came to so far."""
        return checks_of(await self._store.citation_checks.of_message(message_id))

    async def again(self, message: ChatMessage) -> None:
        """Compare the citations of an answer with their pages as they are now.

        Raises:
            ConflictError: It has none, it is still being made, or nothing may be compared.
        """
        if message.kind is not MessageKind.AI_RESPONSE or message.status is Status.STREAMING:
            raise ConflictError("only an answer that has ended can be compared with its pages")
        marked = message.marked
        if marked is None or not cited_claims(marked):
            raise ConflictError("this answer cites nothing that could be compared")
        reading = await self._reading(message, is_fresh=True)
        if self._checks.checker(message.id, reading) is None:
            raise ConflictError(
                "citations are not compared here: set citation_checks of the workspace, or "
                "checks.pages of the settings, to all"
            )
        await self._store.citation_checks.begin_again(message.id)
        self._checks.resume(message.id, marked, reading)

    async def resume(self) -> int:
        """Go on where processes that are gone stopped; return with how many answers."""
        busy = self._checks.busy
        room = AT_ONCE - len(busy)
        if room <= 0:
            return 0
        claimed = await self._store.citation_checks.claim(busy=busy, limit=room)
        for message_id in claimed:
            await self._resume(await self._store.messages.get(message_id))
        return len(claimed)

    async def keep_resuming(self) -> None:
        """Do so now and every so often, until cancelled."""
        while True:
            try:
                # One after the other, as long as there are any.
                pause = 1.0 if await self.resume() else EVERY_SECONDS
            except StoreError as error:
                _LOG.warning("open checks could not be looked for: %s", error.with_address())
                pause = EVERY_SECONDS
            await asyncio.sleep(pause)

    async def _resume(self, message: ChatMessage) -> None:
        is_fresh = message.checks_state is ChecksState.AGAIN
        reading = await self._reading(message, is_fresh=is_fresh)
        shown = chat.restored(message, reading.policy)
        marked, pages = shown.marked, await self._store.citation_checks.pages(message.id)
        urls = {each.number: each.url for each in marked.sources} if marked else {}
        done = await self.of(message.id)
        is_begun = marked is not None and self._checks.resume(
            message.id,
            marked,
            reading,
            done=done,
            pages=() if is_fresh else _at_hand(pages, urls),
        )
        if not is_begun:
            await self._store.citation_checks.finish(message.id)

    async def _reading(self, message: ChatMessage, *, is_fresh: bool) -> Reading:
        session = await self._store.sessions.get(message.session_id)
        workspace = await self._store.workspaces.get(session.workspace_id)
        chosen = message.state.choices if message.state else None
        of_message = DomainPolicy(allowed=(chosen and chosen.domains) or EVERYWHERE)
        of_workspace = DomainPolicy(allowed=workspace.web_allowed_domains)
        return Reading(
            workspace=workspace,
            user_id=session.user_id,
            policy=self._settings.domains.narrowed(of_workspace).narrowed(of_message),
            readers=await readers_of(self._settings, [message], workspace.library),
            is_fresh=is_fresh,
        )


async def readers_of(
    settings: Settings, messages: Iterable[ChatMessage], library: str
) -> tuple[str, ...]:
    """Return who reads the pages of answers again; nobody in particular leaves it to the settings.

    A model that only quotes has the library, although the settings may not name it.
    """
    if all(message.raw_provider != LAST_RESORT for message in messages):
        return ()
    from groundwire.service.documentation import (  # noqa: PLC0415 - the library is rare
        services_of,
    )

    return tuple((await services_of(settings, library)).read)


def checks_of(records: Iterable[CheckRecord]) -> tuple[CitationCheck, ...]:
    """Return the checks that are kept; one that another version wrote otherwise is left out."""
    found = []
    for each in records:
        try:
            found.append(from_json(each.data))
        except (KeyError, TypeError, ValueError, AttributeError):
            _LOG.warning("a kept check cannot be read: message %s", each.message_id)
    return tuple(found)


def _at_hand(
    pages: Iterable[SourcePage], urls: Mapping[int, str]
) -> Iterable[tuple[str, CitedPage]]:
    for page in pages:
        yield (
            urls.get(page.number, page.url),
            CitedPage(
                url=page.url,
                title=page.title,
                text=page.text,
                text_hash=page.text_hash,
                is_cut=page.is_cut,
                read_at=page.read_at,
                metadata=PageMetadata.from_json(page.about),
            ),
        )
