"""Signing in with the provider: from a browser that wants to, to a user with their roles."""

from __future__ import annotations

import asyncio
import logging
from importlib.util import find_spec
from typing import TYPE_CHECKING

from groundwire.config.keys import SSO_SECRET
from groundwire.conversation import AuditEntry, User, new_id
from groundwire.errors import ConfigError, ConflictError, NotInstalledError
from groundwire.store.identities import Identity
from groundwire.system.extras import install_command
from groundwire.web.sso.person import Person, person_of, roles_of
from groundwire.web.sso.refusal import SignInRefusedError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from groundwire.conversation import Role
    from groundwire.service.program import Groundwire
    from groundwire.store import Store
    from groundwire.store.identities import SignOn
    from groundwire.web.sso.attempt import SignInAttempt
    from groundwire.web.sso.provider import OpenIdProvider

ACTOR = "single sign-on"
_ATTEMPTS = 3
_LOG = logging.getLogger(__name__)


class SingleSignOn:
    """The single sign-on of one server; `is_on` where the settings name a provider."""

    def __init__(self, program: Groundwire) -> None:
        self._program = program
        self._provider: OpenIdProvider | None = None

    @property
    def is_on(self) -> bool:
        """Return whether people can sign in with a provider."""
        return bool(self._program.settings.sso.issuer)

    @property
    def name(self) -> str:
        """Return what the login page calls it, "" where there is none."""
        return self._program.settings.sso.name if self.is_on else ""

    async def close(self) -> None:
        """Close every connection to the provider."""
        if self._provider is not None:
            await self._provider.close()

    async def provider(self) -> OpenIdProvider:
        """Return the provider, made when it is first needed.

        Raises:
            SignInRefusedError: There is none.
            ConfigError: The settings or this installation lack something.
        """
        settings = self._program.settings.sso
        if not settings.issuer:
            raise SignInRefusedError(
                404, "single sign-on is not set up on this server: sign in with a password"
            )
        if self._provider is None:
            if not settings.client_id:
                raise ConfigError("single sign-on needs a client: set sso.client_id")
            if find_spec("authlib") is None:
                raise NotInstalledError(ACTOR, "authlib", fix=install_command("sso"))
            from groundwire.web.sso.provider import OpenIdProvider  # noqa: PLC0415 - an extra

            found = await asyncio.to_thread(self._program.keys.find, SSO_SECRET)
            secret = found.key if found else None
            self._provider = OpenIdProvider(settings, secret, self._program.settings.network)
        return self._provider

    async def person(self, code: str, issuer: str, attempt: SignInAttempt) -> Person:
        """Return who brought a code.

        Raises:
            SignInRefusedError: The code or the ID token is invalid, or they may not sign in.
        """
        provider = await self.provider()
        return person_of(await provider.claims(code, issuer, attempt), self._program.settings.sso)

    async def user_of(self, person: Person) -> User:
        """Return the user that a person is here, with the roles of their groups.

        Raises:
            SignInRefusedError: They are nobody here, or in no workspace.
        """
        settings, store = self._program.settings.sso, self._program.store
        workspaces = await store.workspaces.list()
        roles = roles_of(person, settings, workspaces)
        # With groups that lead somewhere, whoever is in none of them does not become a user.
        may_create = settings.creates_users and bool(roles or not settings.groups)
        done = await _signed_on(store, person, roles, may_create=may_create)
        if done.user is None:
            raise _no_workspace() if settings.creates_users else _unknown()
        await _note(store, done)
        if not done.has_access and settings.groups:
            raise _no_workspace()
        return done.user

    async def connect(self, person: Person, user: User) -> None:
        """Let a user who is signed in sign in with the provider from now on.

        Raises:
            SignInRefusedError: The account at the provider is another user's.
        """
        store = self._program.store
        identity = Identity(
            issuer=person.issuer, subject=person.subject, user_id=user.id, email=person.email
        )
        try:
            await store.identities.link(identity)
        except ConflictError as error:
            raise SignInRefusedError(
                409, f"{error}: sign in with it, or have that user removed", code="connected"
            ) from error
        await store.audit.add(
            AuditEntry(actor=user.name, action="connected", subject=f"user {user.name}")
        )


async def _signed_on(
    store: Store, person: Person, roles: Mapping[str, Role], *, may_create: bool
) -> SignOn:
    identity = Identity(
        issuer=person.issuer, subject=person.subject, user_id=new_id(), email=person.email
    )
    for _ in range(_ATTEMPTS):
        try:
            return await store.identities.sign_on(
                identity, names=person.names, roles=roles, may_create=may_create
            )
        except ConflictError:
            # Two browsers of one person at once, or two people of one name: look again.
            _LOG.info("another sign-in was faster")
    raise SignInRefusedError(409, "your name is taken too often: ask the owner of this server")


async def _note(store: Store, done: SignOn) -> None:
    """Record who was added and whose role changed, as if an admin had done it."""
    name = done.user.name if done.user else ""
    if done.is_new:
        await store.audit.add(AuditEntry(actor=ACTOR, action="added", subject=f"user {name}"))
    for key in sorted(done.before.keys() | done.after.keys()):
        before, after = done.before.get(key), done.after.get(key)
        if before != after:
            await store.audit.add(
                AuditEntry(
                    actor=ACTOR,
                    action="set the role of" if after else "removed",
                    subject=f"member {name}",
                    workspace_id=key,
                    before=before,
                    after=after,
                )
            )


def _unknown() -> SignInRefusedError:
    return SignInRefusedError(
        403,
        "you have no account here yet: ask the owner of this server for one, sign in with its "
        "password, and connect it in Settings",
        code="unknown_user",
    )


def _no_workspace() -> SignInRefusedError:
    return SignInRefusedError(
        403,
        "none of your groups has a workspace here: ask the owner of this server which group you "
        "need",
        code="no_workspace",
    )
