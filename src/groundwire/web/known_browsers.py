"""Browsers that a user signed in with before: a random cookie, of which only a hash is kept.

It lets nobody in. It only says that whoever types a password here did so before, and so need not
wait for what others did to the name.
"""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from groundwire.conversation import WebSession, now
from groundwire.web.passwords import hash_of, new_secret

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from groundwire.conversation import User
    from groundwire.web.site import Site

BROWSER_COOKIE = "groundwire_browser"
SECURE_BROWSER_COOKIE = "__Host-groundwire_browser"
LASTS = timedelta(days=365)


async def known_browser(request: Request, site: Site, user: User | None) -> str:
    """Return what is kept of a browser that this user signed in with before, "" for any other."""
    given = request.cookies.get(SECURE_BROWSER_COOKIE) or request.cookies.get(BROWSER_COOKIE)
    found = await site.store.web_sessions.find(_kept(given)) if given else None
    return found.id_hash if found and user and found.user_id == user.id else ""


async def remember_browser(user: User, request: Request, site: Site, response: Response) -> None:
    """Give a browser a cookie by which it is known when the user signs in again.

    Always a new one: the one that it has may be another user's, or planted.
    """
    secret = new_secret()
    await site.store.web_sessions.create(
        WebSession(id_hash=_kept(secret), user_id=user.id, expires_at=now() + LASTS)
    )
    names = (BROWSER_COOKIE, SECURE_BROWSER_COOKIE)
    set_cookie(request, response, names=names, secret=secret, lasts=LASTS)


def set_cookie(
    request: Request, response: Response, *, names: tuple[str, str], secret: str, lasts: timedelta
) -> None:
    """Set a cookie for this server alone and no script.

    Of the two names the second is for https, and then it is sent over nothing else.
    """
    is_secure = request.url.scheme == "https"
    response.set_cookie(
        names[is_secure],
        secret,
        max_age=int(lasts.total_seconds()),
        path="/",
        secure=is_secure,
        httponly=True,
        samesite="lax",
    )


def _kept(secret: str) -> str:
    # Beside the sessions, and no hash of one: a browser's cookie is nobody's session.
    return f"browser {hash_of(secret)}"
