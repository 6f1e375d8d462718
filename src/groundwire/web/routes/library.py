"""Documents of libraries, which have an address of the web and no server but this one."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from groundwire.errors import NotFoundError
from groundwire.library import HOST, library_path, open_library
from groundwire.library.addresses import target_of
from groundwire.service.documentation import library_options
from groundwire.web.access import SiteNeeded, find_caller
from groundwire.web.bodies import WorkspaceId
from groundwire.web.library_page import library_page

if TYPE_CHECKING:
    from collections.abc import Sequence

    from groundwire.config.settings import Settings
    from groundwire.conversation import Workspace
    from groundwire.model import Page
    from groundwire.web.access import Caller

router = APIRouter(include_in_schema=False)


@router.get("/library/{path:path}")
async def show_document(
    *,
    path: str,
    request: Request,
    site: SiteNeeded,
    passage: str = "",
    workspace_id: WorkspaceId = None,
) -> Response:
    """Show a document that an answer cites, at a passage, to whoever is in its workspace."""
    caller = await find_caller(request)
    if caller is None:
        return RedirectResponse("/login", 303)
    url = f"https://{HOST}/{path}"
    spaces = await _spaces(caller, workspace_id)
    page = await asyncio.to_thread(_read, url, site.program.settings, spaces)
    if page is None:
        raise NotFoundError(f"the library has no document {url!r}")
    if target_of(url):
        return RedirectResponse(_place_of(page.url, request.url.query))
    headers = {"Cache-Control": "private, no-cache"}
    body = library_page(page, passage)
    return Response(body, media_type="text/html; charset=utf-8", headers=headers)


async def _spaces(caller: Caller, workspace_id: str | None) -> Sequence[Workspace]:
    """Return whose libraries are looked into: the named workspace's, else each of the caller's.

    What was cited before links named a workspace is found so, and nothing of anybody else's.
    """
    if workspace_id is not None:
        return [await caller.workspace(workspace_id)]
    return [workspace for workspace, _ in await caller.workspaces()]


def _place_of(url: str, query: str) -> str:
    """Return where a document is opened: here, or at its own address if it has one elsewhere."""
    here = f"https://{HOST}/"
    if not url.startswith(here):
        return url
    return f"/library/{url.removeprefix(here)}{'?' if query else ''}{query}"


def _read(url: str, settings: Settings, spaces: Sequence[Workspace]) -> Page | None:
    for workspace in spaces:
        options = library_options(settings, workspace.library)
        if not library_path(options).exists():
            continue
        with open_library(options) as library:
            if page := library.read(url):
                return page
    return None
