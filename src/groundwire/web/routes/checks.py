"""Citations of an answer compared with their pages: the facts, once more, and the pages."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Path, Query
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from groundwire.checks.records import Snapshot, SourcePage
from groundwire.citations import Marked, Source, canonical_url
from groundwire.conversation import ChatMessage, ChecksState, MessageKind
from groundwire.errors import ConflictError, NotFoundError
from groundwire.web.access import Caller, CallerNeeded, SiteNeeded, find_caller
from groundwire.web.answer_page import REFERRER
from groundwire.web.bodies import Id
from groundwire.web.body_route import BodyRoute
from groundwire.web.check_json import checks_json, source_json
from groundwire.web.conversation_shapes import ChecksShape, SourcePageShape
from groundwire.web.error_responses import RESPONSES
from groundwire.web.shapes import json_response
from groundwire.web.source_page import CitingAnswer, source_page
from groundwire.web.source_text import PASSAGE

if TYPE_CHECKING:
    from groundwire.web.site import Site

router = APIRouter(tags=["checks"], route_class=BodyRoute, responses=RESPONSES)

Number = Annotated[int, Path(ge=1, le=100_000)]
Position = Annotated[int, Query(ge=0, le=10_000_000)]


@router.get(
    "/api/messages/{message_id}/checks",
    response_class=Response,
    responses={200: {"model": ChecksShape}},
)
async def get_checks(message_id: Id, caller: CallerNeeded, site: SiteNeeded) -> Response:
    """Return what the citations of an answer came to; ask again while some are pending."""
    message = await answer_of(caller, message_id)
    return json_response(checks_json(message, await site.program.open_checks.of(message.id)))


@router.post(
    "/api/messages/{message_id}/checks",
    status_code=202,
    response_class=Response,
    responses={202: {"model": ChecksShape}},
)
async def check_again(message_id: Id, caller: CallerNeeded, site: SiteNeeded) -> Response:
    """Compare the citations of an answer once more, with their pages as they are now."""
    message = await answer_of(caller, message_id)
    await site.program.open_checks.again(message)
    again = await answer_of(caller, message_id)
    return json_response(checks_json(again, ()), 202)


@router.get(
    "/api/messages/{message_id}/sources/{number}",
    response_class=Response,
    responses={200: {"model": SourcePageShape}},
)
async def get_source(
    message_id: Id, number: Number, caller: CallerNeeded, site: SiteNeeded
) -> Response:
    """Return a page that an answer cites as it was read, and what its claims came to."""
    message = await answer_of(caller, message_id)
    page = await _page(site, message, number)
    if not page.text:
        raise NotFoundError(f"the page of source {number} of {message_id!r} is not kept")
    return json_response(source_json(page, await site.program.open_checks.of(message.id)))


@router.get("/sources/{message_id}/{number}", include_in_schema=False)
async def show_source(
    *,
    message_id: Id,
    number: Number,
    request: Request,
    site: SiteNeeded,
    position: Position | None = None,
) -> Response:
    """Show a cited page as it was read, at the passage of one of its claims."""
    message = await _answer_or_login(request, message_id, number)
    if isinstance(message, Response):
        return message
    return await _shown(site, message, number, position)


@router.post("/sources/{message_id}/{number}/check", include_in_schema=False)
async def check_source_again(
    *,
    message_id: Id,
    number: Number,
    request: Request,
    site: SiteNeeded,
    position: Position | None = None,
) -> Response:
    """Compare the citations of an answer once more, and show the page again."""
    message = await _answer_or_login(request, message_id, number)
    if isinstance(message, Response):
        return message
    try:
        await site.program.open_checks.again(message)
    except ConflictError as error:
        return await _shown(site, message, number, position, notice=str(error))
    place = "" if position is None else f"?position={position}"
    return RedirectResponse(f"/sources/{message_id}/{number}{place}#{PASSAGE}", 303)


async def _answer_or_login(
    request: Request, message_id: str, number: int
) -> ChatMessage | Response:
    """Return the answer whose source a browser asks for, or the way to sign in."""
    caller = await find_caller(request)
    if caller is None:
        return RedirectResponse(f"/login?next=/sources/{message_id}/{number}", 303)
    return await answer_of(caller, message_id)


async def _shown(
    site: Site, message: ChatMessage, number: int, position: int | None, *, notice: str = ""
) -> Response:
    page = await _page(site, message, number)
    checks = await site.program.open_checks.of(message.id)
    session = await site.store.sessions.get(message.session_id)
    answer = CitingAnswer(
        session_id=session.id,
        workspace_id=session.workspace_id,
        is_comparing=message.checks_state.is_open,
        notice=notice,
    )
    ours = [each for each in checks if each.number == number]
    body = source_page(page, ours, position, answer=answer)
    headers = {"Cache-Control": "private, no-cache", "Referrer-Policy": REFERRER}
    status = 409 if notice else 200
    return Response(body, status, media_type="text/html; charset=utf-8", headers=headers)


async def answer_of(caller: Caller, message_id: str) -> ChatMessage:
    """Return an answer of a session that the caller may see, as a page shows it."""
    message = await caller.message(message_id)
    if message.kind is not MessageKind.AI_RESPONSE:
        raise NotFoundError(f"there is no answer {message_id!r}")
    if message.marked is None and message.checks_state is not ChecksState.NONE:
        shown = await caller.site.program.messages(message.session_id)
        return next((each for each in shown if each.id == message_id), message)
    return message


def source_of(message: ChatMessage, number: int) -> Source:
    """Return a source of an answer.

    Raises:
        NotFoundError: The answer has no such source.
    """
    for source in (message.marked or Marked(text="")).sources:
        if source.number == number:
            return source
    raise NotFoundError(f"there is no source {number} of {message.id!r}")


async def _page(site: Site, message: ChatMessage, number: int) -> SourcePage:
    """Return a source as it was read: to be compared, else when it was opened, else without text.

    Raises:
        NotFoundError: The answer has no such source.
    """
    for compared in await site.store.citation_checks.pages(message.id):
        if compared.number == number:
            return compared
    source = source_of(message, number)
    key = canonical_url(source.url)
    page = SourcePage(message_id=message.id, number=number, url=source.url, title=source.title)
    for kept in await site.store.snapshots.of_message(message.id):
        if key in (canonical_url(kept.url), canonical_url(kept.asked_url)):
            return _as_read(page, kept)
    return page


def _as_read(page: SourcePage, kept: Snapshot) -> SourcePage:
    """Return a source with what was kept of it when it was opened."""
    return replace(
        page,
        url=kept.url,
        title=kept.title,
        text=kept.text,
        text_hash=kept.text_hash,
        is_cut=kept.is_cut,
        about=kept.about,
        read_at=kept.read_at,
    )
