"""What answers used and cost, and how much is left of quotas."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Annotated, Any

from fastapi import APIRouter, Query

from groundwire.chat.budgets import cost_in_words
from groundwire.chat.quotas import QuotaHolder
from groundwire.conversation import UsageLine, now
from groundwire.conversation.quota import end_of
from groundwire.web.access import CallerNeeded, SiteNeeded
from groundwire.web.bodies import WorkspaceId
from groundwire.web.error_responses import RESPONSES
from groundwire.web.usage_shapes import (
    QuotasShape,
    StandingShape,
    UsageDayShape,
    UsageReportShape,
    UsageSumShape,
    UsageTotalShape,
)

router = APIRouter(prefix="/api", tags=["usage"], responses=RESPONSES)


@router.get("/quotas", response_model=QuotasShape)
async def get_quotas(
    caller: CallerNeeded, site: SiteNeeded, workspace_id: WorkspaceId = None
) -> QuotasShape:
    """Return the caller's quotas, and those of a workspace, with what is used of them today."""
    workspace = await caller.workspace(workspace_id)
    holder = QuotaHolder(user_id=caller.user_id, workspace=workspace)
    return QuotasShape(
        resets_at=end_of(now().date()),
        quotas=[
            StandingShape.model_validate(each) for each in await site.program.quotas.levels(holder)
        ],
    )


@router.get("/usage", response_model=UsageReportShape)
async def get_usage(
    caller: CallerNeeded,
    site: SiteNeeded,
    workspace_id: WorkspaceId = None,
    days: Annotated[int, Query(ge=1, le=3_660)] = 30,
) -> UsageReportShape:
    """Return what the answers of a workspace used, by day (in UTC), provider and model."""
    workspace = await caller.workspace(workspace_id)
    today = now().date()
    since = today - timedelta(days=days - 1)
    lines = await site.store.usage.report(since=since, until=today, workspace_id=workspace.id)
    shown = [_day(line) for line in lines]
    return UsageReportShape(
        days=shown,
        by_day=_sums(shown, lambda each: (str(each.date), "", "")),
        by_provider=_sums(shown, lambda each: ("", each.provider, "")),
        by_model=_sums(shown, lambda each: ("", each.provider, each.model)),
        total=UsageTotalShape.model_validate(_sum(shown)),
    )


def _sums(
    lines: Sequence[UsageDayShape], group_of: Callable[[UsageDayShape], tuple[str, str, str]]
) -> list[UsageSumShape]:
    """Return the sum of each group of lines, in the order of their names."""
    groups: dict[tuple[str, str, str], list[UsageDayShape]] = {}
    for line in lines:
        groups.setdefault(group_of(line), []).append(line)
    return [
        UsageSumShape(date=date, provider=provider, model=model, **_sum(group))
        for (date, provider, model), group in sorted(groups.items())
    ]


def _sum(lines: Sequence[UsageDayShape]) -> dict[str, Any]:
    """Return the fields of a total; its cost is partial if that of any line is."""
    costs = [each.cost_usd for each in lines if each.cost_usd is not None]
    cost = round(sum(costs), 6) if costs else None
    is_partial = any(each.cost_is_partial for each in lines)
    return {
        "turns": sum(each.turns for each in lines),
        "input_tokens": sum(each.input_tokens for each in lines),
        "output_tokens": sum(each.output_tokens for each in lines),
        "searches": sum(each.searches for each in lines),
        "pages_read": sum(each.pages_read for each in lines),
        "cost_usd": cost,
        "cost_is_partial": is_partial,
        "cost_text": cost_in_words(cost, is_partial=is_partial),
    }


def _day(line: UsageLine) -> UsageDayShape:
    return UsageDayShape(
        date=line.day,
        provider=line.provider,
        model=line.model,
        turns=line.answers,
        input_tokens=line.input_tokens,
        output_tokens=line.output_tokens,
        searches=line.searches + line.client_searches,
        pages_read=line.pages_read,
        cost_usd=line.cost_usd,
        cost_is_partial=line.cost_is_partial,
    )
