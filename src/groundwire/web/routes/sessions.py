"""Sessions: the list, one with its messages, and how to take one away."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Literal

import orjson
from fastapi import APIRouter, Query
from starlette.responses import Response

from groundwire import citations
from groundwire.conversation import ChatMessage, MessageKind, Session
from groundwire.service.open_checks import checks_of
from groundwire.web.access import CallerNeeded, SiteNeeded
from groundwire.web.answer_page import marked_of
from groundwire.web.bodies import Id, NewSession, SessionChange, WorkspaceId
from groundwire.web.body_route import BodyRoute
from groundwire.web.check_json import checks_json
from groundwire.web.conversation_shapes import ConversationShape
from groundwire.web.routes.agents import agent_of
from groundwire.web.shapes import (
    SessionShape,
    SessionsShape,
    json_response,
    message_json,
)

if TYPE_CHECKING:
    from groundwire.web.site import Site

router = APIRouter(prefix="/api/sessions", tags=["sessions"], route_class=BodyRoute)


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
        sessions=[_shape(site, each) for each in page.sessions], next=page.next or None
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
    return _shape(site, await site.store.sessions.create(session))


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
    return json_response(
        {
            "session": _shape(site, session).model_dump(mode="json"),
            "messages": [message_json(each) for each in messages],
            "checks": {
                each.id: checks_json(each, checks_of(kept.get(each.id, ())))
                for each in messages
                if each.checks_state
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
    return _shape(site, await site.store.sessions.get(session.id))


@router.delete("/{session_id}", status_code=204, response_class=Response)
async def delete_session(session_id: Id, caller: CallerNeeded, site: SiteNeeded) -> Response:
    """Remove a session with all that was said; answers that are being made are stopped."""
    session = await caller.session(session_id)
    await site.runs.stop_session(session.id)
    await site.store.sessions.delete(session.id)
    return Response(status_code=204)


@router.get(
    "/{session_id}/export",
    response_class=Response,
    responses={
        200: {
            "description": "The conversation as a file.",
            "content": {
                "text/markdown": {"schema": {"type": "string"}},
                "application/json": {"schema": {"type": "object"}},
            },
        }
    },
)
async def export_session(
    session_id: Id,
    caller: CallerNeeded,
    site: SiteNeeded,
    format: Literal["markdown", "json"] = "markdown",  # noqa: A002 - the name in the URL
) -> Response:
    """Return a session as a file: what was asked, and the answers with their sources."""
    session = await caller.session(session_id)
    messages = await site.program.messages(session.id)
    if format == "json":
        body = orjson.dumps(
            {
                "session": _shape(site, session).model_dump(mode="json"),
                "messages": [message_json(each) for each in messages],
            },
            option=orjson.OPT_INDENT_2,
        )
        return Response(body, media_type="application/json", headers=_as_file(session, "json"))
    text = "\n\n".join([f"# {session.title or 'Conversation'}", *map(_markdown, messages)])
    # As a whole: a block of code that one answer leaves open goes on in the next.
    text = citations.portable(text)
    return Response(f"{text}\n", media_type="text/markdown", headers=_as_file(session, "md"))


def _shape(site: Site, session: Session) -> SessionShape:
    return SessionShape(
        id=session.id,
        title=session.title,
        agent_id=session.agent_id,
        created_at=session.created_at,
        updated_at=session.updated_at,
        is_running=site.runs.is_running(session.id),
    )


def _as_file(session: Session, ending: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="groundwire-{session.id[:12]}.{ending}"'}


def _markdown(message: ChatMessage) -> str:
    if message.kind is MessageKind.USER:
        return f"## Question\n\n{message.content}"
    return f"## Answer\n\n{citations.to_markdown(marked_of(message))}"
