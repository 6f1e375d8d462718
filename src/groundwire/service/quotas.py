"""Quotas of users and workspaces, counted in the database for all servers together."""

from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from groundwire.chat.budgets import has_quotas
from groundwire.chat.quotas import NoQuotas, QuotaHolder
from groundwire.conversation.quota import (
    NAMES,
    Quota,
    QuotaLevel,
    QuotaUse,
    Wish,
    end_of,
    exceeded,
    refused,
)
from groundwire.errors import StoreError
from groundwire.system.determinism import now

if TYPE_CHECKING:
    from groundwire.chat.quotas import Quotas
    from groundwire.config.settings import Settings
    from groundwire.config.settings.quota_tables import QuotaSettings
    from groundwire.conversation import Workspace
    from groundwire.store import Store
    from groundwire.store.quota_uses import QuotaUses

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaSource:
    """The limits of the settings."""

    user: Quota
    workspace: Quota

    @classmethod
    def of(cls, settings: QuotaSettings) -> QuotaSource:
        """Return the limits that settings name."""
        user, workspace = settings.user.model_dump(), settings.workspace.model_dump()
        return cls(user=Quota(**user), workspace=Quota(**workspace))

    def limits(self, holder: QuotaHolder) -> dict[str, Quota]:
        """Return the limits of a holder that there are, by the name under which they count."""
        found = {f"user {holder.user_id or ''}": self.user}
        if (workspace := holder.workspace) is not None:
            found[f"workspace {workspace.id}"] = workspace.quotas.over(self.workspace)
        return {name: limits for name, limits in found.items() if limits.is_set}


class StoredQuotas:
    """Lets in with a statement for each kind of quota, and counts; `clock` says the day."""

    def __init__(
        self,
        settings: Callable[[], QuotaSettings],
        uses: QuotaUses,
        *,
        clock: Callable[[], datetime] = now,
    ) -> None:
        self._settings = settings
        self._uses = uses
        self._clock = clock

    def limits(self, holder: QuotaHolder) -> dict[str, Quota]:
        """Return the limits of a holder, by the name under which they count."""
        return QuotaSource.of(self._settings()).limits(holder)

    def concerns(self, workspace: Workspace | None) -> bool:
        """Tell whether a quota may hold in a workspace."""
        return has_quotas(self._settings(), workspace)

    async def admit(self, holder: QuotaHolder, wish: Wish) -> None:
        """Count what is to begin.

        It is counted first and looked at then, so that of many at once no more get in than may;
        and the user's quota comes first, so that whom that refuses takes nothing, not even for a
        moment, from the workspace.

        Raises:
            QuotaExceededError: It is more than a quota allows.
        """
        moment, taken = self._clock(), wish.counted
        day, counted = moment.date(), []
        for name, limits in self.limits(holder).items():
            counted.append(name)
            use = (await self._uses.add(day, [name], taken))[name]
            if quota := refused(limits, use, wish):
                before = (await self._uses.add(day, counted, taken.negative))[name]
                levels = _levels(name, limits, before, moment)
                raise exceeded(next(each for each in levels if each.quota == quota), moment)
            if use == taken:
                # The first of the day: nobody asks for the days before.
                await self._uses.forget_before(day, [name])

    async def add(self, holder: QuotaHolder, more: QuotaUse) -> None:
        """Count what was used; an answer is not lost because that cannot be counted."""
        limits = self.limits(holder)
        if not limits or more == QuotaUse():
            return
        try:
            await self._uses.add(self._clock().date(), [*limits], more)
        except StoreError as error:
            _LOG.warning("what an answer used is not counted: %s", error.with_address())

    async def levels(self, holder: QuotaHolder) -> tuple[QuotaLevel, ...]:
        """Return how much of each quota of a holder is used today."""
        limits, moment = self.limits(holder), self._clock()
        if not limits:
            return ()
        use = await self._uses.of_day(moment.date(), [*limits])
        return tuple(
            level
            for name, each in limits.items()
            for level in _levels(name, each, use.get(name, QuotaUse()), moment)
        )


def _levels(name: str, limits: Quota, use: QuotaUse, moment: datetime) -> list[QuotaLevel]:
    return [
        QuotaLevel(
            whose=name.partition(" ")[0],
            quota=quota,
            limit=limit,
            used=getattr(use, quota),
            resets_at=end_of(moment.date()),
        )
        for quota in NAMES
        if (limit := getattr(limits, quota))
    ]


@asynccontextmanager
async def opened_quotas(
    settings: Callable[[], Settings], store: Store | None, database: str
) -> AsyncIterator[Quotas]:
    """Give the quotas of a program: over its store, or over one for counting if there is none.

    Where nothing is kept and no user has a quota no database is opened.

    Raises:
        StoreError: The database cannot be used.
    """
    if store is not None:
        yield StoredQuotas(lambda: settings().quotas, store.quota_uses)
        return
    if not QuotaSource.of(settings().quotas).user.is_set:
        yield NoQuotas()
        return
    from groundwire.store import Store  # noqa: PLC0415 - only where something is counted

    async with Store.open(database) as opened:
        yield StoredQuotas(lambda: settings().quotas, opened.quota_uses)
