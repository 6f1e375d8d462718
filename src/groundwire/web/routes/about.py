"""Whether the server is there, and who it thinks is asking."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import APIRouter
from starlette.requests import Request

from groundwire.version import VERSION
from groundwire.web.access import SiteNeeded, find_caller, has_no_users
from groundwire.web.error_responses import NOT_READY, RESPONSES
from groundwire.web.export_formats import EXPORT_FORMATS
from groundwire.web.page_shapes import ExportFormatShape, MeShape, StarterShape
from groundwire.web.shapes import HealthShape, MembershipShape, UserShape

if TYPE_CHECKING:
    from groundwire.web.access import Caller
    from groundwire.web.site import Site

router = APIRouter(prefix="/api", tags=["about"], responses=RESPONSES)


@router.get("/health", response_model=HealthShape)
async def health(site: SiteNeeded) -> HealthShape:
    """Tell that this process answers, for whoever restarts it; nothing else is asked."""
    return HealthShape(status="ok", version=VERSION, database=site.store.kind)


# The one route whose 503 is what it is for; by it the shape of a failure is in the document.
@router.get("/ready", response_model=HealthShape, responses=NOT_READY)
async def ready(site: SiteNeeded) -> HealthShape:
    """Tell whether requests are welcome, for whoever sends them; 503 says why not."""
    await site.readiness.check()
    shared = site.readiness.shared
    return HealthShape(status="ready", version=VERSION, database=site.store.kind, shared=shared)


@router.get("/me", response_model=MeShape)
async def me(request: Request, site: SiteNeeded) -> MeShape:
    """Tell who is asking, and which workspaces are theirs; no login is needed."""
    caller = await find_caller(request)
    nobody_yet = await has_no_users(site)
    workspaces = await caller.workspaces() if caller else []
    return MeShape(
        user=_user(caller),
        needs_login=caller is None and not nobody_yet,
        needs_setup=caller is None and nobody_yet,
        workspaces=[
            MembershipShape(id=each.id, name=each.name, role=role) for each, role in workspaces
        ],
        version=VERSION,
        starters=[StarterShape(text=each.text, agent=each.agent) for each in site.starters],
        exports=[
            ExportFormatShape(format=each.name, title=each.title, of=list(each.of))
            for each in EXPORT_FORMATS
        ],
        sso=site.sign_on.name,
        is_connected=await _is_connected(caller, site),
        has_password=bool(caller and caller.user and caller.user.password_hash),
        has_quotas=any(site.program.quotas.concerns(each) for each, _ in workspaces),
        has_icons=site.program.settings.web.source_icons,
    )


async def _is_connected(caller: Caller | None, site: Site) -> bool:
    """Tell whether a user can sign in with the provider; where there is none nobody is asked."""
    if not site.sign_on.is_on or caller is None or caller.user is None:
        return False
    return bool(await site.store.identities.of_user(caller.user.id))


def _user(caller: Caller | None) -> UserShape | None:
    if caller is None or caller.user is None:
        return None
    return UserShape.model_validate(caller.user)
