"""What people say of answers: a thumb and a note."""

from __future__ import annotations

from fastapi import APIRouter

from groundwire.conversation import Feedback
from groundwire.redaction import without_keys
from groundwire.web.access import CallerNeeded, SiteNeeded
from groundwire.web.bodies import Id, NewFeedback
from groundwire.web.body_route import BodyRoute
from groundwire.web.conversation_shapes import FeedbackShape
from groundwire.web.error_responses import RESPONSES
from groundwire.web.routes.checks import answer_of

router = APIRouter(
    prefix="/api/messages", tags=["messages"], route_class=BodyRoute, responses=RESPONSES
)


@router.put("/{message_id}/feedback", response_model=FeedbackShape)
async def set_feedback(
    message_id: Id, body: NewFeedback, caller: CallerNeeded, site: SiteNeeded
) -> FeedbackShape:
    """Keep a thumb and a note with an answer, in place of those before."""
    message = await answer_of(caller, message_id)
    note = without_keys(body.note.strip())
    feedback = Feedback(message_id=message.id, rating=body.rating, note=note)
    await site.store.feedback.save(feedback)
    return FeedbackShape.model_validate(feedback)
