"""One answer on a page of its own, readable without JavaScript."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from groundwire.conversation import MessageKind
from groundwire.errors import NotFoundError
from groundwire.web.access import SiteNeeded, find_caller
from groundwire.web.answer_page import answer_page
from groundwire.web.bodies import Id

router = APIRouter(include_in_schema=False)


@router.get("/answers/{message_id}")
async def show_answer(message_id: Id, request: Request, site: SiteNeeded) -> Response:
    """Show an answer to whoever may see its session."""
    caller = await find_caller(request)
    if caller is None:
        return RedirectResponse(f"/login?next=/answers/{message_id}", 303)
    kept = await site.store.messages.get(message_id)
    session = await caller.session(kept.session_id)
    shown = {each.id: each for each in await site.program.messages(session.id)}
    message = shown.get(message_id)
    if message is None or message.kind is not MessageKind.AI_RESPONSE:
        raise NotFoundError(f"there is no answer {message_id!r}")
    question = shown.get(message.parent_id or "")
    page = answer_page(message, question.content if question else session.title)
    headers = {"Cache-Control": "private, no-cache"}
    return Response(page, media_type="text/html; charset=utf-8", headers=headers)
