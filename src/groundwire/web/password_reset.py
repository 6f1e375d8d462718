"""A new password for a user: by whoever runs the server for one who forgot theirs, or their own."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from pydantic import TypeAdapter, ValidationError

from groundwire.conversation import AuditEntry
from groundwire.errors import ConfigError, ConflictError, NotFoundError
from groundwire.web.bodies import Password
from groundwire.web.passwords import hash_password

if TYPE_CHECKING:
    from groundwire.conversation import User
    from groundwire.redaction import Secret
    from groundwire.store import Store

ACTOR = "command line"
_PASSWORD: TypeAdapter[object] = TypeAdapter(Password)


async def set_password(store: Store, name: str, given: Secret) -> None:
    """Give a user a new password, and sign them out everywhere.

    Raises:
        NotFoundError: Nobody has this name.
        ConflictError: They sign in with a provider alone, which has their password.
        ConfigError: The password cannot be used.
    """
    user = await store.users.by_name(name)
    if user is None:
        names = ", ".join(each.name for each in await store.users.list()) or "nobody yet"
        raise NotFoundError(f"no user is called {name!r}: there are {names}")
    if not user.password_hash and await store.identities.of_user(user.id):
        raise ConflictError(
            f"{name!r} signs in with single sign-on alone: their password is set there"
        )
    try:
        _PASSWORD.validate_python(given.reveal())
    except ValidationError:
        raise ConfigError("a password has from 8 to 200 characters: choose another one") from None
    await replace_password(store, user, given.reveal(), actor=ACTOR)


async def replace_password(store: Store, user: User, password: str, *, actor: str) -> None:
    """Keep a new password of a user, who is signed out everywhere, and note who set it."""
    hashed = await hash_password(password)
    await store.users.update(replace(user, password_hash=hashed))
    await store.web_sessions.delete_of(user.id)
    await store.audit.add(
        AuditEntry(actor=actor, action="set the password of", subject=f"user {user.name}")
    )
