"""Tokens for programs: shown once, kept as a hash."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import TYPE_CHECKING

from fastapi import APIRouter
from starlette.responses import Response

from groundwire.conversation import ApiToken, Role, now
from groundwire.errors import NotFoundError
from groundwire.web.access import CallerNeeded, PersonNeeded, SiteNeeded
from groundwire.web.bodies import Id, NewToken, WorkspaceId
from groundwire.web.body_route import BodyRoute
from groundwire.web.error_responses import RESPONSES
from groundwire.web.passwords import hash_of, new_token
from groundwire.web.shapes import CreatedTokenShape, TokenShape

if TYPE_CHECKING:
    from groundwire.web.site import Site

router = APIRouter(
    prefix="/api/tokens", tags=["access"], route_class=BodyRoute, responses=RESPONSES
)


@router.get("", response_model=list[TokenShape])
async def list_tokens(
    caller: CallerNeeded, site: SiteNeeded, workspace_id: WorkspaceId = None
) -> list[TokenShape]:
    """List the tokens of a workspace, without what they are."""
    workspace = await caller.workspace(workspace_id, Role.ADMIN)
    return [_shape(site, each) for each in await site.store.tokens.list(workspace.id)]


@router.post("", response_model=CreatedTokenShape, status_code=201)
async def make_token(body: NewToken, caller: PersonNeeded, site: SiteNeeded) -> CreatedTokenShape:
    """Make a token; it is in this reply and nowhere else."""
    workspace = await caller.workspace(body.workspace_id, Role.ADMIN)
    secret = new_token()
    life = site.token_life
    if body.expires_in_days is not None:
        life = min(life, timedelta(days=body.expires_in_days))
    token = ApiToken(
        user_id=caller.user_id,
        workspace_id=workspace.id,
        role=body.role,
        name=body.name,
        token_hash=hash_of(secret),
        expires_at=now() + life,
    )
    await site.store.tokens.create(token)
    await caller.note("made", f"access {token.name}", workspace.id, after={"role": token.role})
    return CreatedTokenShape(**_shape(site, token).model_dump(), token=secret)


@router.delete("/{token_id}", status_code=204, response_class=Response)
async def delete_token(token_id: Id, caller: PersonNeeded, site: SiteNeeded) -> Response:
    """Remove a token; programs that use it are out at once."""
    token = await site.store.tokens.get(token_id)
    if await caller.role_in(token.workspace_id) is None:
        raise NotFoundError(f"there is no token {token_id!r}")
    workspace = await caller.workspace(token.workspace_id, Role.ADMIN)
    await site.store.tokens.delete(token_id)
    await caller.note("removed", f"access {token.name}", workspace.id)
    return Response(status_code=204)


def _shape(site: Site, token: ApiToken) -> TokenShape:
    return TokenShape.model_validate(replace(token, expires_at=token.ends_at(site.token_life)))
