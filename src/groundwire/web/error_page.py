"""A failure as a page, for a person who opened an address that leads nowhere."""

from __future__ import annotations

from html import escape
from typing import TYPE_CHECKING
from urllib.parse import quote

from starlette.responses import HTMLResponse

from groundwire.web.answer_page import plain_page

if TYPE_CHECKING:
    from collections.abc import Mapping

    from starlette.requests import Request
    from starlette.responses import Response

_FOR_PROGRAMS = ("/api/", "/v1/", "/v1beta/", "/page/")
_TITLES = {
    401: "Sign in to see this",
    403: "This is not open to you",
    404: "There is nothing here",
    429: "Too many requests",
}
_OTHERWISE = "That did not work"
NO_ROUTE = "Not Found"
_MISTYPED = "No page has this address. It may have been deleted, or mistyped."


def wants_page(request: Request) -> bool:
    """Tell whether a browser asks for something to look at: programs get JSON."""
    is_browser = "text/html" in request.headers.get("accept", "")
    return is_browser and not request.url.path.startswith(_FOR_PROGRAMS)


def error_page(request: Request, status: int, message: str, headers: Mapping[str, str]) -> Response:
    """Return what went wrong in words, and the way on."""
    path, label = "/", "To the chat"
    if status == 401:
        path, label = f"/login?next={quote(request.url.path)}", "Sign in"
    words = _MISTYPED if message == NO_ROUTE else f"{message[:1].upper()}{message[1:]}"
    body = f'<p class="note">{escape(words)}</p><p><a class="button" href="{path}">{label}</a></p>'
    title = _TITLES.get(status, _OTHERWISE)
    return HTMLResponse(plain_page(title, body, styles=("error.css",)), status, dict(headers))
