"""Where turns meet quotas: let in before they begin, counted when they end, however they end."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Callable
from contextlib import aclosing
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol, TypeVar

from groundwire.conversation.quota import QuotaUse, Wish
from groundwire.errors import ConflictError, StoreError

if TYPE_CHECKING:
    from groundwire.chat.budgets import Meter
    from groundwire.chat.plan import Conversation
    from groundwire.conversation import Workspace
    from groundwire.conversation.quota import QuotaLevel

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class QuotaHolder:
    """Whose quotas count: a user's, None for whoever runs the program, and a workspace's if any."""

    user_id: str | None = None
    workspace: Workspace | None = None

    @classmethod
    def of(cls, conversation: Conversation) -> QuotaHolder:
        """Return whose quotas the turns of a conversation count towards."""
        return cls(user_id=conversation.session.user_id, workspace=conversation.workspace)


class Quotas(Protocol):
    """Lets in, and counts."""

    def concerns(self, workspace: Workspace | None) -> bool:
        """Tell whether a quota may hold in a workspace; where none does nothing is counted."""

    async def admit(self, holder: QuotaHolder, wish: Wish) -> None:
        """Count what is to begin.

        Raises:
            QuotaExceededError: It is more than a quota allows; then it is not counted.
        """

    async def add(self, holder: QuotaHolder, more: QuotaUse) -> None:
        """Count what was used."""

    async def levels(self, holder: QuotaHolder) -> tuple[QuotaLevel, ...]:
        """Return how much of each quota of a holder is used today."""


class NoQuotas:
    """Lets everybody in, and counts nothing."""

    def concerns(self, workspace: Workspace | None) -> bool:  # noqa: ARG002 - as `Quotas`
        """Return that nobody has a quota."""
        return False

    async def admit(self, holder: QuotaHolder, wish: Wish) -> None:
        """Let in."""

    async def add(self, holder: QuotaHolder, more: QuotaUse) -> None:
        """Count nothing."""

    async def levels(self, holder: QuotaHolder) -> tuple[QuotaLevel, ...]:  # noqa: ARG002 - as above
        """Return none."""
        return ()


async def counted(
    batches: AsyncGenerator[T, None],
    quotas: Quotas,
    holder: QuotaHolder,
    wish: Wish | None,
    *,
    meter: Meter,
    is_last: Callable[[T], bool],
) -> AsyncGenerator[T, None]:
    """Hand on what a turn tells, if it is let in, and count what it used; None was let in before.

    That is counted before its end is told, so that whoever has read it finds it counted. What a
    turn that goes on had used before was counted then. One that never began is not counted.

    Raises:
        QuotaExceededError: It is not let in.
    """
    earlier, has_begun, is_counted = meter.used(), False, False
    async with aclosing(batches):
        if wish is not None:
            await quotas.admit(holder, wish)
        try:
            async for batch in batches:
                has_begun = True
                if is_last(batch) and not is_counted:
                    is_counted = True
                    await quotas.add(holder, _since(earlier, meter.used()))
                yield batch
        except (ConflictError, StoreError):
            if not has_begun and wish is not None:
                # It was sent before and is answered elsewhere, or could not be kept.
                is_counted = True
                await quotas.add(holder, wish.counted.negative)
            raise
        finally:
            if not is_counted:
                await batches.aclose()
                await quotas.add(holder, _since(earlier, meter.used()))


def _since(earlier: QuotaUse, now: QuotaUse) -> QuotaUse:
    return QuotaUse(
        tokens=now.tokens - earlier.tokens,
        cost_usd=now.cost_usd - earlier.cost_usd,
        searches=now.searches - earlier.searches,
    )
