"""What answers used and cost."""

from __future__ import annotations

from datetime import timedelta
from typing import Annotated

from fastapi import APIRouter, Query

from groundwire.conversation import UsageLine, now
from groundwire.web.access import CallerNeeded, SiteNeeded
from groundwire.web.bodies import WorkspaceId
from groundwire.web.shapes import UsageDayShape, UsageReportShape, UsageTotalShape

router = APIRouter(prefix="/api/usage", tags=["usage"])


@router.get("", response_model=UsageReportShape)
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
    costs = [each.cost_usd for each in shown if each.cost_usd is not None]
    total = UsageTotalShape(
        turns=sum(each.turns for each in shown),
        input_tokens=sum(each.input_tokens for each in shown),
        output_tokens=sum(each.output_tokens for each in shown),
        searches=sum(each.searches for each in shown),
        pages_read=sum(each.pages_read for each in shown),
        cost_usd=round(sum(costs), 6) if costs else None,
        cost_is_partial=any(each.cost_is_partial for each in shown),
    )
    return UsageReportShape(days=shown, total=total)


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
