"""People who sign in."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.responses import Response

from groundwire.conversation import Role, User
from groundwire.errors import ConflictError
from groundwire.web.access import Caller, CallerNeeded, OwnerNeeded, SiteNeeded
from groundwire.web.bodies import Id, NewUser
from groundwire.web.body_route import BodyRoute
from groundwire.web.error_responses import RESPONSES, WebError
from groundwire.web.passwords import hash_password
from groundwire.web.shapes import UserShape

router = APIRouter(prefix="/api/users", tags=["access"], route_class=BodyRoute, responses=RESPONSES)


@router.get("", response_model=list[UserShape])
async def list_users(caller: CallerNeeded, site: SiteNeeded) -> list[UserShape]:
    """List everybody, for whoever may add them to a workspace."""
    await _check_runs_something(caller)
    return [UserShape.model_validate(user) for user in await site.store.users.list()]


@router.post("", response_model=UserShape, status_code=201)
async def add_user(body: NewUser, caller: OwnerNeeded, site: SiteNeeded) -> UserShape:
    """Add somebody, who is in no workspace yet."""
    if caller.user is None:
        raise ConflictError(
            "the first user is made with `groundwire serve --setup`, which prints a link for it"
        )
    hashed = await hash_password(body.password.get_secret_value())
    user = await site.store.users.create(User(name=body.name, password_hash=hashed))
    await caller.note("added", f"user {user.name}")
    return UserShape.model_validate(user)


@router.delete("/{user_id}", status_code=204, response_class=Response)
async def delete_user(user_id: Id, caller: OwnerNeeded, site: SiteNeeded) -> Response:
    """Remove somebody with their sessions; the owner stays."""
    user = await site.store.users.get(user_id)
    if user.is_owner:
        raise ConflictError("the owner cannot be removed")
    await site.store.users.delete(user_id)
    await caller.note("removed", f"user {user.name}")
    return Response(status_code=204)


async def _check_runs_something(caller: Caller) -> None:
    if caller.is_owner:
        return
    if not any(role is Role.ADMIN for _, role in await caller.workspaces()):
        raise WebError(403, "only an admin of a workspace may list users")
