"""Single sign-on: to the provider and back, and connecting the account of a user."""

from __future__ import annotations

import math
from datetime import timedelta
from hmac import compare_digest
from typing import Annotated

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from groundwire.errors import ConfigError
from groundwire.redaction import redact
from groundwire.service.logs import REQUEST_ID
from groundwire.web.access import PersonNeeded, SiteNeeded, find_caller, has_no_users
from groundwire.web.browser_sessions import begin_session, clear_cookies, end_session
from groundwire.web.error_responses import RESPONSES, WebError
from groundwire.web.known_browsers import set_cookie
from groundwire.web.page_shapes import LeadShape
from groundwire.web.peer import PEER, Peer, limit_key
from groundwire.web.site import Site, public_url
from groundwire.web.sso.attempt import (
    COOKIE,
    LASTS,
    SECURE_COOKIE,
    SignInAttempt,
    decoded,
    own_path,
)
from groundwire.web.sso.refusal import SignInRefusedError, refusal_page

router = APIRouter(tags=["access"], responses=RESPONSES)

_Word = Annotated[str, Query(max_length=8_000)]
_DENIED = {
    "access_denied": "the sign-in service did not let you in, or you cancelled: try again, or "
    "sign in with a password",
    "temporarily_unavailable": "the sign-in service is not available: try again in a moment",
    "server_error": "the sign-in service failed: try again in a moment",
}
_OTHER_DENIAL = (
    "the sign-in service refused this server's request: tell the owner of this server, and sign "
    "in with a password meanwhile"
)


@router.get("/sso/login", include_in_schema=False)
async def login(request: Request, site: SiteNeeded, next: _Word = "/") -> Response:  # noqa: A002 - its name in the URL
    """Send a browser to the provider."""
    try:
        await _check_owned(site)
        attempt = SignInAttempt(redirect_uri=_redirect_uri(request, site), next_path=own_path(next))
        return await _sent_away(attempt, request, site)
    except (WebError, ConfigError) as error:
        return _page(error)


@router.get("/sso/callback", include_in_schema=False)
async def callback(
    *,
    request: Request,
    site: SiteNeeded,
    code: _Word = "",
    state: _Word = "",
    iss: _Word = "",
    error: _Word = "",
) -> Response:
    """Sign in whom the provider sends back."""
    try:
        attempt = _own_attempt(request, state)
        if error or not code:
            message = _DENIED.get(error, _OTHER_DENIAL)
            raise SignInRefusedError(403, message, code=error if error in _DENIED else "refused")
        response = await _finished(code, iss, attempt, request=request, site=site)
    except (WebError, ConfigError) as refused:
        response = _page(refused)
    clear_cookies(response, COOKIE, SECURE_COOKIE)
    return response


@router.post("/api/sso/connect", response_model=LeadShape)
async def connect(
    request: Request, caller: PersonNeeded, site: SiteNeeded, response: Response
) -> LeadShape:
    """Begin to connect the caller's account at the provider; `next` is where to go for it."""
    if caller.user is None:
        raise WebError(409, "there are no users yet: make the first one with the setup link")
    attempt = SignInAttempt(
        redirect_uri=_redirect_uri(request, site),
        next_path="/settings",
        user_id=caller.user.id,
    )
    lead = await (await site.sign_on.provider()).authorization_url(attempt)
    _remember(attempt, request, response)
    return LeadShape(next=lead)


async def _sent_away(attempt: SignInAttempt, request: Request, site: Site) -> Response:
    provider = await site.sign_on.provider()
    response = RedirectResponse(await provider.authorization_url(attempt), 303)
    response.headers["cache-control"] = "no-store"
    _remember(attempt, request, response)
    return response


async def _finished(
    code: str, issuer: str, attempt: SignInAttempt, *, request: Request, site: Site
) -> Response:
    """Return the reply that signs in, or connects, whoever brought a code."""
    peer: Peer = request.scope[PEER]
    address = limit_key(peer.address)
    if wait := site.sign_on_failures.wait_seconds(address):
        message = "too many failed attempts to sign in: wait before the next one"
        raise WebError(429, message, retry_after_seconds=max(1, math.ceil(wait)))
    await _check_owned(site)
    try:
        person = await site.sign_on.person(code, issuer, attempt)
    except WebError:
        # Each costs the provider a request or two; a company behind one address signs in at nine.
        site.sign_on_failures.failed(address)
        raise
    response = RedirectResponse(attempt.next_path, 303)
    response.headers["cache-control"] = "no-store"
    if attempt.user_id:
        caller = await find_caller(request)
        if caller is None or caller.user is None or caller.user.id != attempt.user_id:
            raise SignInRefusedError(
                403, "you signed out meanwhile: sign in with your password and connect again"
            )
        await site.sign_on.connect(person, caller.user)
    else:
        user = await site.sign_on.user_of(person)
        await end_session(request, site)
        lasts = timedelta(hours=site.program.settings.sso.session_hours)
        await begin_session(user, request, site, response, lasts=lasts)
    return response


async def _check_owned(site: Site) -> None:
    """Refuse a sign-in before there is an owner: the first user of all is made by the setup."""
    if await has_no_users(site):
        raise SignInRefusedError(
            409,
            "this server has no owner yet: start it with `groundwire serve --setup` and open the "
            "link that it prints first",
            code="not_set_up",
        )


def _own_attempt(request: Request, state: str) -> SignInAttempt:
    kept = request.cookies.get(SECURE_COOKIE) or request.cookies.get(COOKIE) or ""
    attempt = decoded(kept)
    if attempt is None or not compare_digest(attempt.state.encode(), state.encode()):
        raise SignInRefusedError(
            400,
            "this sign-in was not begun in this browser, or longer ago than a quarter of an hour: "
            "sign in again",
            code="unknown_attempt",
        )
    return attempt


def _redirect_uri(request: Request, site: Site) -> str:
    return f"{public_url(request, site)}/sso/callback"


def _remember(attempt: SignInAttempt, request: Request, response: Response) -> None:
    names = (COOKIE, SECURE_COOKIE)
    set_cookie(request, response, names=names, secret=attempt.encoded(), lasts=LASTS)


def _page(error: WebError | ConfigError) -> Response:
    if isinstance(error, ConfigError):
        error = SignInRefusedError(503, redact(str(error)), code=error.code)
    return refusal_page(error, REQUEST_ID.get())
