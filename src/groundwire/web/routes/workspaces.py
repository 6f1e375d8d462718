"""Workspaces, and where their agents may go on the web."""

from __future__ import annotations

import asyncio
from dataclasses import replace

from fastapi import APIRouter
from starlette.responses import Response

from groundwire.chat.answer_checks import NO_JUDGE
from groundwire.conversation import Membership, Role, Workspace
from groundwire.conversation.quota import Quota
from groundwire.library import remove_library
from groundwire.service.actor import check_owner
from groundwire.service.documentation import library_options
from groundwire.service.first_start import first_start
from groundwire.web.access import CallerNeeded, OwnerNeeded, SiteNeeded
from groundwire.web.bodies import Id, NewWorkspace, WorkspaceChange
from groundwire.web.body_route import BodyRoute
from groundwire.web.error_responses import RESPONSES
from groundwire.web.routes.services import check_judge
from groundwire.web.shapes import WorkspaceShape

router = APIRouter(
    prefix="/api/workspaces", tags=["workspaces"], route_class=BodyRoute, responses=RESPONSES
)


@router.get("", response_model=list[WorkspaceShape])
async def list_workspaces(caller: CallerNeeded) -> list[WorkspaceShape]:
    """List the workspaces that the caller is in."""
    return [WorkspaceShape.model_validate(each) for each, _ in await caller.workspaces()]


@router.post("", response_model=WorkspaceShape, status_code=201)
async def add_workspace(
    body: NewWorkspace, caller: OwnerNeeded, site: SiteNeeded
) -> WorkspaceShape:
    """Add a workspace."""
    workspace = await site.store.workspaces.create(Workspace(name=body.name))
    if caller.user is not None:
        await site.store.memberships.set(
            Membership(user_id=caller.user.id, workspace_id=workspace.id, role=Role.ADMIN)
        )
    await caller.note("added", f"workspace {workspace.name}", workspace.id)
    return WorkspaceShape.model_validate(workspace)


@router.get("/{workspace_id}", response_model=WorkspaceShape)
async def get_workspace(workspace_id: Id, caller: CallerNeeded) -> WorkspaceShape:
    """Return a workspace."""
    return WorkspaceShape.model_validate(await caller.workspace(workspace_id))


@router.patch("/{workspace_id}", response_model=WorkspaceShape)
async def change_workspace(
    workspace_id: Id, body: WorkspaceChange, caller: CallerNeeded, site: SiteNeeded
) -> WorkspaceShape:
    """Change a workspace; every bad domain is named with its reason. Quotas are the owner's."""
    before = await caller.workspace(workspace_id, Role.ADMIN)
    given = body.model_dump(exclude_none=True)
    if body.quotas is not None:
        # What the server spends is for whoever pays for it to say.
        check_owner(caller.actor)
        given["quotas"] = Quota(**body.quotas.model_dump())
    if body.citation_judge not in (None, NO_JUDGE):
        await check_judge(body.citation_judge, site)
    if body.web_allowed_domains is not None:
        lines = (line.strip() for line in body.web_allowed_domains)
        given["web_allowed_domains"] = tuple(line for line in lines if line)
    after = await site.store.workspaces.update(replace(before, **given))
    await caller.note_change("workspace", given, before, after)
    return WorkspaceShape.model_validate(after)


@router.delete("/{workspace_id}", status_code=204, response_class=Response)
async def delete_workspace(workspace_id: Id, caller: OwnerNeeded, site: SiteNeeded) -> Response:
    """Remove a workspace with its agents, sessions, members, tokens and library."""
    workspace = await caller.workspace(workspace_id, Role.ADMIN)
    await site.store.workspaces.delete(workspace.id)
    options = library_options(site.program.settings, workspace.library)
    await asyncio.to_thread(remove_library, options)
    # The built-in agents may have gone with it.
    await first_start(site.store)
    await caller.note("removed", f"workspace {workspace.name}")
    return Response(status_code=204)
