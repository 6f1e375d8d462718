"""Who is asking and what they may do: the one place where that is decided.

Three ways in: on this machine, without users, whoever asks directly is the owner; with users, a
cookie; for programs, a bearer token that is good for one workspace and one role.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Annotated, Any, TypeAlias

from fastapi import Depends
from starlette.requests import Request

from groundwire.conversation import AuditEntry, Role, User, Workspace
from groundwire.errors import NotFoundError
from groundwire.service.actor import Actor, check_owner
from groundwire.web.error_responses import WebError
from groundwire.web.passwords import hash_of
from groundwire.web.peer import PEER, Peer
from groundwire.web.roles import checked_token, has_no_users
from groundwire.web.site import Site, SiteNeeded, site_of

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping

    from groundwire.conversation import Agent, ApiToken, ChatMessage, Session

    Noted: TypeAlias = Workspace | Agent

COOKIE = "groundwire_session"
SECURE_COOKIE = "__Host-groundwire_session"


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """An authenticated caller.

    `user` is None on a machine without users, and for a token; `roles` are theirs in workspaces
    at this moment. With `token` they may do what it
    says and nothing else; `token_role` is what it may do now, at most what its maker may.
    """

    site: Site
    user: User | None = None
    roles: Mapping[str, Role] = field(default_factory=dict)
    token: ApiToken | None = None
    token_role: Role | None = None

    @property
    def user_id(self) -> str | None:
        """Return whose sessions they see and make."""
        return self.token.user_id if self.token else self.user.id if self.user else None

    @property
    def is_owner(self) -> bool:
        """Return whether all workspaces, users and providers are theirs."""
        return self.token is None and (self.user is None or self.user.is_owner)

    @property
    def name(self) -> str:
        """Return how the audit calls them."""
        if self.token:
            return f"token {self.token.name}"
        return self.user.name if self.user else "owner"

    @property
    def actor(self) -> Actor:
        """Return who has something done, for the program below."""
        return Actor(name=self.name, is_owner=self.is_owner)

    async def role_in(self, workspace_id: str) -> Role | None:
        """Return what they may do in a workspace, None if they may not know of it."""
        if self.token:
            return self.token_role if self.token.workspace_id == workspace_id else None
        if self.user is None:
            return Role.ADMIN
        return Role.ADMIN if self.user.is_owner else self.roles.get(workspace_id)

    async def workspaces(self) -> list[tuple[Workspace, Role]]:
        """Return the workspaces they are in, oldest first."""
        kept = await self.site.store.workspaces.list()
        roles = [(each, await self.role_in(each.id)) for each in kept]
        return [(each, role) for each, role in roles if role is not None]

    async def workspace(self, workspace_id: str | None, need: Role = Role.MEMBER) -> Workspace:
        """Return a workspace they are in, their first one for None.

        Raises:
            NotFoundError: There is none that they may know of.
            WebError: Their role is not enough.
        """
        if workspace_id is None:
            found = await self.workspaces()
            if not found:
                raise NotFoundError("you are in no workspace: ask an admin to add you to one")
            workspace, role = found[0]
        else:
            given = await self.role_in(workspace_id)
            if given is None:
                raise NotFoundError(f"there is no workspace {workspace_id!r}")
            workspace, role = await self.site.store.workspaces.get(workspace_id), given
        if need is Role.ADMIN and role is not Role.ADMIN:
            raise WebError(403, f"only an admin of {workspace.name!r} may do this")
        return workspace

    async def session(self, session_id: str) -> Session:
        """Return a session of theirs.

        Raises:
            NotFoundError: There is none that they may see.
        """
        session = await self.site.store.sessions.get(session_id)
        await self.check_session(session)
        return session

    async def check_session(self, session: Session) -> None:
        """Refuse a session that is not theirs.

        Raises:
            NotFoundError: They may not know of it.
        """
        role = await self.role_in(session.workspace_id)
        is_own = session.user_id == self.user_id
        # What nobody is named for was said on the server's own machine, by whoever runs it.
        is_nobodys = session.user_id is None and self.is_owner
        if role is None or not (is_own or is_nobodys):
            raise NotFoundError(f"there is no session {session.id!r}")

    async def message(self, message_id: str) -> ChatMessage:
        """Return a message of a session of theirs.

        Raises:
            NotFoundError: There is none that they may see.
        """
        message = await self.site.store.messages.get(message_id)
        try:
            await self.session(message.session_id)
        except NotFoundError:
            raise NotFoundError(f"there is no message {message_id!r}") from None
        return message

    async def note(
        self,
        action: str,
        subject: str,
        workspace_id: str | None = None,
        *,
        before: object = None,
        after: object = None,
    ) -> None:
        """Record a change of settings in the audit log."""
        entry = AuditEntry(
            actor=self.name,
            action=action,
            subject=subject,
            workspace_id=workspace_id,
            before=before,
            after=after,
        )
        await self.site.store.audit.add(entry)

    async def note_change(
        self, subject: str, names: Iterable[str], before: Noted, after: Noted
    ) -> None:
        """Record which of these fields they changed in the audit log, if any."""
        changed = [name for name in names if getattr(before, name) != getattr(after, name)]
        if changed:
            await self.note(
                "changed",
                f"{subject} {after.name}",
                after.id if isinstance(after, Workspace) else after.workspace_id,
                before={name: getattr(before, name) for name in changed},
                after={name: getattr(after, name) for name in changed},
            )


async def find_caller(request: Request) -> Caller | None:
    """Return who is asking, None for nobody who is known.

    Raises:
        WebError: The token is invalid or expired.
    """
    site = site_of(request)
    scheme, _, given = request.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        token, role = await checked_token(site, given.strip())
        return Caller(site=site, token=token, token_role=role)
    cookie = request.cookies.get(SECURE_COOKIE) or request.cookies.get(COOKIE)
    if cookie and (found := await site.store.web_sessions.signed_in(hash_of(cookie))):
        return Caller(site=site, user=found.user, roles=found.roles)
    if _is_this_machines(request, site) and await has_no_users(site):
        return Caller(site=site)
    return None


async def find_program(request: Request, key: str) -> Caller | None:
    """Return whose program is asking with a key, None for nobody who is known.

    Programs always show some key, also where nobody needs one: on this machine, without users,
    any will do.
    """
    if not key:
        return await find_caller(request)
    site = site_of(request)
    try:
        token, role = await checked_token(site, key)
    except WebError:
        is_owners = _is_this_machines(request, site) and await has_no_users(site)
        return Caller(site=site) if is_owners else None
    return Caller(site=site, token=token, token_role=role)


def _is_this_machines(request: Request, site: Site) -> bool:
    """Tell whether a request is the owner's where there are no users: direct, and by no other name.

    What a proxy hands on comes from loopback too, and everybody can have sent that.
    """
    peer: Peer = request.scope[PEER]
    return site.options.is_local and site.options.setup_token is None and peer.is_direct


async def settle_caller(request: Request, checks: Collection[Callable[..., Any]]) -> None:
    """Refuse, before a body is read, whomever a route with these dependencies would refuse.

    Raises:
        WebError: They are nobody, not the owner, or a token where a person is asked for.
    """
    if _caller in checks:
        caller = await _caller(request)
        if _owner in checks:
            await _owner(caller)
        if _person in checks:
            await _person(caller)


async def _caller(request: Request) -> Caller:
    settled: Caller | None = getattr(request.state, "caller", None)
    caller = settled or await find_caller(request)
    if caller is None:
        raise WebError(401, "not signed in: sign in first, or send a token")
    request.state.caller = caller
    return caller


async def _owner(caller: Annotated[Caller, Depends(_caller)]) -> Caller:
    check_owner(caller.actor)
    return caller


async def _person(caller: Annotated[Caller, Depends(_caller)]) -> Caller:
    if caller.token is not None:
        raise WebError(403, "a token cannot change who has access: sign in to do this")
    return caller


CallerNeeded = Annotated[Caller, Depends(_caller)]
PersonNeeded = Annotated[Caller, Depends(_person)]
OwnerNeeded = Annotated[Caller, Depends(_owner)]

__all__ = [
    "COOKIE",
    "SECURE_COOKIE",
    "Caller",
    "CallerNeeded",
    "OwnerNeeded",
    "PersonNeeded",
    "SiteNeeded",
    "find_caller",
    "find_program",
    "has_no_users",
    "settle_caller",
]
