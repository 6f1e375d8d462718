"""The page itself: its files, and the addresses at which it is shown."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from groundwire.errors import NotFoundError
from groundwire.web.access import SiteNeeded
from groundwire.web.demo_bar import with_bar
from groundwire.web.page_files import PageFile, PageFiles
from groundwire.web.site import Site

router = APIRouter(include_in_schema=False)

_FILES = PageFiles()


@router.api_route("/", methods=["GET", "HEAD"])
@router.api_route("/s/{session_id}", methods=["GET", "HEAD"])
async def chat(request: Request, site: SiteNeeded) -> Response:
    """Show the chat; what is shown in it follows from the address."""
    return _reply(request, _page(site, "index.html"))


@router.api_route("/settings", methods=["GET", "HEAD"])
@router.api_route("/settings/{section}", methods=["GET", "HEAD"])
async def settings(request: Request, site: SiteNeeded) -> Response:
    """Show the settings."""
    return _reply(request, _page(site, "settings.html", "index.html"))


@router.api_route("/login", methods=["GET", "HEAD"])
async def login(request: Request) -> Response:
    """Show where to sign in."""
    return _reply(request, _FILES.first("login.html", "index.html"))


@router.api_route("/setup", methods=["GET", "HEAD"])
async def setup(request: Request) -> Response:
    """Show where the first user is made."""
    return _reply(request, _FILES.first("setup.html", "login.html", "index.html"))


@router.api_route("/page/{name:path}", methods=["GET", "HEAD"])
async def page_file(name: str, request: Request) -> Response:
    """Return a file of the page."""
    return _reply(request, _FILES.get(name))


def _page(site: Site, *names: str) -> PageFile | None:
    page = _FILES.first(*names)
    return with_bar(page, site.options.demo) if page and site.options.demo else page


def _reply(request: Request, file: PageFile | None) -> Response:
    """Return a file, or that the browser has it already.

    A file asked for by its version (`?v=`) never changes; any other is asked for again each time,
    which costs a reply without a body.
    """
    if file is None:
        raise NotFoundError(f"there is no page {request.url.path!r}")
    is_packed = bool(file.packed) and "gzip" in request.headers.get("accept-encoding", "")
    tag = f'"{file.version}{"-gz" if is_packed else ""}"'
    is_fixed = request.query_params.get("v") == file.version
    headers = {
        "ETag": tag,
        "Vary": "Accept-Encoding",
        "Cache-Control": "public, max-age=31536000, immutable" if is_fixed else "no-cache",
    }
    known = [each.strip() for each in request.headers.get("if-none-match", "").split(",")]
    if tag in known or f"W/{tag}" in known:
        return Response(status_code=304, headers=headers)
    if is_packed:
        headers["Content-Encoding"] = "gzip"
    body = file.packed if is_packed else file.body
    return Response(body, media_type=file.media_type, headers=headers)
