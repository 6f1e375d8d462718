"""Sessions: the list, one with its messages, and how to take one away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Query
from starlette.responses import Response

from groundwire.conversation import Session
from groundwire.service.open_checks import checks_of
from groundwire.web.access import CallerNeeded, SiteNeeded
from groundwire.web.bodies import Id, NewSession, SessionChange, WorkspaceId
from groundwire.web.body_route import BodyRoute
from groundwire.web.check_json import checks_json
from groundwire.web.conversation_shapes import ConversationShape, FeedbackShape
from groundwire.web.error_responses import RESPONSES
from groundwire.web.routes.agents import agent_of
from groundwire.web.shapes import SessionShape, SessionsShape, json_response, message_json

if TYPE_CHECKING:
    from groundwire.web.site import Site

router = APIRouter(
    prefix="/api/sessions", tags=["sessions"], route_class=BodyRoute, responses=RESPONSES
)


@router.get("", response_model=SessionsShape)
async def list_sessions(
    *,
    caller: CallerNeeded,
    site: SiteNeeded,
    workspace_id: WorkspaceId = None,
    query: Annotated[str, Query(max_length=200)] = "",
    limit: Annotated[int, Query(ge=1, le=200)] = 50,
    before: Annotated[str, Query(max_length=200)] = "",
) -> SessionsShape:
    """List the caller's sessions, the newest first; `query` is looked for in all that was said."""
    workspace = await caller.workspace(workspace_id)
    page = await site.store.sessions.list(
        workspace.id,
        user_id=caller.user_id,
        text=query.replace("\x00", ""),
        limit=limit,
        cursor=before,
    )
    return SessionsShape(
        sessions=[session_shape(site, each) for each in page.sessions], next=page.next or None
    )


@router.post("", response_model=SessionShape, status_code=201)
async def add_session(
    body: NewSession, caller: CallerNeeded, site: SiteNeeded, workspace_id: WorkspaceId = None
) -> SessionShape:
    """Begin an empty session."""
    if body.agent_id is not None:
        agent = await agent_of(caller, body.agent_id)
    else:
        workspace = await caller.workspace(body.workspace_id or workspace_id)
        agents = await site.store.agents.list(workspace.id)
        agent = await agent_of(caller, agents[0].id if agents else "")
    session = Session(
        workspace_id=agent.workspace_id,
        agent_id=agent.id,
        user_id=caller.user_id,
        title=body.title,
    )
    return session_shape(site, await site.store.sessions.create(session))


@router.get(
    "/{session_id}",
    response_class=Response,
    responses={200: {"model": ConversationShape}},
)
async def get_session(session_id: Id, caller: CallerNeeded, site: SiteNeeded) -> Response:
    """Return a session with its messages in order; edits and retries are branches."""
    session = await caller.session(session_id)
    messages = await site.program.messages(session.id)
    kept = await site.store.citation_checks.of_session(session.id)
    said = await site.store.feedback.of_session(session.id)
    return json_response(
        {
            "session": session_shape(site, session).model_dump(mode="json"),
            "workspace_id": session.workspace_id,
            "messages": [message_json(each) for each in messages],
            "checks": {
                each.id: checks_json(each, checks_of(kept.get(each.id, ())))
                for each in messages
                if each.checks_state
            },
            "feedback": {
                key: FeedbackShape.model_validate(each).model_dump() for key, each in said.items()
            },
            "leaf_id": messages[-1].id if messages else None,
        }
    )


@router.patch("/{session_id}", response_model=SessionShape)
async def rename_session(
    session_id: Id, body: SessionChange, caller: CallerNeeded, site: SiteNeeded
) -> SessionShape:
    """Give a session another title."""
    session = await caller.session(session_id)
    await site.store.sessions.rename(session.id, body.title)
    return session_shape(site, await site.store.sessions.get(session.id))


@router.delete("/{session_id}", status_code=204, response_class=Response)
async def delete_session(session_id: Id, caller: CallerNeeded, site: SiteNeeded) -> Response:
    """Remove a session with all that was said; answers in progress are stopped."""
    session = await caller.session(session_id)
    await site.live_turns.stop_session(session.id)
    await site.store.sessions.delete(session.id)
    return Response(status_code=204)


def session_shape(site: Site, session: Session) -> SessionShape:
    """Return a session, with whether an answer is being made in it here."""
    return SessionShape(
        id=session.id,
        title=session.title,
        agent_id=session.agent_id,
        created_at=session.created_at,
        updated_at=session.updated_at,
        is_running=site.live_turns.is_running(session.id),
    )
