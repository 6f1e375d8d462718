"""Answers and chats as files."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Query
from starlette.responses import Response

from groundwire.service.evidence import gathered
from groundwire.web.access import CallerNeeded, SiteNeeded
from groundwire.web.bodies import Id
from groundwire.web.conversation_shapes import FeedbackShape
from groundwire.web.error_responses import RESPONSES
from groundwire.web.export_formats import EXPORT_FORMATS, Exported, ExportFormat, export_format
from groundwire.web.routes.checks import answer_of
from groundwire.web.routes.sessions import session_shape

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.conversation import ChatMessage, Session
    from groundwire.web.site import Site

router = APIRouter(prefix="/api", tags=["exports"], responses=RESPONSES)

Format = Annotated[str, Query(max_length=40, pattern="^[a-z0-9-]+$")]
_FILE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "A file of the format.",
        "content": {each.media_type: {"schema": {"type": "string"}} for each in EXPORT_FORMATS},
    }
}


@router.get("/sessions/{session_id}/export", response_class=Response, responses=_FILE)
async def export_session(
    session_id: Id,
    caller: CallerNeeded,
    site: SiteNeeded,
    format: Format = "markdown",  # noqa: A002 - the name in the URL
) -> Response:
    """Return a session as a file: what was asked, and the answers with their sources."""
    session = await caller.session(session_id)
    form = export_format(format, "chat")
    messages = await site.program.messages(session.id)
    exported = await _exported(site, session, session.id, messages)
    return _file(form, await _with_evidence(site, form, session, exported))


@router.get("/messages/{message_id}/export", response_class=Response, responses=_FILE)
async def export_answer(
    message_id: Id,
    caller: CallerNeeded,
    site: SiteNeeded,
    format: Format = "markdown",  # noqa: A002 - the name in the URL
) -> Response:
    """Return an answer and its question as a file, with its sources."""
    answer = await answer_of(caller, message_id)
    form = export_format(format, "answer")
    session = await caller.session(answer.session_id)
    shown = await site.program.messages(session.id)
    wanted = [each for each in shown if each.id in (answer.id, answer.parent_id)]
    exported = await _exported(site, session, answer.id, wanted)
    return _file(form, await _with_evidence(site, form, session, exported))


async def _exported(
    site: Site, session: Session, name: str, messages: Sequence[ChatMessage]
) -> Exported:
    said = await site.store.feedback.of_session(session.id)
    ids = {each.id for each in messages}
    return Exported(
        id=name,
        title=session.title,
        session=session_shape(site, session).model_dump(mode="json"),
        messages=messages,
        feedback={
            key: FeedbackShape.model_validate(each).model_dump()
            for key, each in said.items()
            if key in ids
        },
    )


async def _with_evidence(
    site: Site, form: ExportFormat, session: Session, exported: Exported
) -> Exported:
    """Return the same with its pages, where a form has them."""
    if not form.has_evidence:
        return exported
    answer_id = "" if exported.id == session.id else exported.id
    dossier = await gathered(site.store, site.program.settings, session, answer_id)
    return replace(exported, dossier=dossier)


def _file(form: ExportFormat, exported: Exported) -> Response:
    name = f"groundwire-{exported.id[:12]}.{form.ending}"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(form.write(exported), media_type=form.media_type, headers=headers)
