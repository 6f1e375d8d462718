"""Agents: somebody to talk to."""

from __future__ import annotations

from dataclasses import replace

from fastapi import APIRouter
from starlette.responses import Response

from groundwire.conversation import Agent, Role
from groundwire.errors import ConflictError, NotFoundError
from groundwire.web.access import Caller, CallerNeeded, SiteNeeded
from groundwire.web.bodies import AgentChange, Id, NewAgent, WorkspaceId
from groundwire.web.body_route import BodyRoute
from groundwire.web.error_responses import RESPONSES, WebError
from groundwire.web.shapes import AgentShape

router = APIRouter(
    prefix="/api/agents", tags=["agents"], route_class=BodyRoute, responses=RESPONSES
)

_MAY_BE_NONE = ("preferred_provider_id", "preferred_model_id", "temperature")


@router.get("", response_model=list[AgentShape])
async def list_agents(
    caller: CallerNeeded, site: SiteNeeded, workspace_id: WorkspaceId = None
) -> list[AgentShape]:
    """List the agents of a workspace."""
    workspace = await caller.workspace(workspace_id)
    return [AgentShape.model_validate(each) for each in await site.store.agents.list(workspace.id)]


@router.post("", response_model=AgentShape, status_code=201)
async def add_agent(
    body: NewAgent, caller: CallerNeeded, site: SiteNeeded, workspace_id: WorkspaceId = None
) -> AgentShape:
    """Add an agent."""
    workspace = await caller.workspace(body.workspace_id or workspace_id, Role.ADMIN)
    given = {**body.model_dump(), "workspace_id": workspace.id}
    agent = await site.store.agents.create(Agent(**given))
    await caller.note("added", f"agent {agent.name}", workspace.id, after=body.model_dump())
    return AgentShape.model_validate(agent)


@router.get("/{agent_id}", response_model=AgentShape)
async def get_agent(agent_id: Id, caller: CallerNeeded) -> AgentShape:
    """Return an agent."""
    return AgentShape.model_validate(await agent_of(caller, agent_id))


@router.patch("/{agent_id}", response_model=AgentShape)
async def change_agent(
    agent_id: Id, body: AgentChange, caller: CallerNeeded, site: SiteNeeded
) -> AgentShape:
    """Change an agent."""
    before = await agent_of(caller, agent_id, Role.ADMIN)
    sent = body.model_dump(exclude_unset=True)
    given = {k: v for k, v in sent.items() if v is not None or k in _MAY_BE_NONE}
    after = await site.store.agents.update(replace(before, **given))
    await caller.note_change("agent", given, before, after)
    return AgentShape.model_validate(after)


@router.delete("/{agent_id}", status_code=204, response_class=Response)
async def delete_agent(agent_id: Id, caller: CallerNeeded, site: SiteNeeded) -> Response:
    """Remove an agent that has no sessions."""
    agent = await agent_of(caller, agent_id, Role.ADMIN)
    if agent.is_built_in:
        raise ConflictError(f"{agent.name!r} is built in and cannot be deleted")
    await site.store.agents.delete(agent.id)
    await caller.note("removed", f"agent {agent.name}", agent.workspace_id)
    return Response(status_code=204)


async def agent_of(caller: Caller, agent_id: str, need: Role = Role.MEMBER) -> Agent:
    """Return an agent of a workspace that the caller is in.

    Raises:
        NotFoundError: There is none that they may know of.
        WebError: Their role is not enough.
    """
    agent = await caller.site.store.agents.get(agent_id)
    role = await caller.role_in(agent.workspace_id)
    if role is None:
        raise NotFoundError(f"there is no agent {agent_id!r}")
    if role is not need is Role.ADMIN:
        raise WebError(403, f"only an admin of its workspace may change the agent {agent.name!r}")
    return agent
