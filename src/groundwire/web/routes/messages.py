"""Messages: sent, answered as a stream, stopped, and read again."""

from __future__ import annotations

import base64
from contextlib import suppress
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Header, Query
from starlette.responses import Response

from groundwire.conversation import ChatMessage, Status
from groundwire.errors import ConflictError, NotFoundError
from groundwire.web.access import Caller, CallerNeeded, SiteNeeded
from groundwire.web.bodies import Decisions, Id, NewMessage
from groundwire.web.body_route import BodyRoute
from groundwire.web.error_responses import RESPONSES, stopping
from groundwire.web.frames import done_frame, started_frame
from groundwire.web.live_turns import LiveTurn
from groundwire.web.request_guard import LINKS_POLICY, STRANGER_POLICY
from groundwire.web.routes.agents import agent_of
from groundwire.web.stream_responses import LiveTurnResponse, TurnEndResponse
from groundwire.web.turns import Turns, ended

if TYPE_CHECKING:
    from groundwire.web.site import Site

router = APIRouter(tags=["messages"], route_class=BodyRoute, responses=RESPONSES)

_EVENTS: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "The turn as an event stream: `id`, `event` and JSON `data` each.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}
_SHOWN_INLINE = ("image/png", "image/jpeg", "image/gif", "image/webp")


@router.post("/api/agents/{agent_id}/message", response_class=Response, responses=_EVENTS)
@router.post("/agents/{agent_id}/message", response_class=Response, responses=_EVENTS)
async def send_message(
    agent_id: Id, body: NewMessage, caller: CallerNeeded, site: SiteNeeded
) -> Response:
    """Send a message and stream its answer; the turn goes on when the reader leaves.

    The same `client_id` again attaches to the same turn.
    """
    return await _stream(await Turns(caller).send(agent_id, body), caller, site)


@router.post("/api/agents/{agent_id}/approve", response_class=Response, responses=_EVENTS)
@router.post("/agents/{agent_id}/approve", response_class=Response, responses=_EVENTS)
async def approve(
    agent_id: Id, body: Decisions, caller: CallerNeeded, site: SiteNeeded
) -> Response:
    """Say which calls of tools may run, and stream the turn as it goes on.

    The same decisions again attach to the same turn.
    """
    agent = await agent_of(caller, agent_id)
    return await _stream(await Turns(caller).approve(agent, body), caller, site)


@router.get(
    "/api/messages/{message_id}/events",
    response_class=Response,
    responses={**_EVENTS, 204: {"description": "It does not run; the session has the answer."}},
)
async def events(
    *,
    message_id: Id,
    caller: CallerNeeded,
    site: SiteNeeded,
    after: Annotated[int | None, Query(ge=0, le=2**53)] = None,
    last_event_id: Annotated[str | None, Header(max_length=20)] = None,
) -> Response:
    """Stream a running, or just ended, turn from an event on."""
    message = await caller.message(message_id)
    header = last_event_id or ""
    number = after if after is not None else int(header) if header.isdecimal() else 0
    if run := site.live_turns.of_message(message_id):
        return LiveTurnResponse(run, site.options, number)
    if message.status is Status.STREAMING:
        return await _elsewhere(message_id, caller, number)
    if site.elsewhere is not None and (copy := await site.elsewhere.turn(message_id)):
        return LiveTurnResponse(copy, site.options, number)
    return Response(status_code=204)


@router.post("/api/messages/{message_id}/stop", status_code=204, response_class=Response)
async def stop(message_id: Id, caller: CallerNeeded, site: SiteNeeded) -> Response:
    """Stop a turn; what there is of the answer stays."""
    message = await caller.message(message_id)
    if run := site.live_turns.of_message(message_id):
        await site.live_turns.stop(run)
    elif message.status is Status.STREAMING and not await _stop_elsewhere(site, message_id):
        raise ConflictError("this answer is in progress on another machine: stop it there")
    return Response(status_code=204)


async def _stop_elsewhere(site: Site, message_id: str) -> bool:
    if await site.siblings.stop(message_id):
        return True
    return site.elsewhere is not None and await site.elsewhere.stop(message_id)


@router.get(
    "/api/messages/{message_id}/suggestions",
    response_class=Response,
    responses={200: {"content": {"text/html": {"schema": {"type": "string"}}}}},
)
async def suggestions(message_id: Id, caller: CallerNeeded) -> Response:
    """Return Google's search suggestions, a stranger's HTML, for a frame that can open links."""
    message = await caller.message(message_id)
    if not message.suggestions:
        raise NotFoundError("this answer has no search suggestions")
    headers = {"Content-Security-Policy": LINKS_POLICY}
    # As Google gives it, save that links leave the frame, which may show nobody else's page.
    html = f'<base target="_blank">{message.suggestions}'
    return Response(html, media_type="text/html; charset=utf-8", headers=headers)


@router.get(
    "/api/attachments/{attachment_id}",
    response_class=Response,
    responses={200: {"content": {"application/octet-stream": {"schema": {"type": "string"}}}}},
)
async def attachment(attachment_id: Id, caller: CallerNeeded, site: SiteNeeded) -> Response:
    """Return a file that was sent with a message."""
    message_id, _, position = attachment_id.rpartition(".")
    if not position.isascii() or not position.isdecimal() or len(position) > 4:
        raise NotFoundError(f"there is no attachment {attachment_id!r}")
    await caller.message(message_id)
    found = await site.store.messages.attachment(message_id, int(position))
    is_shown = found.mime_type in _SHOWN_INLINE
    return Response(
        base64.b64decode(found.base64_data),
        media_type=found.mime_type if is_shown else "application/octet-stream",
        headers={
            "Content-Security-Policy": STRANGER_POLICY,
            "Content-Disposition": "inline" if is_shown else "attachment",
        },
    )


async def _stream(turn: LiveTurn | ChatMessage, caller: Caller, site: Site) -> Response:
    if isinstance(turn, LiveTurn):
        return LiveTurnResponse(turn, site.options)
    return await _elsewhere(turn.id, caller, 0, turn)


async def _elsewhere(
    message_id: str, caller: Caller, after: int, turn: ChatMessage | None = None
) -> Response:
    """Return the events of a turn of another process; of one on another machine only the end."""
    site = caller.site
    if relayed := await site.siblings.events(message_id, after):
        return relayed
    if site.elsewhere is not None and (copy := await site.elsewhere.turn(message_id)):
        return LiveTurnResponse(copy, site.options, after)
    if site.is_closing:
        raise stopping()
    if turn is None:
        return TurnEndResponse(_last(caller, message_id, after + 1), site.options, b"")
    return TurnEndResponse(_last(caller, turn.id, 2), site.options, started_frame(turn))


async def _last(caller: Caller, message_id: str, number: int) -> bytes:
    """Return the last event, nothing where nobody knows it: a reader then asks again."""
    with suppress(NotFoundError):  # Its session was deleted meanwhile.
        if message := await ended(caller, message_id):
            return done_frame(number, message)
    return b""
