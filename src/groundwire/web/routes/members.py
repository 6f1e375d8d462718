"""Who is what in a workspace."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from groundwire.conversation import Membership, Role
from groundwire.web.access import CallerNeeded, PersonNeeded, SiteNeeded
from groundwire.web.bodies import Id, NewRole
from groundwire.web.body_route import BodyRoute
from groundwire.web.error_responses import RESPONSES
from groundwire.web.shapes import MemberShape

router = APIRouter(
    prefix="/api/workspaces/{workspace_id}/members",
    tags=["access"],
    route_class=BodyRoute,
    responses=RESPONSES,
)


@router.get("", response_model=list[MemberShape])
async def list_members(
    workspace_id: Id, caller: CallerNeeded, site: SiteNeeded
) -> list[MemberShape]:
    """List the members of a workspace."""
    workspace = await caller.workspace(workspace_id, Role.ADMIN)
    names = {user.id: user.name for user in await site.store.users.list()}
    return [
        MemberShape(user_id=each.user_id, name=names.get(each.user_id, ""), role=each.role)
        for each in await site.store.memberships.of_workspace(workspace.id)
    ]


@router.put("/{user_id}", response_model=MemberShape)
async def set_role(
    *, workspace_id: Id, user_id: Id, body: NewRole, caller: PersonNeeded, site: SiteNeeded
) -> MemberShape:
    """Give a user a role in a workspace, in place of the one they had."""
    workspace = await caller.workspace(workspace_id, Role.ADMIN)
    user = await site.store.users.get(user_id)
    before = await site.store.memberships.role(user.id, workspace.id)
    await site.store.memberships.set(
        Membership(user_id=user.id, workspace_id=workspace.id, role=body.role)
    )
    await caller.note(
        "set the role of", f"member {user.name}", workspace.id, before=before, after=body.role
    )
    return MemberShape(user_id=user.id, name=user.name, role=body.role)


@router.delete("/{user_id}", status_code=204, response_class=Response)
async def remove_member(
    workspace_id: Id, user_id: Id, caller: PersonNeeded, site: SiteNeeded
) -> Response:
    """Take a user out of a workspace."""
    workspace = await caller.workspace(workspace_id, Role.ADMIN)
    user = await site.store.users.get(user_id)
    before = await site.store.memberships.role(user.id, workspace.id)
    await site.store.memberships.remove(user.id, workspace.id)
    await caller.note("removed", f"member {user.name}", workspace.id, before=before)
    return Response(status_code=204)
