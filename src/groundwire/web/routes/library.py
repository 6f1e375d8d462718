"""Documents of the library, which have an address of the web and no server but this one."""

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
from groundwire.web.library_page import library_page

if TYPE_CHECKING:
    from groundwire.config.settings import Settings
    from groundwire.model import Page

router = APIRouter(include_in_schema=False)


@router.get("/library/{path:path}")
async def show_document(
    path: str, request: Request, site: SiteNeeded, passage: str = ""
) -> Response:
    """Show a document that an answer cites, at a passage, to whoever is let in."""
    if await find_caller(request) is None:
        return RedirectResponse("/login", 303)
    url = f"https://{HOST}/{path}"
    page = await asyncio.to_thread(_read, url, site.program.settings)
    if page is None:
        raise NotFoundError(f"the library has no document {url!r}")
    if target_of(url):
        return RedirectResponse(_place_of(page.url, request.url.query))
    headers = {"Cache-Control": "private, no-cache"}
    body = library_page(page, passage)
    return Response(body, media_type="text/html; charset=utf-8", headers=headers)


def _place_of(url: str, query: str) -> str:
    """Return where a document is opened: here, or at its own address if it has one elsewhere."""
    here = f"https://{HOST}/"
    if not url.startswith(here):
        return url
    return f"/library/{url.removeprefix(here)}{'?' if query else ''}{query}"


def _read(url: str, settings: Settings) -> Page | None:
    options = library_options(settings)
    if not library_path(options).exists():
        return None
    with open_library(options) as library:
        return library.read(url)
