"""A password that somebody typed: compared within the limits, wherever it is asked for."""

from __future__ import annotations

import asyncio
import math
from typing import TYPE_CHECKING

from groundwire.web.error_responses import WebError
from groundwire.web.login_limits import LoginAttempt
from groundwire.web.passwords import is_right
from groundwire.web.peer import PEER, Peer, limit_key

if TYPE_CHECKING:
    from starlette.requests import Request

    from groundwire.conversation import User
    from groundwire.web.site import Site


async def is_own_password(
    user: User | None, name: str, password: str, *, request: Request, site: Site, browser: str
) -> bool:
    """Tell whether a password is the one of whoever has this name, None for nobody.

    `browser` is what is kept of a browser that they signed in with before, "" for any other.

    Raises:
        WebError: They were wrong too often, and have to wait.
    """
    attempt = LoginAttempt(name=name, address=address_of(request), browser=browser)
    await site.logins.hear(attempt)
    refuse_haste(site.logins.refused_seconds(attempt))
    slowed = site.logins.slowed_seconds(attempt)
    site.logins.begun(attempt)
    await site.logins.tell(attempt)
    await asyncio.sleep(slowed)
    kept = user.password_hash if user else ""
    if not await is_right(password, kept, is_known=bool(browser)):
        return False
    site.logins.succeeded(attempt)
    await site.logins.tell_success(attempt)
    return True


def refuse_haste(wait: float) -> None:
    """Have whoever was wrong too often wait.

    Raises:
        WebError: There is something to wait for.
    """
    if wait:
        message = "too many failed attempts to sign in: wait before the next one"
        raise WebError(429, message, retry_after_seconds=max(1, math.ceil(wait)))


def address_of(request: Request) -> str:
    """Return by what the address of a request is counted."""
    peer: Peer = request.scope[PEER]
    return limit_key(peer.address)
