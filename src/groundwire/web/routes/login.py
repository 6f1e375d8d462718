"""Signing in and out, and the first user of all."""

from __future__ import annotations

from hmac import compare_digest
from typing import TYPE_CHECKING

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from groundwire.conversation import AuditEntry, User
from groundwire.errors import ConfigError, ConflictError
from groundwire.web.access import (
    COOKIE,
    SECURE_COOKIE,
    PersonNeeded,
    SiteNeeded,
    find_caller,
    has_no_users,
)
from groundwire.web.bodies import LoginBody, PasswordChange, SetupBody
from groundwire.web.body_route import BodyRoute
from groundwire.web.browser_sessions import begin_session, clear_cookies, end_session
from groundwire.web.error_responses import RESPONSES, WebError
from groundwire.web.known_browsers import known_browser, remember_browser
from groundwire.web.page_shapes import LeadShape
from groundwire.web.password_attempts import address_of, is_own_password, refuse_haste
from groundwire.web.password_reset import replace_password
from groundwire.web.passwords import hash_password
from groundwire.web.site import public_url

if TYPE_CHECKING:
    from groundwire.web.site import Site

router = APIRouter(prefix="/api", tags=["access"], route_class=BodyRoute, responses=RESPONSES)


@router.post("/login", status_code=204, response_class=Response)
async def login(body: LoginBody, request: Request, site: SiteNeeded) -> Response:
    """Sign a browser in: the reply sets its cookies."""
    user = await site.store.users.by_name(body.name)
    browser = await known_browser(request, site, user)
    given = body.password.get_secret_value()
    is_right = await is_own_password(
        user, body.name, given, request=request, site=site, browser=browser
    )
    if not is_right or user is None:
        raise WebError(401, "the name or the password is wrong", code="wrong_password")
    await end_session(request, site)
    response = await _signed_in(user, request, site)
    if not browser:
        await remember_browser(user, request, site, response)
    return response


@router.post(
    "/logout",
    status_code=204,
    response_class=Response,
    responses={200: {"model": LeadShape, "description": "Signed out here; go on to `next`."}},
)
async def logout(request: Request, site: SiteNeeded) -> Response:
    """Sign a browser out; `next` is where it signs out at the provider of a single sign-on."""
    lead = await _provider_sign_out(request, site)
    await end_session(request, site)
    response: Response = JSONResponse({"next": lead}) if lead else Response(status_code=204)
    clear_cookies(response, COOKIE, SECURE_COOKIE)
    return response


@router.put("/password", status_code=204, response_class=Response)
async def change_password(
    body: PasswordChange, caller: PersonNeeded, request: Request, site: SiteNeeded
) -> Response:
    """Give oneself another password; every other browser of theirs is signed out."""
    user = caller.user
    if user is None:
        raise ConflictError("there are no users here, and no passwords")
    if not user.password_hash:
        raise ConflictError("you sign in with single sign-on alone: your password is set there")
    browser = await known_browser(request, site, user)
    given = body.old_password.get_secret_value()
    if not await is_own_password(
        user, user.name, given, request=request, site=site, browser=browser
    ):
        # Not 401: they are signed in and stay so.
        raise WebError(403, "the old password is wrong", code="wrong_password")
    new = body.new_password.get_secret_value()
    await replace_password(site.store, user, new, actor=caller.name)
    response = await _signed_in(user, request, site)
    await remember_browser(user, request, site, response)
    return response


@router.post("/setup", status_code=204, response_class=Response)
async def setup(body: SetupBody, request: Request, site: SiteNeeded) -> Response:
    """Make the first user, the owner, with the token that the console showed."""
    address = address_of(request)
    refuse_haste(site.setups.wait_seconds(address))
    expected = site.options.setup_token
    given = body.token.get_secret_value().encode()
    if expected is None or not compare_digest(given, expected.reveal().encode()):
        site.setups.failed(address)
        raise WebError(
            401, "this setup link is invalid or has expired: use the one that the console shows"
        )
    async with site.setting_up:
        site.recount_users()
        if not await has_no_users(site):
            raise ConflictError("this server is set up already: sign in")
        hashed = await hash_password(body.password.get_secret_value())
        owner = User(name=body.name, password_hash=hashed, is_owner=True)
        await site.store.users.create(owner)
        site.recount_users()
        await _refuse_a_second(owner, site)
    await site.store.audit.add(
        AuditEntry(actor=owner.name, action="set up", subject=f"user {owner.name}")
    )
    await _adopt(owner, site)
    response = await _signed_in(owner, request, site)
    await remember_browser(owner, request, site, response)
    return response


async def _refuse_a_second(owner: User, site: Site) -> None:
    """Leave the first where another process made an owner in the same moment."""
    first = min(await site.store.users.list(), key=lambda user: (user.created_at, user.id))
    if first.id != owner.id:
        await site.store.users.delete(owner.id)
        raise ConflictError("this server is set up already: sign in")


async def _adopt(owner: User, site: Site) -> None:
    """Give the first user the sessions and tokens from before there were users."""
    await site.store.sessions.adopt(owner.id)
    await site.store.tokens.adopt(owner.id)


async def _signed_in(user: User, request: Request, site: Site) -> Response:
    response = Response(status_code=204)
    await begin_session(user, request, site, response)
    return response


async def _provider_sign_out(request: Request, site: Site) -> str:
    """Return where somebody who signed in with the provider is signed out there too, "" if not."""
    if not site.program.settings.sso.ends_provider_session or not site.sign_on.is_on:
        return ""
    caller = await find_caller(request)
    if caller is None or caller.user is None:
        return ""
    if not await site.store.identities.of_user(caller.user.id):
        return ""
    try:
        provider = await site.sign_on.provider()
        return await provider.sign_out_url(f"{public_url(request, site)}/login")
    except (WebError, ConfigError):
        return ""  # They are signed out here all the same.
