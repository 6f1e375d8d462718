"""Who changed which setting."""

from __future__ import annotations

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import AwareDatetime

from groundwire.conversation import Role
from groundwire.store import ALL, Scope
from groundwire.web.access import CallerNeeded, SiteNeeded
from groundwire.web.bodies import WorkspaceId
from groundwire.web.error_responses import RESPONSES
from groundwire.web.shapes import AuditShape

router = APIRouter(prefix="/api/audit", tags=["access"], responses=RESPONSES)


@router.get("", response_model=list[AuditShape])
async def list_changes(
    *,
    caller: CallerNeeded,
    site: SiteNeeded,
    workspace_id: WorkspaceId = None,
    before: AwareDatetime | None = None,
    limit: Annotated[int, Query(ge=1, le=500)] = 100,
) -> list[AuditShape]:
    """List changes of settings, the newest first: of a workspace, or, for the owner, of all."""
    wanted: str | Scope = ALL
    if workspace_id is not None or not caller.is_owner:
        wanted = (await caller.workspace(workspace_id, Role.ADMIN)).id
    found = await site.store.audit.list(workspace_id=wanted, before=before, limit=limit)
    return [AuditShape.model_validate(each) for each in found]
