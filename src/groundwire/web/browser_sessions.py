"""The session of a browser that signs in: begun with a cookie, ended with it."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING

from groundwire.conversation import WebSession, now
from groundwire.web.access import COOKIE, SECURE_COOKIE
from groundwire.web.known_browsers import set_cookie
from groundwire.web.passwords import hash_of, new_secret

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from groundwire.conversation import User
    from groundwire.web.site import Site

LASTS = timedelta(days=30)


async def begin_session(
    user: User, request: Request, site: Site, response: Response, *, lasts: timedelta = LASTS
) -> None:
    """Give a reply the cookie of a new session; a browser never keeps an older one's id."""
    secret = new_secret()
    # Nobody will come back for these, and no other moment would remove them.
    await site.store.web_sessions.delete_expired()
    await site.store.web_sessions.create(
        WebSession(id_hash=hash_of(secret), user_id=user.id, expires_at=now() + lasts)
    )
    names = (COOKIE, SECURE_COOKIE)
    set_cookie(request, response, names=names, secret=secret, lasts=lasts)


async def end_session(request: Request, site: Site) -> None:
    """Sign out whoever is signed in with this browser."""
    for name in (COOKIE, SECURE_COOKIE):
        if secret := request.cookies.get(name):
            await site.store.web_sessions.delete(hash_of(secret))


def clear_cookies(response: Response, *names: str) -> None:
    """Have a browser forget cookies of ours."""
    for name in names:
        is_secure = name.startswith("__Host-")
        response.delete_cookie(name, path="/", secure=is_secure, httponly=True)
