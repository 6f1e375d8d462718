"""What a user may do in a workspace, and what a token may: at most what its maker may now."""

from __future__ import annotations

from typing import TYPE_CHECKING

from groundwire.conversation import Role
from groundwire.errors import NotFoundError
from groundwire.web.error_responses import WebError
from groundwire.web.passwords import hash_of

if TYPE_CHECKING:
    from groundwire.conversation import ApiToken, User
    from groundwire.store import Store
    from groundwire.web.site import Site


async def has_no_users(site: Site) -> bool:
    """Tell whether nobody could sign in."""
    return await site.user_count() == 0


async def role_of(store: Store, user: User, workspace_id: str) -> Role | None:
    """Return what a user may do in a workspace, None for nothing; the owner is an admin of all."""
    if user.is_owner:
        return Role.ADMIN
    return await store.memberships.role(user.id, workspace_id)


async def checked_token(site: Site, secret: str) -> tuple[ApiToken, Role]:
    """Return the token that a program sent, and its role at this moment.

    Raises:
        WebError: It is unknown, its time is over, or its maker is not in its workspace any more.
    """
    token = await site.store.tokens.find(hash_of(secret), longest=site.token_life)
    role = await _role_now(site, token) if token else None
    if token is None or role is None:
        raise WebError(401, "invalid or expired token: make another one in Settings")
    return token, role


async def _role_now(site: Site, token: ApiToken) -> Role | None:
    makers = await _role_of_maker(site, token)
    return makers if token.role is Role.ADMIN or makers is None else token.role


async def _role_of_maker(site: Site, token: ApiToken) -> Role | None:
    if token.user_id is None:
        # Made by the owner of a server without users; whoever becomes its owner adopts it.
        is_alone = site.options.setup_token is None and await has_no_users(site)
        return Role.ADMIN if is_alone else None
    try:
        maker = await site.store.users.get(token.user_id)
    except NotFoundError:
        return None
    return await role_of(site.store, maker, token.workspace_id)
