"""Questions to go on with after an answer."""

from __future__ import annotations

from fastapi import APIRouter

from groundwire.conversation import Status
from groundwire.web.access import CallerNeeded, SiteNeeded
from groundwire.web.bodies import Id
from groundwire.web.error_responses import RESPONSES
from groundwire.web.page_shapes import FollowUpsShape
from groundwire.web.routes.checks import answer_of

router = APIRouter(prefix="/api/messages", tags=["messages"], responses=RESPONSES)


@router.get("/{message_id}/follow-ups", response_model=FollowUpsShape)
async def follow_ups(message_id: Id, caller: CallerNeeded, site: SiteNeeded) -> FollowUpsShape:
    """Return up to three questions to go on with, as `web.follow_ups` of the settings says."""
    answer = await answer_of(caller, message_id)
    if answer.status is not Status.COMPLETE or answer.parent_id is None:
        return FollowUpsShape(questions=[])
    question = await site.store.messages.get(answer.parent_id)
    return FollowUpsShape(questions=await site.follow_ups.of(question, answer))
