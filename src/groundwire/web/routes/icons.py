"""Icons of the sources of an answer: asked for by this server, never by a browser."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from fastapi import APIRouter
from starlette.responses import Response

from groundwire.guard import DomainPolicy
from groundwire.guard.domains import REDIRECT_HOST
from groundwire.library import HOST
from groundwire.search.icons import site_icon
from groundwire.web.access import CallerNeeded, SiteNeeded
from groundwire.web.bodies import Id
from groundwire.web.error_responses import RESPONSES
from groundwire.web.request_guard import STRANGER_POLICY
from groundwire.web.routes.checks import Number, answer_of, source_of

if TYPE_CHECKING:
    from groundwire.citations import Source
    from groundwire.conversation import ChatMessage
    from groundwire.search.icons import Icon
    from groundwire.web.site import Site

router = APIRouter(prefix="/api/messages", tags=["messages"], responses=RESPONSES)

_KEPT = {"Cache-Control": "private, max-age=86400"}


@router.get(
    "/{message_id}/sources/{number}/icon",
    response_class=Response,
    responses={200: {"content": {"image/*": {}}}, 204: {"description": "No icon is shown."}},
)
async def get_icon(
    message_id: Id, number: Number, caller: CallerNeeded, site: SiteNeeded
) -> Response:
    """Return the icon of a source's site; 204 where there is none or `web.source_icons` is off."""
    message = await answer_of(caller, message_id)
    if not site.program.settings.web.source_icons:
        return Response(status_code=204)
    icon = await _icon(site, message, source_of(message, number))
    if icon is None:
        return Response(status_code=204, headers=_KEPT)
    headers = {**_KEPT, "Content-Security-Policy": STRANGER_POLICY}
    return Response(icon.body, media_type=icon.media_type, headers=headers)


async def _icon(site: Site, message: ChatMessage, source: Source) -> Icon | None:
    """Return a source's icon where agents of the answer's workspace may open its site."""
    session = await site.store.sessions.get(message.session_id)
    workspace = await site.store.workspaces.get(session.workspace_id)
    host = urlsplit(source.url).hostname
    if host == HOST or not workspace.web_fetch_enabled:
        return None
    # Google's redirects are all of one host; the source's own is named beside it.
    url = f"https://{source.domain}/" if host == REDIRECT_HOST else source.url
    allowed = DomainPolicy(allowed=workspace.web_allowed_domains)
    return await site_icon(site.program.search_context, url, allowed)
